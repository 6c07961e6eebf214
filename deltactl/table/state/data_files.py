"""What data files say against a new column. It loads pyarrow, which few changes need."""

from contextlib import suppress
from itertools import islice

from deltactl.log.paths import canonical
from deltactl.spec.schema.schema import Path
from deltactl.table.parquet.footers import FileTypes, UnreadableFileError, read_types
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds

# So many of the newest files are asked.
LOOKED_AT = 3


def has_files(snapshot: Snapshot) -> bool:
    """Return whether the table has any data file."""
    return next(live_adds(prepare_state(snapshot)), None) is not None


class NewestFiles:
    """The types in which the newest files hold columns; the footer of each is read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        storage = snapshot.log.storage
        self._files: list[tuple[str, FileTypes]] = []
        for add in islice(live_adds(prepare_state(snapshot)), LOOKED_AT):
            # Without its footer it is unknown what the file holds.
            with suppress(UnreadableFileError):
                self._files.append((add.path, read_types(storage, canonical(add.path))))

    def holding(self, path: Path) -> tuple[str, str] | None:
        """Return a file that holds a column of that name, and its type there; else None."""
        for file, types in self._files:
            if (held := types.type_of(path, None)) is not None:
                return file, held
        return None
