"""Whether a store creates an object only if none is: asked of it before the first commit."""

import hashlib
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress

from deltactl.errors import StorageError
from deltactl.log.filenames import LOG
from deltactl.storage.base import InterruptedWriteError, Outcome
from deltactl.storage.user_cache import cache_folder, put

Create = Callable[[str, bytes], Outcome]


def check_creates_once(
    bucket: str, create: Create, delete: Callable[[str], None], environ: Mapping[str, str]
) -> None:
    """Create a file in the log twice, unless this was done for the `bucket` before.

    `bucket` names it together with its endpoint. A store that is not known to refuse the second
    time is not a place for commits: two writers would both be told that theirs is there.

    Raises:
        StorageError: the store does not refuse, or does not let us try. Nothing else was written.
    """
    known = cache_folder(environ) / "stores" / hashlib.sha256(bucket.encode()).hexdigest()
    if known.exists():
        return
    scratch = f"{LOG}/.deltactl-probe-{uuid.uuid4()}"
    try:
        # One that exists already can only be our own first try, whose answer was lost.
        first = create(scratch, b"1")
        second = create(scratch, b"2") if first != "unknown" else first
    except InterruptedWriteError:
        raise KeyboardInterrupt from None  # what may appear is read by no one
    finally:
        # Without permission to delete, the probe file stays; commits still work.
        with suppress(StorageError):
            delete(scratch)
    if second == "unknown":
        raise StorageError(
            "STORE_BUSY",
            f"{bucket} did not answer whether it creates a file only where none is",
            hint="nothing was written; run it again later",
        )
    if second == "won":
        raise not_once(bucket)
    try:
        put(known, f"{bucket}\n".encode())
    except OSError:
        return  # It is asked again the next time.


def not_once(bucket: str) -> StorageError:
    """Return the error for a store that does not know of conditions."""
    return StorageError(
        "NO_ATOMIC_CREATE",
        f"{bucket} does not create a file only where none is: two writers could both commit the "
        "same version there",
        hint="keep the table in a store that knows If-None-Match (S3, Azure, Google Cloud do)",
    )
