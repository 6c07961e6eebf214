"""What the file actions of the newest commit say against building on it."""

import re
from collections.abc import Iterator

from deltactl.errors import Notice
from deltactl.log.paths import is_encoded
from deltactl.log.replay import Replay
from deltactl.table.snapshot import Snapshot

# A longer commit is the work of an engine on a large table; to look into it would take too long.
LONGEST = 32 << 20
_ODD_PATH = re.compile(rb'"path"\s*:\s*"[^"]*[^!-~"]')


def newest_commit_warnings(snapshot: Snapshot) -> Iterator[Notice]:
    """Yield what is odd about the files that the newest commit adds and removes.

    Raises:
        BrokenLogError: an action is malformed.
    """
    entry = snapshot.segment.entries[-1] if snapshot.segment.entries else None
    if entry is None or entry.is_compacted or entry.file.size > LONGEST:
        return
    name = entry.file.name
    blocks = list(snapshot.log.blocks(entry.file))
    whole = b"".join(block for _, block in blocks)
    moves = b'"add"' in whole and b'"remove"' in whole
    if not (moves or _ODD_PATH.search(whole)):
        return
    replay = Replay(keep_stats=False)
    for first, block in blocks:
        replay.apply(block, name, first)
    yield from replay.notices
    for add in replay.files.values():
        if add is not None and not is_encoded(add.path):
            yield Notice("PATH_NOT_ENCODED", f"{name}: the path {add.path!r} is not URI-encoded")
