"""Checks of the arguments of public calls, by the types that their parameters are declared with."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import GenericAlias, NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, Unpack, get_args, get_origin
from typing import get_type_hints as hints_of

from deltactl.errors import UsageError

MAX_LONG = (1 << 63) - 1
"""Versions and what else logs hold are numbers of Java."""

_WORDS = {
    NoneType: "None",
    datetime: "datetime with a time zone",
    int: "int (0 or more)",
    str: "str (UTF-8)",
}

P = ParamSpec("P")
T = TypeVar("T")


def checks_arguments(method: Callable[P, T]) -> Callable[P, T]:
    """Have `method` raise UsageError, with the argument's name, before it does anything."""

    # A command makes one call of the many that its modules have.
    @functools.cache
    def declared() -> tuple[inspect.Signature, Mapping[str, Any]]:
        return inspect.signature(method), hints_of(method)

    @functools.wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        signature, hints = declared()
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as error:
            quoted = str(error).split("'")
            name = quoted[1] if len(quoted) > 1 else None
            raise wrong(name, f"{method.__name__}() {error}") from None
        for name, value in bound.arguments.items():
            if name not in hints:
                continue
            if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                _check(name, value, GenericAlias(Sequence, (hints[name],)))
            elif get_origin(hints[name]) is Unpack:
                _check_options(method.__name__, value, get_args(hints[name])[0])
            else:
                _check(name, value, hints[name])
        return method(*args, **kwargs)

    return call


def wrong(argument: str | None, message: str) -> UsageError:
    """Return the error for an argument that cannot be used."""
    return UsageError("USAGE", message, details={"argument": argument})


def _check_options(method: str, given: Mapping[str, Any], options: Any) -> None:
    known = hints_of(options)
    for name, value in given.items():
        if name not in known:
            raise wrong(name, f"{method}() has no argument {name!r}; it has {', '.join(known)}")
        _check(name, value, known[name])


def _check(name: str, value: Any, hint: Any) -> None:
    if not _fits(value, hint):
        raise wrong(name, f"{name} must be {_words(hint)}, not {value!r:.80}")


def _fits(value: Any, hint: Any) -> bool:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if origin is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(key, parts[0]) and _fits(item, parts[1]) for key, item in value.items()
        )
    if origin is Sequence:
        is_list = isinstance(value, Sequence) and not isinstance(value, str | bytes)
        return is_list and all(_fits(item, parts[0]) for item in value)
    if origin is tuple:
        return (
            isinstance(value, tuple) and len(value) == len(parts) and all(map(_fits, value, parts))
        )
    if hint is str:
        return isinstance(value, str) and _is_utf8(value)
    if hint is int:
        return type(value) is int and 0 <= value <= MAX_LONG
    if hint is datetime:
        # What a time without a zone means, only its owner knows.
        return isinstance(value, datetime) and value.utcoffset() is not None
    if hint is float:
        return type(value) in (int, float)
    # Protocols, and types of other packages, are taken at their word.
    is_own_class = isinstance(hint, type) and not getattr(hint, "_is_protocol", False)
    return not is_own_class or isinstance(value, hint)


def _is_utf8(text: str) -> bool:
    try:
        return bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _words(hint: Any) -> str:
    """Return the type in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return " or ".join(map(_words, parts))
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin is Mapping:
        return f"a mapping from {_words(parts[0])} to {_words(parts[1])}"
    if origin is Sequence:
        return f"a list of {_words(parts[0])}"
    if origin is tuple:
        return f"a tuple ({', '.join(map(_words, parts))})"
    return _WORDS.get(hint) or str(getattr(hint, "__name__", hint))
