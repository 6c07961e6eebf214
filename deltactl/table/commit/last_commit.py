"""What a writer must know of the commit that it builds on: when it was made."""

from deltactl.errors import RefusedError
from deltactl.log.commit.commit_lines import search
from deltactl.log.filenames import commit_name
from deltactl.spec.keys import ENABLE_IN_COMMIT_TIMESTAMPS
from deltactl.table.commit_times import in_commit_since
from deltactl.table.snapshot import Snapshot


def last_commit_time(snapshot: Snapshot, *, in_commit: bool) -> int:
    """Return when the version was made: by its commit with `in_commit`, or its file's time.

    Raises:
        RefusedError: it should give its time and does not.
        BrokenLogError: the commit cannot be read.
    """
    log, version = snapshot.log, snapshot.version
    name = commit_name(version)
    file = log.commit_file(version)
    if file is None:
        raise RefusedError(
            "COMMIT_GONE",
            f"{name} is gone: the time of the newest version is not known",
            hint="any commit of Spark makes a new newest version",
        )
    if not in_commit:
        return file.modified
    for _, block in log.blocks(file):
        for found in search(block, "commitInfo", name):
            own = found.body.get("inCommitTimestamp")
            if type(own) is int:
                return own
    raise RefusedError(
        "ICT_MISSING",
        f"{name} has no inCommitTimestamp, though {ENABLE_IN_COMMIT_TIMESTAMPS} is true: "
        "Spark cannot write either",
        hint="the newest commit was made by a writer that does not know in-commit timestamps",
    )


def own_time(snapshot: Snapshot) -> int | None:
    """Return the time that the snapshot's commit gives itself; None if commits give none.

    Raises:
        RefusedError: it should give its time and does not.
        BrokenLogError: the commit cannot be read.
    """
    if in_commit_since(snapshot.protocol, snapshot.metadata) is None:
        return None
    return last_commit_time(snapshot, in_commit=True)
