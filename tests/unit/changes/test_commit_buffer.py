"""The text of a commit with files, which goes through a temporary file."""

import errno
import tempfile
from pathlib import Path
from typing import Any

import pytest
from drafts import draft_of
from faulty_storage import append
from small_tables import LEGACY, field, metadata

from deltactl.changes.commit_buffer import commit_buffer
from deltactl.changes.file_changes import FileActions
from deltactl.changes.plan import CommitPlan
from deltactl.errors import StorageError
from deltactl.log.commit.commit_text import CommitContext

CONTEXT = CommitContext(time=5, txn_id="t", in_commit_timestamp=None, message=None)
ADD = append()[1]["add"]


@pytest.fixture
def plan(tmp_path: Path) -> CommitPlan:
    draft = draft_of(tmp_path, [LEGACY, metadata(field("a", "integer"))])
    draft.file_actions = FileActions(1, (), lambda: iter([("add", ADD)]))
    plan = draft.plan("OPTIMIZE", {})
    assert isinstance(plan, CommitPlan)
    return plan


def test_it_is_in_a_file_that_goes_with_it(plan: CommitPlan) -> None:
    with commit_buffer(plan, CONTEXT) as body:
        assert body.local_file is not None
        file = Path(body.local_file)
        assert (file.read_bytes(), file.stat().st_size) == (body.head, body.size)
        info, add = body.head.splitlines()
        assert info.startswith(b'{"commitInfo":{')
        assert add.startswith(b'{"add":{"path":"a.parquet"')
    assert not file.exists()


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "DISK_FULL"),
        (errno.EDQUOT, "DISK_FULL"),
        (errno.EIO, "STORAGE_FAILED"),
        (errno.EACCES, "STORAGE_FAILED"),
    ],
)
def test_a_temporary_file_that_cannot_be_made(
    plan: CommitPlan, monkeypatch: pytest.MonkeyPatch, number: int, code: str
) -> None:
    def fails(**_: Any) -> None:
        raise OSError(number, "no luck")

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", fails)
    with pytest.raises(StorageError) as caught, commit_buffer(plan, CONTEXT):
        pass
    assert caught.value.code == code
    assert caught.value.message.endswith(": no luck; nothing was written to the table")
