"""Checks of the arguments of public calls, by the types that their parameters are declared with."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from os import PathLike, fspath
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, Unpack, get_args, get_origin
from typing import get_type_hints as hints_of

from deltactl.errors import UsageError
from deltactl.spec.versions import VersionsBack

MAX_LONG = (1 << 63) - 1
"""Versions and what else logs hold are numbers of Java."""

LONGEST = 1e9
"""What is no whole number is seconds: longer waits overflow the clocks of a machine."""

_WORDS = {
    float: "a number of seconds, more than 0",
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
            raise wrong(name, f"{_called(method)}() {error}") from None
        for name, value in bound.arguments.items():
            if name not in hints:
                continue
            if signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL:
                for one in value:
                    _check(name, one, hints[name])
            elif get_origin(hints[name]) is Unpack:
                _check_options(_called(method), value, get_args(hints[name])[0])
            else:
                _check(name, value, hints[name])
        return method(*args, **kwargs)

    return call


def checks_fields(cls: type[T]) -> type[T]:
    """Have a dataclass raise UsageError, with the field's name, where it is made."""
    cls.__init__ = checks_arguments(cls.__init__)  # type: ignore[method-assign] # of one signature
    return cls


def wrong(argument: str | None, message: str) -> UsageError:
    """Return the error for an argument that cannot be used."""
    return UsageError("USAGE", message, details={"argument": argument})


def file_of(path: str | PathLike[str]) -> str:
    """Return the name of a file that a caller gave as `path`.

    Raises:
        UsageError: no file can have it.
    """
    if "\0" in (file := fspath(path)):
        raise wrong("path", "path has a null character in it")
    return file


def _called(method: Callable[..., Any]) -> str:
    return method.__qualname__.removesuffix(".__init__").rpartition(".")[2]


def _check_options(method: str, given: Mapping[str, Any], options: Any) -> None:
    known = hints_of(options)
    for name, value in given.items():
        if name not in known:
            raise wrong(name, f"{method}() has no argument {name!r}; it has {', '.join(known)}")
        _check(name, value, known[name])


def _check(name: str, value: Any, hint: Any) -> None:
    if not _fits(value, hint):
        raise wrong(name, f"{name} must be {_words(hint)}, not {_shown(value)}")


def _fits(value: Any, hint: Any) -> bool:
    if hint is str:
        return isinstance(value, str) and _is_utf8(value)
    origin, parts = _parts(hint)
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
    if hint is int:
        return type(value) is int and 0 <= value <= MAX_LONG
    if hint is datetime:
        # What a time without a zone means, only its owner knows.
        return isinstance(value, datetime) and value.utcoffset() is not None
    if hint is float:
        return type(value) in (int, float) and 0 < value <= LONGEST
    if origin is PathLike:
        return isinstance(value, PathLike) and _fits(value.__fspath__(), parts[0])
    if getattr(hint, "_is_protocol", False):
        return isinstance(value, hint)  # which have the same methods
    return not isinstance(hint, type) or isinstance(value, hint)


@functools.cache
def _parts(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    # Each member of a list is asked for its type by the same hint.
    return get_origin(hint), get_args(hint)


def _shown(value: Any) -> str:
    """Return the value, or its type only if it may hold others, secrets among them."""
    is_one = value is None or isinstance(value, str | int | float)
    return f"{value!r:.80}" if is_one else type(value).__name__


def _is_utf8(text: str) -> bool:
    try:
        return bool(text.encode() or True)
    except UnicodeEncodeError:
        return False


def _words(hint: Any) -> str:
    """Return the type in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        # Versions are counted back on the command line; programs can subtract.
        return " or ".join(_words(part) for part in parts if part is not VersionsBack)
    if origin is Literal:
        return " or ".join(map(repr, parts))
    if origin is Mapping:
        return f"a mapping from {_words(parts[0])} to {_words(parts[1])}"
    if origin is Sequence:
        return f"a list of {_words(parts[0])}"
    if origin is tuple:
        return f"a tuple ({', '.join(map(_words, parts))})"
    return _WORDS.get(hint) or str(getattr(hint, "__name__", hint))
