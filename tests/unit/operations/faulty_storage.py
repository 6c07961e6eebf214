"""A store that fails on cue, and tables for it."""

from collections.abc import Callable
from pathlib import Path

from small_tables import LEGACY, Action, commit_info, field, metadata, write_log

from deltactl.log.filenames import LOG, commit_name
from deltactl.storage.base import Outcome
from deltactl.storage.local.local import LocalStorage

Cue = Callable[["FaultyStorage", str, bytes], Outcome]


class FaultyStorage(LocalStorage):
    """The store of a folder; each of `cues` stands in for one claim of a commit, in order."""

    def __init__(self, uri: str, *cues: Cue) -> None:
        super().__init__(uri)
        self.cues = list(cues)
        self.claimed: list[str] = []

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        if not path.endswith(".json"):
            return super().put_if_absent(path, data)
        self.claimed.append(path)
        if self.cues:
            return self.cues.pop(0)(self, path, data)
        return self.put_really(path, data)

    def put_really(self, path: str, data: bytes) -> Outcome:
        return super().put_if_absent(path, data)


def loses_to(*actions: Action) -> Cue:
    """Another writer commits just before."""

    def cue(storage: FaultyStorage, path: str, data: bytes) -> Outcome:
        add_commit(storage.uri, *actions)
        return storage.put_really(path, data)

    return cue


def add_commit(uri: str, *actions: Action) -> int:
    """Commit the actions as the next version of the table, which is returned."""
    log = Path(uri) / LOG
    version = 1 + max(int(path.name[:20]) for path in log.glob("*.json"))
    write_log_file(log / commit_name(version), *actions)
    return version


def write_log_file(path: Path, *actions: Action) -> None:
    folder = path.parent.parent / "other"
    folder.mkdir()
    written = write_log(folder, [list(actions)])
    (Path(written) / LOG / commit_name(0)).rename(path)
    (Path(written) / LOG).rmdir()
    folder.rmdir()


def plain_table(root: Path, **configuration: str) -> str:
    """A table with the column `a int`, at version 0."""
    return write_log(root, [[LEGACY, metadata(field("a", "integer"), **configuration)]])


def append(path: str = "a.parquet") -> list[Action]:
    add = {
        "path": path,
        "partitionValues": {},
        "size": 1,
        "modificationTime": 1,
        "dataChange": True,
        "stats": '{"numRecords":1}',
    }
    return [commit_info(engineInfo="other/1", timestamp=1767322800000), {"add": add}]
