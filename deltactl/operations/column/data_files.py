"""What data files say against a new column. It loads pyarrow, which few changes need."""

from itertools import islice

import pyarrow.compute as pc

from deltactl.log.paths import canonical
from deltactl.model.schema import Path
from deltactl.table.files import prepare_state
from deltactl.table.footers import UnreadableFileError, read_type
from deltactl.table.live_adds import live_adds
from deltactl.table.snapshot import Snapshot

# So many of the newest files are asked.
LOOKED_AT = 3


def has_files(snapshot: Snapshot) -> bool:
    """Whether the table has any data file."""
    return next(live_adds(prepare_state(snapshot)), None) is not None


def count_files(snapshot: Snapshot) -> tuple[int, int]:
    """How many data files the table has, and how many bytes they are together."""
    files = size = 0
    for batch in prepare_state(snapshot).batches(("size",)):
        files += batch.num_rows
        size += pc.sum(batch.column("size")).as_py() or 0
    return files, size


def held_already(snapshot: Snapshot, path: Path) -> tuple[str, str] | None:
    """One of the newest files that holds a column of that name, and its type there; else None."""
    state, storage = prepare_state(snapshot), snapshot.log.storage
    for add in islice(live_adds(state), LOOKED_AT):
        try:
            held = read_type(storage, canonical(add.path), path, None)
        except UnreadableFileError:
            continue  # What it holds nobody can read, whatever the schema says.
        if held is not None:
            return add.path, held
    return None
