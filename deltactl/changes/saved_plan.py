"""A plan that was kept in a file: what it was made for, and whether it still holds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from deltactl import __version__
from deltactl.changes import plan_shape
from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import Names
from deltactl.changes.draft import OF_THE_VERSION, Draft
from deltactl.changes.executor import Planner
from deltactl.changes.plan import ChangePlan
from deltactl.errors import (
    BrokenLogError,
    ConflictError,
    InvalidUsageError,
    NotFoundError,
    RefusedError,
)
from deltactl.spec.keys import ROW_TRACKING_DOMAIN, TYPE_CHANGES
from deltactl.spec.schema.diff import changes
from deltactl.spec.schema.schema import parse_schema
from deltactl.table.snapshot import Snapshot

FORMAT = 1
_FORMAT_KEY = "deltactlPlan"
_DIGEST_KEY = "sha256"
# Work beside the commit; `apply` does it only if it is in the saved plan.
_WORK = ("rewrites", "backfill", "job")
# Differences beyond these are counted.
_SHOWN = 5


class Call(NamedTuple):
    """The call of the public API that asks for a plan: `columns.add`, with its arguments."""

    method: str
    arguments: Mapping[str, Any]

    def kept(self) -> "Call":
        """Return the call with its arguments as they are now: lists may change later."""
        return Call(self.method, _plain(self.arguments))

    def to_json(self) -> dict[str, Any]:
        return {"method": self.method, "arguments": _plain(self.arguments)}


@dataclass(frozen=True, kw_only=True)
class SavedPlan:
    """A plan, the table that it is for, and the words that asked for it.

    `request` is the command without its table and without the options of every change, its
    arguments behind `--`; no words if a program asked. `call` is the same as a call of the public
    API, None if programs cannot ask for it. `inputs` are the texts that it read, by the names that
    were typed. `version`, `metadata` and `protocol` are those that the plan was made on.
    """

    made_by: str
    uri: str
    table_id: str
    request: tuple[str, ...]
    call: Call | None
    inputs: Mapping[str, str]
    names: Names
    version: int
    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]
    plan: Mapping[str, Any]


def to_text(
    report: ChangeReport,
    request: Sequence[str],
    inputs: Mapping[str, str],
    call: Call | None = None,
) -> bytes:
    """Return the content of a file that keeps the plan of `report`."""
    base = report.plan.base
    content = {
        _FORMAT_KEY: FORMAT,
        "deltactl": __version__,
        "table": {"uri": report.table.uri, "id": base.metadata.id},
        "request": list(request),
        **({} if call is None else {"call": call.to_json()}),
        "inputs": dict(inputs),
        "names": [[prefix, what, name] for (prefix, what), name in report.names.items()],
        "base": {
            "version": base.version,
            "metaData": base.metadata.to_json(),
            "protocol": base.protocol.to_json(),
        },
        "plan": report.plan.to_json(),
    }
    text = json.dumps({**content, _DIGEST_KEY: _digest(content)}, ensure_ascii=True, indent=2)
    return f"{text}\n".encode()


def _plain(value: Any) -> Any:
    """Return the argument as JSON has it."""
    match value:
        case str():
            return value
        case Mapping():
            return {key: _plain(member) for key, member in value.items()}
        case Sequence():
            return [_plain(member) for member in value]
        case _:
            return value


def is_plan(text: bytes) -> bool:
    """Return whether the text is a saved plan, of this format or another one, sound or not."""
    found = _object(text)
    return found is not None and _FORMAT_KEY in found


def parse(text: bytes, file: str) -> SavedPlan:
    """Return the plan that was saved as `text` in `file`.

    Raises:
        InvalidUsageError: it is not a plan, or one of a newer format, or a member of it is missing
            or of the wrong type.
        RefusedError: it was changed since it was saved.
    """
    found = _object(text)
    if found is None or _FORMAT_KEY not in found:
        raise InvalidUsageError(
            "NOT_A_PLAN",
            f"{file} is not a saved plan",
            hint="a command that changes a table saves its plan with --plan-out FILE",
        )
    if found[_FORMAT_KEY] != FORMAT or found[_FORMAT_KEY] is True:
        raise InvalidUsageError(
            "PLAN_OF_OTHER_FORMAT",
            f"{file} is a plan of format {found[_FORMAT_KEY]}, made by deltactl "
            f"{found.get('deltactl')}; this one, {__version__}, knows format {FORMAT}",
            hint="apply it with the deltactl that made it, or save the plan again with this one",
        )
    digest = found.pop(_DIGEST_KEY, None)
    if digest != _digest(found):
        raise RefusedError(
            "PLAN_EDITED",
            f"{file} was changed after it was saved, or is not whole; nothing was written",
            hint="save the plan again with --plan-out",
        )
    if wrong := list(plan_shape.faults(found)):
        more = f" (and {len(wrong) - 1} more)" if wrong[1:] else ""
        raise InvalidUsageError(
            "PLAN_MALFORMED",
            f"{file} is not a plan as deltactl saves it: {wrong[0]}{more}",
            hint="save the plan again with --plan-out",
            details={"faults": wrong[:_SHOWN]},
        )
    base, table = found["base"], found["table"]
    return SavedPlan(
        made_by=found["deltactl"],
        uri=table["uri"],
        table_id=table["id"],
        request=tuple(found["request"]),
        call=Call(**found["call"]) if "call" in found else None,
        inputs=found["inputs"],
        names={(prefix, what): name for prefix, what, name in found["names"]},
        version=base["version"],
        metadata=base["metaData"],
        protocol=base["protocol"],
        plan=found["plan"],
    )


def bound(saved: SavedPlan, planner: Planner) -> Planner:
    """Return the planner, which continues only if it plans what was saved."""

    def plan(draft: Draft) -> ChangePlan:
        differences = list(_differences(saved, draft.base))
        if differences and saved.table_id != draft.base.metadata.id:
            raise _stale(saved, draft.base, differences)
        made = planner(draft)
        if made.is_empty and not made.refusals:
            return made  # By now the table is as was asked for, whoever did that.
        if differences:
            raise _stale(saved, draft.base, differences)
        now = made.to_json()
        does_more = any(now.get(work) and not saved.plan.get(work) for work in _WORK)
        if not made.refusals and (does_more or _essence(now) != _essence(saved.plan)):
            by = "" if saved.made_by == __version__ else f" by deltactl {saved.made_by}"
            raise ConflictError(
                "PLAN_STALE",
                f"the plan that was saved{by} is not the one that the same request makes now; "
                "nothing was written",
                hint="save the plan again with --plan-out, and review it",
                details={"madeBy": saved.made_by},
            )
        return made

    return plan


def _stale(saved: SavedPlan, base: Snapshot, differences: Sequence[str]) -> ConflictError:
    more = len(differences) - _SHOWN
    said = "; ".join(differences[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
    return ConflictError(
        "PLAN_STALE",
        f"the plan was made on version {saved.version}, and the table, now at version "
        f"{base.version}, has changed since: {said}; nothing was written",
        hint="save the plan again with --plan-out, and review it",
        details={"madeOn": saved.version, "version": base.version, "differences": differences},
    )


def _differences(saved: SavedPlan, base: Snapshot) -> Iterator[str]:
    """Yield what the table has beside data that the plan was not made for."""
    if base.metadata.id != saved.table_id:
        yield f"it is another table, with the id {base.metadata.id}"
        return
    if _sorted_lists(saved.protocol) != _sorted_lists(base.protocol.to_json()):
        now = base.protocol
        yield f"its protocol is ({now.min_reader_version},{now.min_writer_version}) {_listed(base)}"
    before, after = saved.metadata, base.metadata.to_json()
    for key in sorted({*before, *after}):
        was, now_is = before.get(key), after.get(key)
        if was == now_is:
            continue
        if key == "schemaString":
            yield from _schema_differences(was, now_is)
        elif key == "configuration":
            yield from _property_differences(before[key], after[key])
        else:
            yield f"{key}: {_or_not_set(was)} → {_or_not_set(now_is)}"


def _property_differences(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[str]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            sides = _or_not_set(before.get(name)), _or_not_set(after.get(name))
            yield f"property {name}: {sides[0]} → {sides[1]}"


def _or_not_set(value: Any) -> Any:
    return "not set" if value is None else value


def _schema_differences(before: Any, after: Any) -> Iterator[str]:
    try:
        found = [str(change) for change in changes(parse_schema(before), parse_schema(after))]
    except (BrokenLogError, NotFoundError):
        found = []
    yield from found or ["its schema is written differently"]


def _listed(base: Snapshot) -> str:
    return ", ".join(sorted(base.protocol.listed)) or "without listed features"


def _essence(plan: Mapping[str, Any]) -> Any:
    """Return what the plan does, without what depends on the version that it makes."""
    version = plan["readVersion"] + 1
    actions, protocol = plan["actions"], plan["protocol"]
    metadata = actions["metaData"]
    return {
        "operation": plan["operation"],
        "changes": [_without_version(change) for change in plan["changes"]],
        "protocol": protocol and _sorted_lists(protocol["after"]),
        "metaData": metadata
        and {
            **metadata,
            "schemaString": _schema_of_any_version(metadata["schemaString"], version),
            "configuration": {
                key: None if key in OF_THE_VERSION else value
                for key, value in metadata["configuration"].items()
            },
        },
        "domains": [
            None if domain["domain"] == ROW_TRACKING_DOMAIN else domain
            for domain in actions["domains"]
        ],
        "fileActions": actions["fileActions"]["count"] > 0,
    }


def _without_version(change: Mapping[str, Any]) -> Mapping[str, Any]:
    if change["path"] in OF_THE_VERSION or change["path"] == ROW_TRACKING_DOMAIN:
        return {**change, "before": None, "after": None}
    # The new schema has them, too.
    return {key: value for key, value in change.items() if key != "typeChanges"}


def _schema_of_any_version(text: str, version: int) -> Any:
    try:
        return _any_version(json.loads(text), version)
    except (ValueError, RecursionError):
        return text


def _any_version(value: Any, version: int) -> Any:
    """Return the schema, whose type changes that were made by `version` do not say so."""
    match value:
        case dict():
            return {
                key: [_made_now(entry, version) for entry in member]
                if key == TYPE_CHANGES and isinstance(member, list)
                else _any_version(member, version)
                for key, member in value.items()
            }
        case list():
            return [_any_version(member, version) for member in value]
        case _:
            return value


def _made_now(entry: Any, version: int) -> Any:
    if isinstance(entry, dict) and entry.get("tableVersion") == version:
        return {**entry, "tableVersion": None}
    return entry


def _sorted_lists(body: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: sorted(value, key=str) if isinstance(value, list) else value
        for key, value in body.items()
        if value is not None
    }


def _digest(content: Mapping[str, Any]) -> str:
    text = json.dumps(content, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    # Few runs save a plan or carry one out, and every change would pay for loading it.
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        # As it was written: paths may hold octets that are not UTF-8, as halves of pairs.
        found = json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
