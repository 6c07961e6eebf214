"""A plan that was saved: what it says, and how what it asks for is asked for again."""

import inspect
from os import PathLike
from typing import Any

from deltactl.api import values
from deltactl.api.arguments import checks_arguments, file_of, wrong
from deltactl.api.groups import EveryChange
from deltactl.api.saved.files import read
from deltactl.api.verbs.verbs import CALLS
from deltactl.api.work import Request
from deltactl.changes.saved_plan import Call, SavedPlan
from deltactl.errors import InvalidUsageError, UsageError


@checks_arguments
def load_plan(path: str | PathLike[str]) -> values.SavedPlan:
    """Return the plan in a file, for `DeltaTable.apply`; a command or a program saved it.

    >>> table = deltactl.open("./events")
    >>> table.plan.columns.comment("amount", "in cents").save("plan.json")
    >>> plan = deltactl.load_plan("plan.json")
    >>> [(change.kind, change.path) for change in plan.changes]
    [('metadata', 'amount')]
    >>> table.apply(plan).version
    1

    Raises:
        UsageError: it holds no plan, or one of another format.
        RefusedError: it was changed since it was saved.
        StorageError: it cannot be read.
    """
    saved = read(file_of(path))
    return values.SavedPlan(
        uri=saved.uri,
        operation=saved.plan["operation"],
        read_version=saved.version,
        changes=tuple(
            values.Change(**{key: change.get(key) for key in ("kind", "path", "before", "after")})
            for change in saved.plan["changes"]
        ),
        made_by=saved.made_by,
        saved=saved,
    )


def request_of(saved: SavedPlan) -> Request:
    """Return what was asked for, to be planned again.

    Raises:
        InvalidUsageError: this version of deltactl does not understand it, or only `deltactl apply`
            does.
    """
    call = saved.call
    if call is None:
        raise _not_understood(saved, "only deltactl apply can ask for it again")
    found: Any = EveryChange[Request](lambda request, _: request)
    try:
        group, _, name = call.method.rpartition(".")
        holder = getattr(found, group) if group in _GROUPS else found
        if group not in ("", *_GROUPS) or getattr(type(holder), name, None) not in CALLS:
            raise _not_understood(saved, "there is no such change")
        return _called(getattr(holder, name), call)
    except UsageError as error:
        if error.code != "USAGE":
            raise
        raise _not_understood(saved, error.message) from error


_GROUPS = ("columns", "properties", "constraints", "domains", "features")


def _called(method: Any, call: Call) -> Request:
    named = {name: _as_given(value) for name, value in call.arguments.items()}
    several: Any = []
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            several = named.pop(name, [])
    if not isinstance(several, list):
        raise wrong(None, f"{several!r:.80} is not a list")
    found: Request = method(*several, **named)
    return found


def _as_given(value: Any) -> Any:
    """Return the value as a call takes it: JSON has no pairs."""
    if isinstance(value, list):
        return [tuple(pair) if isinstance(pair, list) else pair for pair in value]
    return value


def _not_understood(saved: SavedPlan, why: str) -> InvalidUsageError:
    asked = " ".join(saved.request) or (saved.call.method if saved.call else "nothing")
    hint = "apply it with the deltactl that made it, or save the plan again with this one"
    return InvalidUsageError(
        "REQUEST_NOT_UNDERSTOOD",
        f"the plan was asked for with {asked!r}, which this deltactl does not understand: {why}",
        hint=hint if saved.call else "deltactl apply FILE",
    )
