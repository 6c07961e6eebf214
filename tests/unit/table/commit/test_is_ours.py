"""Whether an existing version is the one that was to be written: all of it counts."""

import os
from pathlib import Path

import pytest

from deltactl.errors import BrokenLogError
from deltactl.storage.local.local import LocalStorage
from deltactl.table.commit.commit import HEAD, CommitBody, is_ours

SHORT = CommitBody(b"ours", 4)
LONG = CommitBody(b"x" * HEAD, HEAD + 1)


@pytest.mark.parametrize(
    ("content", "body", "expected"),
    [
        (None, SHORT, None),
        (b"ours", SHORT, True),
        (b"theirs", SHORT, False),
        (b"ours and more", SHORT, False),
        (b"x" * (HEAD + 1), LONG, True),
        (b"x" * (HEAD + 2), LONG, False),
        (b"x" * HEAD, LONG, False),
        (b"x" * HEAD, CommitBody(b"x" * HEAD, HEAD), True),
        (b"y" * (HEAD + 1), LONG, False),
    ],
    ids=range(9),
)
def test_a_version(
    tmp_path: Path, content: bytes | None, body: CommitBody, expected: bool | None
) -> None:
    (tmp_path / "_delta_log").mkdir()
    if content is not None:
        (tmp_path / "_delta_log" / f"{3:020d}.json").write_bytes(content)
    assert is_ours(LocalStorage(str(tmp_path)), 3, body) is expected


def test_a_pipe_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "_delta_log").mkdir()
    os.mkfifo(tmp_path / "_delta_log" / f"{3:020d}.json")
    with pytest.raises(BrokenLogError):
        is_ours(LocalStorage(str(tmp_path)), 3, SHORT)
