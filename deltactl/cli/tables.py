"""Opening the table, or the folder, that was named on the command line."""

from collections.abc import Iterator
from contextlib import contextmanager

from deltactl.api.reading.reports import Reports
from deltactl.cli.session import Session
from deltactl.errors import NotFoundError
from deltactl.storage.base import Storage
from deltactl.storage.locate import locate_folder
from deltactl.storage.urls import is_remote
from deltactl.table.table import Table, open_table
from deltactl.text.suggestions import nearest


def open_named(session: Session, text: str) -> Table:
    """Open the table at the path or URL `text`, or of that name in `[tables]`.

    Raises:
        NotFoundError: nothing is there, or it is not a table; names near `text` are in the hint.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    session.invocation.tables.add(text)
    with suggesting_names(session, text):
        table = open_table(session.table_uri(text), session.store_settings(text))
    _note_transport(session, table.storage)
    return table


def open_alias(session: Session, name: str) -> Table:
    """Open the table of a name in `[tables]`, one of several, and say nothing about it."""
    return open_uri(session, session.table_uri(name), name)


def open_uri(session: Session, uri: str, named: str) -> Table:
    """Open the table at a path or a URL with the settings of the table that `named` stands for."""
    return open_table(uri, session.store_settings(named))


def reports_of(session: Session, text: str) -> Reports:
    """Return the reports of the table that `text` names, which each of them opens."""
    return Reports(lambda: open_named(session, text), session.progress)


def open_folder(session: Session, text: str) -> Storage:
    """Open the folder at the path or URL `text`, or of that name in `[tables]`: a table or none.

    Raises:
        NotFoundError: no folder is there; names near `text` are in the hint.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    with suggesting_names(session, text):
        storage = locate_folder(session.table_uri(text), session.store_settings(text))
    _note_transport(session, storage)
    return storage


def _note_transport(session: Session, storage: Storage) -> None:
    if session.settings.verbose and is_remote(storage.uri):
        session.note(f"{storage.uri} is read by {storage.transport}")


@contextmanager
def suggesting_names(session: Session, text: str) -> Iterator[None]:
    """Have what is not found come with the names in `[tables]` that are near `text`."""
    names = session.settings.tables
    try:
        yield
    except NotFoundError as error:
        near = () if text in names else nearest(text, names)
        if not near:
            raise
        hint = f"did you mean {' or '.join(near)}, of [tables] in deltactl.toml?"
        raise NotFoundError(error.code, error.message, hint=hint, details=error.details) from error
