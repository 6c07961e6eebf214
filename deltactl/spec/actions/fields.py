"""Reading the fields of an action, with what to say of one that is not as it must be."""

from typing import Any

from deltactl.errors import BrokenLogError


def malformed(action: str, why: str) -> BrokenLogError:
    """The error of an action that is not as it must be."""
    return BrokenLogError("ACTION_MALFORMED", f"{action}: {why}")


def integer(action: str, body: dict[str, Any], key: str) -> int:
    """Take a whole number that must be there."""
    value = body.pop(key, None)
    if type(value) is not int:
        raise malformed(action, f"{key} must be a whole number, found {value!r:.40}")
    return value


def optional_integer(action: str, body: dict[str, Any], key: str) -> int | None:
    """Take a whole number, be it written as 4.0; None if there is nothing."""
    value = body.pop(key, None)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is int:
        if not -(2**63) <= value < 2**63:
            raise malformed(action, f"{key} does not fit 64 bits")
        return value
    # Kept as found where it is not a number: only what is rewritten must be right.
    if value is not None:
        body[key] = value
    return None


def text(action: str, body: dict[str, Any], key: str) -> str | None:
    """Take a text; None if there is nothing."""
    value = body.pop(key, None)
    if value is None or isinstance(value, str):
        return value
    raise malformed(action, f"{key} must be text, found {value!r:.40}")


def names(action: str, body: dict[str, Any], key: str) -> tuple[str, ...] | None:
    """Take a list of names; None if there is nothing."""
    value = body.pop(key, None)
    if value is None:
        return None
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise malformed(action, f"{key} must be a list of names")
    return tuple(value)
