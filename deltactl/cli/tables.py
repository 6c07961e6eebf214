"""Opening the table that was named on the command line."""

from deltactl.cli.context import Session
from deltactl.errors import NotFoundError
from deltactl.model.nearest import nearest
from deltactl.table.table import Table, open_table


def open_named(session: Session, text: str) -> Table:
    """Open the table at the path or URL `text`, or of that name in `[tables]`.

    Raises:
        NotFoundError: nothing is there, or it is not a table; names near `text` are in the hint.
        StorageError: permissions, or a kind of store that deltactl does not reach.
    """
    names = session.settings.tables
    session.invocation.tables.add(text)
    try:
        return open_table(session.table_uri(text))
    except NotFoundError as error:
        near = () if text in names else nearest(text, names)
        if not near:
            raise
        hint = f"did you mean {' or '.join(near)}, of [tables] in deltactl.toml?"
        raise NotFoundError(error.code, error.message, hint=hint, details=error.details) from error
