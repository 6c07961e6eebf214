"""Files of the log beside commits: put once, and the hint never set back."""

import os
from pathlib import Path

import pytest

from deltactl.errors import ConflictError, OutcomeUnknownError, StorageError
from deltactl.storage.base import Outcome
from deltactl.storage.local.local import LocalStorage
from deltactl.table.commit.log_files import (
    Stored,
    advance_hint,
    clear_abandoned_scratch,
    move_aside,
    put_new,
    scratch_folder,
    undo_put,
)

PATH = "_delta_log/00000000000000000001.checkpoint.parquet"


class Answers(LocalStorage):
    """A store that puts a file, or not, and answers what it was told to answer."""

    def __init__(self, uri: str, *, lands: bool, answer: Outcome | StorageError) -> None:
        super().__init__(uri)
        self._lands = lands
        self._answer = answer

    def put_if_absent(self, path: str, data: bytes) -> Outcome:
        if self._lands:
            super().put_if_absent(path, data)
        if isinstance(self._answer, StorageError):
            raise self._answer
        return self._answer


REFUSED = StorageError("STORAGE_FAILED", "no")


@pytest.mark.parametrize("answer", ["won", "unknown", "exists", REFUSED], ids=str)
def test_a_file_that_is_there_as_it_should_be_was_put(tmp_path: Path, answer) -> None:
    put_new(Answers(str(tmp_path), lands=True, answer=answer), PATH, data=b"x", local_file=None)
    assert (tmp_path / PATH).read_bytes() == b"x"


@pytest.mark.parametrize(
    ("answer", "raised"), [("unknown", OutcomeUnknownError), (REFUSED, StorageError)], ids=str
)
def test_a_file_that_is_not_there_was_not_put(tmp_path: Path, answer, raised) -> None:
    with pytest.raises(raised):
        put_new(Answers(str(tmp_path), lands=False, answer=answer), PATH, data=b"", local_file=None)


@pytest.mark.parametrize(
    ("answer", "why"), [("unknown", "no read"), (REFUSED, "no")], ids=["read", "write"]
)
def test_a_store_that_does_not_say_whether_a_file_was_put(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer, why: str
) -> None:
    """What failed first is named: the write, if that did."""

    def fails(*_: object) -> bytes:
        raise StorageError("STORAGE_FAILED", "no read")

    store = Answers(str(tmp_path), lands=True, answer=answer)
    monkeypatch.setattr(store, "read", fails)
    with pytest.raises(OutcomeUnknownError) as error:
        put_new(store, PATH, data=b"x", local_file=None)
    assert error.value.message.endswith(f": {why}")


def test_a_file_of_another_writer_stays(tmp_path: Path) -> None:
    store = LocalStorage(str(tmp_path))
    store.put_if_absent(PATH, b"theirs")
    with pytest.raises(ConflictError) as error:
        put_new(store, PATH, data=b"ours", local_file=None)
    assert (error.value.code, error.value.exit_code) == ("LOG_FILE_APPEARED", 6)
    assert store.read(PATH) == b"theirs"


def test_nothing_is_moved_onto_another_file(tmp_path: Path) -> None:
    store = LocalStorage(str(tmp_path))
    store.put_if_absent("_delta_log/a", b"a")
    store.put_if_absent("_delta_log/b", b"b")
    with pytest.raises(ConflictError):
        move_aside(store, "_delta_log/a", "_delta_log/b")
    move_aside(store, "_delta_log/gone", "_delta_log/c")
    assert (store.read("_delta_log/a"), store.read("_delta_log/b")) == (b"a", b"b")


@pytest.mark.parametrize(
    ("held", "is_replaced"),
    [
        (None, True),
        (b"{", True),
        (b'{"version":6,"size":1}', True),
        (b'{"version":7,"size":1}', True),
        (b'{"version":8,"size":1}', False),
        (b'{"version":8,"size":1,"checksum":"wrong"}', True),
        # No version 10: what leads nowhere is no step forward.
        (b'{"version":10,"size":1}', True),
    ],
)
def test_the_hint_is_never_set_back(tmp_path: Path, held: bytes | None, is_replaced) -> None:
    hint = tmp_path / "_delta_log" / "_last_checkpoint"
    hint.parent.mkdir()
    (hint.parent / "00000000000000000009.json").write_bytes(b"{}")
    if held is not None:
        hint.write_bytes(held)
    assert advance_hint(LocalStorage(str(tmp_path)), 7, b"new") is is_replaced
    assert hint.read_bytes() == (b"new" if is_replaced else held)


DAY = 86_400
NOW = 1_800_000_000


def scratch(root: Path, name: str, *ages: int) -> Path:
    """A scratch folder with a file in a folder for each of the ages, in seconds."""
    folder = root / scratch_folder(7, name)
    (folder / "_temporary").mkdir(parents=True)
    for number, age in enumerate(ages):
        file = folder / "_temporary" / f"part-{number}"
        file.touch()
        os.utime(file, (NOW - age, NOW - age))
    return folder


def test_scratch_in_which_nobody_wrote_for_a_day_is_removed(tmp_path: Path) -> None:
    dead = scratch(tmp_path, "dead", DAY + 1, 9 * DAY)
    alive = [scratch(tmp_path, "alive", DAY - 1, 9 * DAY), scratch(tmp_path, "begun")]
    other = scratch(tmp_path, "other", 9 * DAY)
    other = other.rename(other.with_name("_sidecars.tmp"))
    clear_abandoned_scratch(LocalStorage(str(tmp_path)), NOW * 1000)
    log = tmp_path / "_delta_log"
    assert not dead.exists()
    assert sorted(log.iterdir()) == sorted([*alive, other])
    assert dead.name == ".00000000000000000007.checkpoint.dead.tmp"


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ({}, []),
        ({"c": b"c"}, ["a", "b", "c"]),
        ({"a": b"by another"}, ["a"]),
    ],
    ids=["alone", "completed by another writer", "replaced by another writer"],
)
def test_what_was_put_is_taken_back(
    others: dict[str, bytes], left: list[str], tmp_path: Path
) -> None:
    for name, data in {"a": b"a", "b": b"b", **others}.items():
        (tmp_path / name).write_bytes(data)
    put = [Stored(name, name.encode(), None) for name in ("a", "b")]
    undo_put(LocalStorage(str(tmp_path)), put, ["a", "b", "c"])
    assert sorted(path.name for path in tmp_path.iterdir()) == left
