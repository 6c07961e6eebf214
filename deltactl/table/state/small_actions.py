"""Domains and transactions of a snapshot, found without looking at its files."""

from collections.abc import Iterator
from typing import Any

from deltactl.log.commit import commit_lines
from deltactl.log.segment import Segment
from deltactl.spec.actions import fields
from deltactl.spec.actions.action import DomainMetadata, Transaction
from deltactl.table.snapshot import Snapshot


def read_domains(snapshot: Snapshot) -> dict[str, DomainMetadata]:
    """Return every metadata domain that exists, by name.

    Raises:
        BrokenLogError: a commit or every checkpoint is broken.
    """
    found: dict[str, DomainMetadata] = {}
    for body in _newest(snapshot, "domainMetadata", "domain"):
        domain = DomainMetadata.from_json(body)
        if not domain.removed:
            found[domain.domain] = domain
    return found


def read_transaction(snapshot: Snapshot, app_id: str) -> Transaction | None:
    """Return how far the application has come; None if it never wrote.

    Raises:
        BrokenLogError: a commit or every checkpoint is broken.
    """
    bodies = (body for body in _newest(snapshot, "txn", "appId") if body.get("appId") == app_id)
    return next(map(Transaction.from_json, bodies), None)


def _newest(snapshot: Snapshot, kind: str, key: str) -> list[dict[str, Any]]:
    """Return the newest action of `kind` for each value of its field `key`."""
    log, version = snapshot.log, snapshot.version

    def every(segment: Segment) -> Iterator[dict[str, Any]]:
        for entry in reversed(segment.entries):
            name = entry.file.name
            blocks = [commit_lines.search(b, kind, name, n) for n, b in log.blocks(entry.file)]
            actions = [found.body for block in blocks for found in block]
            # A commit's last word counts; a compacted file has its newest actions first.
            yield from actions if entry.is_compacted else reversed(actions)
        if segment.checkpoint is not None:
            reader = log.reader(segment.checkpoint)
            yield from (body for _, body in reader.actions((kind,), enough=lambda: False))

    def read(segment: Segment) -> list[dict[str, Any]]:
        found: dict[str | None, dict[str, Any]] = {}
        for body in every(segment):
            name = body.get(key)
            if not isinstance(name, str | None):
                raise fields.malformed(kind, f"{key} must be text, found {name!r:.40}")
            found.setdefault(name, body)
        return list(found.values())

    target = None if log.newest_listed() == version else version
    found, _, _ = log.resolve(target, read)
    return found
