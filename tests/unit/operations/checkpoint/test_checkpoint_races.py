"""Checkpoints while others write: what is theirs stays, and no two make one together."""

import errno
import json
import os
import tempfile
from functools import partial
from pathlib import Path

import pytest
from small_tables import LEGACY, commit_info, field, metadata, protocol, write_log

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.log_file_executor import LogFileExecutor
from deltactl.errors import ConflictError, InterruptedRunError, StorageError
from deltactl.log.filenames import CheckpointKind
from deltactl.operations.checkpoint.checkpoint import (
    CheckpointReport,
    CheckpointRequest,
    plan_checkpoint,
)
from deltactl.storage.base import Outcome
from deltactl.storage.local.local import LocalStorage
from deltactl.table.table import Table

HEAD = metadata(field("id", "long"))


class Busy(LocalStorage):
    """A store in which something happens right before the file that ends in `before` is put."""

    def __init__(self, uri: str, before: str, happens) -> None:
        super().__init__(uri)
        self._before = before
        self._happens = happens

    def put_file_if_absent(self, path: str, local_file: str) -> Outcome:
        if path.endswith(self._before):
            self._happens(Path(self.uri, path))
        return super().put_file_if_absent(path, local_file)


AS_EVER = CheckpointRequest()


def checkpoint(storage: LocalStorage, request: CheckpointRequest = AS_EVER) -> CheckpointReport:
    planner = partial(plan_checkpoint, request=request)
    return LogFileExecutor(Table(storage), planner, CommitOptions(), CheckpointReport).execute()


def plain(root: Path) -> str:
    return write_log(root, [[commit_info(), LEGACY, HEAD]])


def names(uri: str) -> list[str]:
    return sorted(os.listdir(Path(uri, "_delta_log")))


COMMIT = f"{0:020d}.json"
PARTS = CheckpointRequest(kind=CheckpointKind.MULTIPART, parts=3)


def test_no_checkpoint_is_made_of_parts_of_two_writers(tmp_path: Path) -> None:
    uri = plain(tmp_path)
    part = f"{0:020d}.checkpoint.0000000002.0000000003.parquet"
    with pytest.raises(ConflictError) as error:
        checkpoint(Busy(uri, part, lambda path: path.write_bytes(b"theirs")), PARTS)
    assert error.value.code == "LOG_FILE_APPEARED"
    assert error.value.table is not None
    assert error.value.table["uri"] == uri
    assert names(uri) == [part, COMMIT]
    assert Path(uri, "_delta_log", part).read_bytes() == b"theirs"


def test_ctrl_c_says_what_was_written(tmp_path: Path) -> None:
    def stop(_: Path) -> None:
        raise KeyboardInterrupt

    uri = plain(tmp_path)
    with pytest.raises(InterruptedRunError) as error:
        checkpoint(Busy(uri, "2.0000000003.parquet", stop), PARTS)
    first = f"{0:020d}.checkpoint.0000000001.0000000003.parquet"
    assert error.value.message == f"interrupted; written: _delta_log/{first}"
    assert names(uri) == [first, COMMIT]
    report = checkpoint(LocalStorage(uri), CheckpointRequest(repair=True))
    assert report.checkpoint is not None
    assert report.checkpoint.kind is CheckpointKind.CLASSIC


def test_a_newer_hint_of_another_writer_stays(tmp_path: Path) -> None:
    def write_newer(path: Path) -> None:
        for version in range(1, 6):
            path.with_name(f"{version:020d}.json").write_text('{"commitInfo":{}}')
        path.with_name("_last_checkpoint").write_text('{"version":5,"size":2}')

    uri = plain(tmp_path)
    checkpoint(Busy(uri, ".parquet", write_newer))
    hint = Path(uri, "_delta_log", "_last_checkpoint").read_text()
    assert json.loads(hint) == {"version": 5, "size": 2}


def hinted(uri: str) -> int | None:
    path = Path(uri, "_delta_log", "_last_checkpoint")
    found = json.loads(path.read_text())["version"] if path.exists() else None
    assert found is None or type(found) is int
    return found


@pytest.mark.parametrize(("held", "at", "after"), [(0, 1, 1), (None, 1, 1), (None, 0, None)])
def test_the_hint_of_a_checkpoint_that_exists(
    tmp_path: Path, held: int | None, at: int, after: int | None
) -> None:
    uri = write_log(tmp_path, [[commit_info(), LEGACY, HEAD], [commit_info()]])

    def made(version: int) -> CheckpointReport:
        planner = partial(plan_checkpoint, request=AS_EVER)
        options = CommitOptions()
        table = Table(LocalStorage(uri))
        return LogFileExecutor(table, planner, options, CheckpointReport, at=version).execute()

    made(0)
    made(1)
    assert hinted(uri) == 1
    hint = Path(uri, "_delta_log", "_last_checkpoint")
    hint.unlink()
    if held is not None:
        hint.write_text(json.dumps({"version": held, "size": 2}))
    made(at)
    assert hinted(uri) == after


@pytest.mark.parametrize(("features", "is_refused"), [(["x"], True), ([], False)])
def test_protected_versions(tmp_path: Path, features: list[str], is_refused: bool) -> None:
    then = protocol(writer=["invariants", *features])
    now = protocol(writer=["invariants", "checkpointProtection"])
    head = metadata(field("id", "long"), requireCheckpointProtectionBeforeVersion="1")
    uri = write_log(tmp_path, [[commit_info(), then, HEAD], [commit_info(), now, head]])
    planner = partial(plan_checkpoint, request=CheckpointRequest())
    changer = LogFileExecutor(
        Table(LocalStorage(uri)), planner, CommitOptions(), CheckpointReport, at=0
    )
    codes = [refusal.code for refusal in changer.execute().plan.refusals]
    assert codes == (["UNSUPPORTED_WRITER_FEATURE", "CHECKPOINT_PROTECTED"] if is_refused else [])


def test_without_a_folder_for_temporary_files_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uri = plain(tmp_path)

    def fails(**_: object) -> None:
        raise OSError(errno.ENOENT, "No such file or directory")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", fails)
    with pytest.raises(StorageError) as caught:
        checkpoint(LocalStorage(uri))
    assert (caught.value.code, names(uri)) == ("TEMPORARY_FILE_FAILED", [COMMIT])
