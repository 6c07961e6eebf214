"""Whether RESTORE took back what an application had written."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from deltactl.log.commit.commit_lines import search
from deltactl.spec.actions.action import Transaction
from deltactl.table.snapshot import Snapshot

RESTORE = "RESTORE"


def was_taken_back(snapshot: Snapshot, step: Transaction, since: int) -> bool | None:
    """Return whether the snapshot is without what the application wrote when it came to that step.

    RESTORE goes back to the files of an older version, but not behind the step. `since` is a
    version that is older than the step, or brought it. None if that is unknown: RESTORE went to
    a time instead of a version, or the commit of the step is gone.

    Raises:
        BrokenLogError: a commit cannot be read.
    """
    written: int | None = None
    targets: dict[int, int | None] = {}
    for version, kind, body in _steps_and_infos(snapshot, since):
        if kind == "commitInfo" and body.get("operation") == RESTORE:
            targets[version] = _target(body)
        elif body.get("appId") == step.app_id and body.get("version") == step.version:
            written = version
    if not targets:
        return False
    if written is None:
        return None
    # The version whose files the table has.
    at: int | None = snapshot.version
    while at is not None and at >= written:
        last = max((v for v in targets if written < v <= at), default=None)
        if last is None:
            return False
        at = targets[last]
    return None if at is None else True


def _steps_and_infos(snapshot: Snapshot, since: int) -> Iterator[tuple[int, str, dict[str, Any]]]:
    log = snapshot.log
    for version, file in sorted(log.listing().commits.items()):
        if since <= version <= snapshot.version:
            for first, block in log.blocks(file):
                for kind in ("commitInfo", "txn"):
                    for found in search(block, kind, file.name, first):
                        yield version, kind, found.body


def _target(info: Mapping[str, Any]) -> int | None:
    """Return the version that was restored, if the commit says one."""
    parameters = info.get("operationParameters")
    version = parameters.get("version") if isinstance(parameters, Mapping) else None
    # Engines write it as a number, and as the text of one.
    with suppress(ValueError, RecursionError):
        version = json.loads(version) if isinstance(version, str) else version
    return version if type(version) is int else None
