"""The tables below a folder, or at places that are known."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath

from deltactl.api.arguments import checks_arguments
from deltactl.errors import DeltactlError
from deltactl.operations.inspect.tables import (
    TableLine,
    TablePlace,
    TablesReport,
    Watch,
    report_aliases,
    report_tables_below,
)
from deltactl.storage.base import Storage
from deltactl.storage.locate import locate_folder
from deltactl.storage.options.settings import StoreSettings
from deltactl.storage.urls import is_remote
from deltactl.table.table import Table, open_table
from deltactl.text.hints import words_of

DEPTH = 5
"""How many folders below the first one are searched by default."""

Opener = Callable[[], Table]


@dataclass(frozen=True, kw_only=True)
class FoundTable:
    """A table that was found, and what is cheap to know of it.

    Attributes:
        uri: its path or URL.
        version: its newest version, None if it cannot be opened.
        files: its live files, None if they were not counted.
        size: their bytes, None if they were not counted.
        error: why it cannot be opened, None if it can.
    """

    uri: str
    version: int | None = None
    files: int | None = None
    size: int | None = None
    error: DeltactlError | None = None


@checks_arguments
def find_tables(
    uri: str | PathLike[str],
    *,
    depth: int = DEPTH,
    storage_options: Mapping[str, str] | None = None,
    timeout: float = 60.0,
) -> tuple[FoundTable, ...]:
    """Return the Delta tables in a folder and below it, in the order of their paths.

    Folders inside of a table are not searched, nor those whose names begin with `.` or `_`.

    >>> [(found.uri, found.version) for found in deltactl.find_tables(".")]
    [('./events', 0)]

    Args:
        uri: a path, or a URL of a store.
        depth: how many folders below it are searched.
        storage_options: options of the store, such as `AWS_REGION`.
        timeout: how many seconds the store may take for an answer.

    Raises:
        NotFoundError: there is no such folder.
    """
    settings, place = StoreSettings(dict(storage_options or {}), timeout), fspath(uri)
    folder = locate_folder(place, settings)
    report = tables_below(folder, settings, depth, partial(_place, place))
    return tuple(map(_found, report.lines))


def tables_below(
    folder: Storage,
    settings: StoreSettings,
    depth: int,
    place: Callable[[str], TablePlace],
    watch: Watch = lambda done, given: None,
) -> TablesReport:
    """Return the tables in `folder` and below; `place` says where one at a path in it is."""
    return report_tables_below(
        folder, depth, place, lambda found: open_table(found.uri, settings), watch
    )


def tables_at(places: Mapping[TablePlace, Opener], watch: Watch) -> TablesReport:
    """Return what the table of each place is; the function next to it opens it."""
    return report_aliases(places, watch)


def joined(folder: str, path: str) -> str:
    """Return the path or the URL of what lies at `path` in a folder, "" for the folder."""
    return f"{folder if is_remote(folder) else folder.rstrip('/')}/{path}" if path else folder


def _place(folder: str, path: str) -> TablePlace:
    uri = joined(folder, path)
    return TablePlace(path or ".", uri, words_of(uri), uri)


def _found(line: TableLine) -> FoundTable:
    if isinstance(line.found, DeltactlError):
        return FoundTable(uri=line.place.uri, error=line.found)
    facts = line.found
    return FoundTable(uri=line.place.uri, version=facts.version, files=facts.files, size=facts.size)
