"""When a version was committed: the file's time, or the time that the commit itself gives."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache

from deltactl.errors import NotFoundError, Notice
from deltactl.log.segment import Listing
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.keys import (
    ENABLE_IN_COMMIT_TIMESTAMPS,
    ICT_ENABLEMENT_VERSION,
    IN_COMMIT_TIMESTAMP_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.protocol import supported
from deltactl.text.hints import Command

_EPOCH = date(1970, 1, 1)
_MINUTES = tuple(f"{minute:02d}" for minute in range(60))


def now() -> int:
    """Return the time of this machine, as logs tell times: in milliseconds."""
    return time.time_ns() // 1_000_000


def in_commit_since(protocol: Protocol | None, metadata: Metadata | None) -> int | None:
    """Return the version from which on commits give their own time; None if they do not."""
    if (
        protocol is None
        or metadata is None
        or IN_COMMIT_TIMESTAMP_FEATURE not in supported(protocol)
    ):
        return None
    if not is_enabled(metadata.configuration, ENABLE_IN_COMMIT_TIMESTAMPS):
        return None
    since = metadata.configuration.get(ICT_ENABLEMENT_VERSION, "0")
    return int(since) if since.isdecimal() else 0


def gives_time(version: int, protocol: Protocol | None, metadata: Metadata | None) -> bool:
    """Return whether the commit of the version gives its own time."""
    since = in_commit_since(protocol, metadata)
    return since is not None and version >= since


def file_times(listing: Listing) -> dict[int, int]:
    """Return each commit's file time in milliseconds, raised so that it grows with the version."""
    times: dict[int, int] = {}
    before = None
    for version in sorted(listing.commits):
        time = listing.commits[version].modified
        if before is not None and time <= before:
            time = before + 1
        times[version] = before = time
    return times


def version_at(
    moment: datetime,
    times: Mapping[int, int],
    in_commit: Callable[[int], int | None],
    *,
    newest: bool = True,
) -> tuple[int, Notice | None]:
    """Return the last version at or before `moment`; the newest one, with a notice, after it.

    `times` are the file times of the versions to choose from, which hold the `newest` or not;
    `in_commit` gives a version's own time, None if it has none. Times grow with the version,
    so only a few are looked up.

    Raises:
        NotFoundError: `moment` is before the oldest commit that is left.
    """
    wanted = milliseconds(moment)
    versions = sorted(times)

    def time_of(version: int) -> int:
        own = in_commit(version)
        return times[version] if own is None else own

    low, high = 0, len(versions)
    while low < high:
        middle = (low + high) // 2
        if time_of(versions[middle]) <= wanted:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        oldest = versions[0] if versions else 0
        when = rfc3339(time_of(oldest)) if versions else "unknown"
        raise NotFoundError(
            "TIMESTAMP_BEFORE_HISTORY",
            f"{rfc3339(wanted)} is before the oldest commit, version {oldest} at {when}",
            hint=Command("history") + " lists the versions that there are",
            details={"oldest": oldest, "timestamp": when},
        )
    version = versions[low - 1]
    if newest and low == len(versions) and time_of(version) < wanted:
        said = (
            f"{rfc3339(wanted)} is after the newest commit; "
            f"this is version {version} of {rfc3339(time_of(version))}"
        )
        return version, Notice("TIMESTAMP_AFTER_HISTORY", said)
    return version, None


def milliseconds(moment: datetime) -> int:
    """Return the time since the epoch, cut to the millisecond, as commits have it."""
    return (moment - datetime.fromtimestamp(0, UTC)) // timedelta(milliseconds=1)


def rfc3339(milliseconds: int) -> str:
    """Return the time in UTC to the millisecond."""
    hour, rest = divmod(milliseconds, 3_600_000)
    start = _hour(hour)
    if start is None:
        return f"{milliseconds} ms"
    # Digits cut from a text: formatting each of the numbers takes several times as long.
    minute, rest = divmod(rest, 60_000)
    seconds = str(100_000 + rest)
    return f"{start}{_MINUTES[minute]}:{seconds[1:3]}.{seconds[3:]}Z"


@lru_cache
def _hour(hour: int) -> str | None:
    """Return an hour since 1970 as far as its minutes; None if no calendar has it.

    Kept, for commits that follow one another mostly share it.
    """
    try:
        day = _EPOCH + timedelta(days=hour // 24)
    except OverflowError:
        return None
    return f"{day.isoformat()}T{hour % 24:02d}:"
