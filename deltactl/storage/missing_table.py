"""A table was looked for where none is: whether anything is there, and what is near."""

from collections.abc import Iterator

from deltactl.errors import DeltactlError, NotFoundError
from deltactl.log.filenames import LOG
from deltactl.storage.base import Storage
from deltactl.text.hints import Command, Words
from deltactl.text.suggestions import nearest

# A hint is worth a few more listings, and no more than that.
LEVELS = 3


def no_table(storage: Storage) -> NotFoundError:
    """Return the error for a log without a version; its hint names what may be meant."""
    uri = storage.uri
    said = f"{uri} is not a Delta table: its {LOG} holds no commit and no checkpoint"
    try:
        within = storage.folders("")
        if within or not is_missing(storage):
            return NotFoundError("NOT_A_TABLE", said, hint=_beside(storage, within))
    except DeltactlError:
        # Only a hint is lost where the folder, or the one above, may not be listed.
        return NotFoundError("NOT_A_TABLE", said)
    said = f"no table at {uri}: nothing is there"
    return NotFoundError("TABLE_NOT_FOUND", said, hint=nearby(storage))


def is_missing(storage: Storage) -> bool:
    """Return whether nothing is at the place of a store, which has no folder in it.

    The root of a bucket is there; so is a folder without content, if the store knows of one.

    Raises:
        StorageError: a folder may not be listed.
    """
    for _, name, names in _above(storage):
        return name not in names and not _is_file(storage) and not storage.list_from("")
    return False


def nearby(storage: Storage) -> str | None:
    """Return what is named like a missing place, in the nearest folder that exists."""
    try:
        for above, name, names in _above(storage):
            if LOG in names:
                return _did_you_mean(above)
            if names:
                near = nearest(name, names) if name not in names else ()
                return _did_you_mean(*(f"{above}/{n}" for n in near)) if near else None
    except DeltactlError:
        pass  # Only a hint is lost where a folder above may not be listed.
    return None


def _beside(storage: Storage, within: list[str]) -> str | Words | None:
    """Return what else may have been meant by a place that exists, and has these folders in it."""
    if LOG not in within:
        for above, name, names in _above(storage):
            if LOG in names:
                return _did_you_mean(above) if name == LOG else f"it lies in the table {above}"
        if any(not name.startswith((".", "_")) for name in within):
            return Command("tables") + " finds the tables below it"
    for above, name, names in _above(storage):
        near = nearest(name, [other for other in names if other != name])
        return _did_you_mean(*(f"{above}/{n}" for n in near)) if near else None
    return None


def _above(storage: Storage) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each folder above the place, nearest first: its URL, name and folders."""
    above = storage.uri
    for level in range(min(storage.uri.partition("://")[2].count("/"), LEVELS)):
        above, _, name = above.rpartition("/")
        yield above, name, storage.siblings(level)


def _is_file(storage: Storage) -> bool:
    try:
        storage.head("")
    except FileNotFoundError:
        return False
    return True


def _did_you_mean(*places: str) -> str:
    return f"did you mean {' or '.join(places)}?"
