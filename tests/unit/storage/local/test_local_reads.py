"""Reading from a folder of this machine: times, folders among files, and reads that fail."""

import errno
import os
from pathlib import Path

import pytest

from deltactl.errors import StorageError
from deltactl.log.filenames import LogFile
from deltactl.storage.local.local import LocalStorage


def fails(*args: object) -> bytes:
    raise OSError(errno.EIO, "Input/output error")


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    (tmp_path / "a.parquet").write_bytes(b"0123456789")
    (tmp_path / "folder").mkdir()
    return LocalStorage(str(tmp_path))


def test_a_file_has_its_size_and_its_time_in_milliseconds(storage: LocalStorage) -> None:
    os.utime(f"{storage.uri}/a.parquet", ns=(1_767_322_800_123_999_999,) * 2)
    assert storage.head("a.parquet") == LogFile("a.parquet", 10, 1_767_322_800_123)


def test_a_listing_is_sorted_whatever_the_system_answers(
    storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("b", "d", "c"):
        Path(storage.uri, name).touch()
    own = os.listdir
    monkeypatch.setattr(os, "listdir", lambda place: sorted(own(place), reverse=True))
    found = [file.name for file in storage.list_from("")]
    assert found == ["a.parquet", "b", "c", "d"], "files alone, in order"
    assert [file.name for file in storage.list_from("", "b")] == ["b", "c", "d"]
    assert [file.name for file in storage.list_from("", "ba")] == ["c", "d"]
    assert [*storage.list_from("no such folder")] == []


def test_a_folder_counts_as_a_missing_file(storage: LocalStorage) -> None:
    for ask in (storage.head, storage.source, storage.read):
        with pytest.raises(FileNotFoundError):
            ask("folder")
    with storage.opened("") as read, pytest.raises(FileNotFoundError):
        read("folder", 0, 4)


def test_a_read_that_fails_is_an_error(
    storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "pread", fails)
    with pytest.raises(StorageError) as caught:
        storage.read("a.parquet", 0, 4)
    assert caught.value.code == "STORAGE_FAILED"
    assert caught.value.message == f"{storage.uri}/a.parquet: Input/output error"
    with storage.opened("") as read, pytest.raises(StorageError):
        read("a.parquet", 0, 4)


def test_a_file_that_may_not_be_opened_is_an_error(
    storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(*args: object, **more: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(StorageError) as caught:
        storage.read("a.parquet")
    assert caught.value.code == "PERMISSION_DENIED"


def test_no_descriptor_stays_open(storage: LocalStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    really = os.open

    def noted(*args: object, **more: object) -> int:
        opened.append(really(*args, **more))
        return opened[-1]

    monkeypatch.setattr(os, "open", noted)
    with storage.opened("") as read:
        assert read("a.parquet", 2, 3) == b"234"
        assert read("a.parquet", 8, 9) == b"89"
    storage.read("a.parquet")
    storage.list_from("")
    assert len(opened) >= 5
    for descriptor in opened:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("_delta_log/00000000000000000000.json", "LOG_FILE_NOT_REGULAR"),
        ("part.parquet", "FILE_NOT_REGULAR"),
    ],
)
def test_a_named_pipe_is_no_file_of_a_table(storage: LocalStorage, path: str, code: str) -> None:
    pipe = Path(storage.uri, path)
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    with pytest.raises(Exception, match="a named pipe") as caught:
        storage.head(path)
    assert caught.value.code == code
