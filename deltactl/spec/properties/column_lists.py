"""Lists of columns in one text, as properties and options hold them."""

import re
from collections.abc import Iterable

from deltactl.errors import InvalidUsageError
from deltactl.spec.schema.schema import Path, parse_path
from deltactl.text.identifiers import sql_name

_ENTRY = re.compile(r"(?:[^,`]|`(?:[^`]|``)*`)+")


def parse_columns(text: str) -> tuple[Path, ...]:
    """Read `a, s.x, `b,c``: commas inside backticks belong to a name.

    Raises:
        InvalidUsageError: an entry is empty or is not a column path.
    """
    entries, position = [], 0
    while found := _ENTRY.match(text, position):
        entries.append(parse_path(found[0].strip()))
        position = found.end()
        if position == len(text):
            return tuple(entries)
        if text[position] != ",":
            break
        position += 1
    raise InvalidUsageError(
        "BAD_COLUMN_LIST",
        f"{text!r} is not a list of columns",
        hint="write a,s.x; backticks round a name that has a comma: `a,b`,c",
    )


def after_rename(text: str, old: Path, new: Path) -> str:
    """Return the list after `old` was renamed; the same text if it is not in the list.

    Raises:
        InvalidUsageError: the text is not a list of columns.
    """
    paths = parse_columns(text)
    if not any(_is_below(path, old) for path in paths):
        return text
    return format_columns(
        [(*new, *path[len(old) :]) if _is_below(path, old) else path for path in paths]
    )


def after_drop(text: str, dropped: Path) -> str:
    """Return the list without `dropped` and what is below it; empty if nothing is left.

    Raises:
        InvalidUsageError: the text is not a list of columns.
    """
    paths = parse_columns(text)
    left = [path for path in paths if not _is_below(path, dropped)]
    return text if len(left) == len(paths) else format_columns(left)


def format_columns(paths: Iterable[Path]) -> str:
    """Return the list as `parse_columns`, and every engine, reads it."""
    return ",".join(".".join(map(sql_name, path)) for path in paths)


def _is_below(path: Path, above: Path) -> bool:
    """Return whether `path` is `above` or leads on from there, ignoring case."""
    head = [name.casefold() for name in path[: len(above)]]
    return head == [name.casefold() for name in above]
