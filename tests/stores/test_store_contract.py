"""The promises of `Storage`, asked of every store that deltactl has."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from store_places import STORES, Place

from deltactl.log.filenames import LogFile
from deltactl.storage.base import Storage

pytestmark = pytest.mark.parametrize("place", STORES, indirect=True)

LOG = "_delta_log"
FIRST, SECOND = "_delta_log/00000000000000000000.json", "_delta_log/00000000000000000001.json"
# What a URL, a listing's XML or a shell would read as something else.
NAMES = [
    "with space", "100%", "100%25", "%2F", "day=2026-01-01", "a+b", "größe 日本 é", "a#b", "a?b",
    "a&b<c>'\"", "a~b*c", "[x]{y}|^`", "a:b,c;d@e!f$g", ".hidden", "_underscore",
]  # fmt: skip
MEBIBYTE = 1 << 20


@pytest.fixture
def store(place: Place) -> Storage:
    return place.opened()


def names(found: Sequence[LogFile]) -> list[str]:
    return [file.name for file in found]


def fill(store: Storage, *paths: str) -> None:
    for path in paths:
        store.put(path, path.encode())


def test_a_listing_is_in_order_and_begins_where_it_is_told(store: Storage) -> None:
    fill(store, f"{LOG}/b.json", f"{LOG}/B.json", f"{LOG}/c.json", f"{LOG}/a.json")
    assert names(store.list_from(LOG)) == ["B.json", "a.json", "b.json", "c.json"]
    assert names(store.list_from(LOG, "b.json")) == ["b.json", "c.json"]
    assert names(store.list_from(LOG, "b")) == ["b.json", "c.json"]
    assert names(store.list_from(LOG, "b.json.")) == ["c.json"]
    assert names(store.list_from(LOG, "d")) == []


def test_a_listing_says_sizes_and_times(store: Storage) -> None:
    before = time.time()
    store.put(f"{LOG}/a", b"12345")
    store.put(f"{LOG}/b", b"")
    after = time.time()
    found = store.list_from(LOG)
    assert [(file.name, file.size) for file in found] == [("a", 5), ("b", 0)]
    for file in found:
        # Some stores keep whole seconds, and the clock of a file system lags by a tick.
        assert type(file.modified) is int
        assert int(before) * 1000 - 20 <= file.modified <= after * 1000


def test_a_listing_is_of_one_folder(store: Storage) -> None:
    fill(store, f"{LOG}/a", f"{LOG}/_sidecars/b", f"{LOG}/a.d/c", f"{LOG}2/d", f"{LOG}.old/e", "f")
    assert names(store.list_from(LOG)) == ["a"]
    assert names(store.list_from(f"{LOG}/_sidecars")) == ["b"]
    assert store.folders(LOG) == ["_sidecars", "a.d"]
    assert store.folders(f"{LOG}/_sidecars") == []


def test_a_folder_with_folders_only(store: Storage) -> None:
    fill(store, "a/b/c/d")
    assert store.list_from("a") == []
    assert store.folders("a") == ["b"]
    assert store.folders("a/b") == ["c"]


def test_a_missing_folder_is_empty(store: Storage) -> None:
    assert store.list_from(LOG) == []
    assert store.list_from(LOG, "a") == []
    assert store.folders(LOG) == []
    fill(store, f"{LOG}/a")
    assert store.list_from(f"{LOG}/a") == []
    assert store.folders(f"{LOG}/a") == []
    assert store.list_from("_delta") == []


def test_a_listing_longer_than_a_page(store: Storage) -> None:
    expected = [f"{number:020d}.json" for number in range(1005)]
    with ThreadPoolExecutor(8) as threads:
        told = set(threads.map(lambda n: store.put_if_absent(f"{LOG}/{n}", b"x"), expected))
    assert told == {"won"}
    assert names(store.list_from(LOG)) == expected
    assert names(store.list_from(LOG, expected[1])) == expected[1:]
    assert names(store.list_from(LOG, expected[1002])) == expected[1002:]


def test_a_read_gives_what_there_is_of_what_is_asked(store: Storage) -> None:
    store.put(FIRST, b"0123456789")
    assert store.read(FIRST) == b"0123456789"
    assert store.read(FIRST, 3) == b"3456789"
    assert store.read(FIRST, 3, 4) == b"3456"
    assert store.read(FIRST, 0, 10) == b"0123456789"
    assert store.read(FIRST, 0, 1 << 20) == b"0123456789"
    assert store.read(FIRST, 8, 5) == b"89"
    assert store.read(FIRST, 4, 0) == b""


@pytest.mark.parametrize("start", [10, 11, 5000])
@pytest.mark.parametrize("length", [None, 0, 1, 100])
def test_there_is_nothing_past_the_end(start: int, length: int | None, store: Storage) -> None:
    store.put(FIRST, b"0123456789")
    store.put(SECOND, b"")
    assert store.read(FIRST, start, length) == b""
    assert store.read(SECOND, start, length) == b""
    assert store.read(SECOND, 0, length) == b""


def test_what_is_missing_is_told_as_missing(store: Storage) -> None:
    fill(store, f"{LOG}/_sidecars/a", FIRST)
    # The second is a folder, and the others begin as a file's name does.
    for path in (SECOND, f"{LOG}/_sidecars", FIRST[:-1], "_delta"):
        for ask in (store.read, store.head, store.source):
            with pytest.raises(FileNotFoundError):
                ask(path)
        with pytest.raises(FileNotFoundError):
            store.read(path, 0, 100)


def test_many_files_of_a_folder(store: Storage) -> None:
    store.put(FIRST, b"0123456789")
    store.put(SECOND, b"abc")
    with store.opened(LOG) as read:
        assert read("00000000000000000000.json", 0, 10) == b"0123456789"
        assert read("00000000000000000000.json", 2, 3) == b"234"
        assert read("00000000000000000001.json", 0, 100) == b"abc"
        assert read("00000000000000000001.json", 3, 100) == b""
        with pytest.raises(FileNotFoundError):
            read("00000000000000000002.json", 0, 100)
    with store.opened("nowhere") as read, pytest.raises(FileNotFoundError):
        read("a", 0, 100)


def test_the_head_of_a_file(store: Storage) -> None:
    before = time.time()
    store.put(FIRST, b"0123456789")
    found = store.head(FIRST)
    assert (found.name, found.size) == ("00000000000000000000.json", 10)
    assert type(found.modified) is int
    assert int(before) * 1000 - 20 <= found.modified <= time.time() * 1000


def test_arrow_reads_a_file_where_it_lies(store: Storage, tmp_path: Path) -> None:
    table = pa.table({"id": list(range(10_000)), "name": [f"n{n}" for n in range(10_000)]})
    pq.write_table(table, tmp_path / "local.parquet", row_group_size=1000)
    store.put("a b/c.parquet", (tmp_path / "local.parquet").read_bytes())
    with pq.ParquetFile(store.source("a b/c.parquet")) as found:
        assert found.metadata.num_rows == 10_000
        assert found.metadata.num_row_groups == 10
        assert found.read_row_group(3, columns=["id"])["id"].to_pylist() == list(range(3000, 4000))
        assert found.read().equals(table)


def test_the_first_one_to_create_a_file_wins(store: Storage) -> None:
    assert store.put_if_absent(FIRST, b"first") == "won"
    assert store.put_if_absent(FIRST, b"second, and longer") == "exists"
    assert store.put_if_absent(FIRST, b"first") == "exists"
    assert store.read(FIRST) == b"first"
    assert names(store.list_from(LOG)) == ["00000000000000000000.json"]


def test_an_empty_file_is_a_file(store: Storage) -> None:
    assert store.put_if_absent(FIRST, b"") == "won"
    assert store.put_if_absent(FIRST, b"second") == "exists"
    assert store.read(FIRST) == b""
    assert store.head(FIRST).size == 0


@pytest.mark.parametrize("size", [0, 1, 12 * MEBIBYTE + 1])
def test_a_local_file_is_put_if_absent(size: int, store: Storage, tmp_path: Path) -> None:
    data = (bytes(range(256)) * (size // 256 + 1))[:size]
    (tmp_path / "local").write_bytes(data)
    assert store.put_file_if_absent(FIRST, str(tmp_path / "local")) == "won"
    assert store.read(FIRST) == data
    (tmp_path / "local").write_bytes(data + b"more")
    assert store.put_file_if_absent(FIRST, str(tmp_path / "local")) == "exists"
    assert store.head(FIRST).size == size
    assert store.put_if_absent(FIRST, b"small") == "exists"
    assert store.read(FIRST) == data
    # Nothing is left of the one that lost.
    assert names(store.list_from(LOG)) == ["00000000000000000000.json"]


def test_a_local_file_that_is_missing_creates_nothing(store: Storage, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        store.put_file_if_absent(FIRST, str(tmp_path / "nowhere"))
    assert store.list_from(LOG) == []


def test_of_many_at_once_one_creates_the_file(store: Storage) -> None:
    with ThreadPoolExecutor(8) as threads:
        told = list(threads.map(lambda n: store.put_if_absent(FIRST, b"%d" % n), range(24)))
    assert sorted(told) == ["exists"] * 23 + ["won"]
    assert store.read(FIRST) == b"%d" % told.index("won")


def test_put_creates_and_replaces(store: Storage) -> None:
    store.put("_delta_log/_last_checkpoint", b"a longer first one")
    store.put("_delta_log/_last_checkpoint", b"second")
    assert store.read("_delta_log/_last_checkpoint") == b"second"
    assert store.head("_delta_log/_last_checkpoint").size == 6
    assert store.put_if_absent("_delta_log/_last_checkpoint", b"third") == "exists"
    assert names(store.list_from(LOG)) == ["_last_checkpoint"]


def test_a_file_is_moved(store: Storage) -> None:
    store.put(FIRST, b"content")
    store.put(f"{LOG}/taken", b"other")
    assert store.move(FIRST, f"{LOG}/aside.json") == "won"
    assert store.read(f"{LOG}/aside.json") == b"content"
    with pytest.raises(FileNotFoundError):
        store.read(FIRST)
    assert names(store.list_from(LOG)) == ["aside.json", "taken"]


def test_a_move_replaces_nothing(store: Storage) -> None:
    store.put(FIRST, b"content")
    store.put(f"{LOG}/taken", b"other")
    assert store.move(FIRST, f"{LOG}/taken") == "exists"
    assert store.read(FIRST) == b"content"
    assert store.read(f"{LOG}/taken") == b"other"


def test_what_is_missing_is_not_moved(store: Storage) -> None:
    store.put(FIRST, b"content")
    with pytest.raises(FileNotFoundError):
        store.move(SECOND, f"{LOG}/aside.json")
    assert names(store.list_from(LOG)) == ["00000000000000000000.json"]


def test_a_file_that_is_deleted_is_gone(store: Storage) -> None:
    fill(store, FIRST, SECOND)
    store.delete(FIRST)
    store.delete(FIRST)
    store.delete(f"{LOG}/never")
    store.delete("nowhere/never")
    assert names(store.list_from(LOG)) == ["00000000000000000001.json"]
    assert store.put_if_absent(FIRST, b"again") == "won"
    assert store.read(FIRST) == b"again"


def test_a_folder_is_cleared(store: Storage) -> None:
    fill(store, f"{LOG}/.tmp-1/a", f"{LOG}/.tmp-1/b/c", f"{LOG}/.tmp-12/d", f"{LOG}/.tmp-1.json")
    store.clear(f"{LOG}/.tmp-1")
    store.clear(f"{LOG}/.tmp-1")
    store.clear("nowhere")
    assert store.list_from(f"{LOG}/.tmp-1") == []
    assert store.folders(LOG) == [".tmp-12"]
    assert names(store.list_from(LOG)) == [".tmp-1.json"]
    assert names(store.list_from(f"{LOG}/.tmp-12")) == ["d"]


def test_every_name_is_taken_as_it_is(store: Storage) -> None:
    # Hadoop has no colons in names.
    taken = [name for name in NAMES if ":" not in name or "hdfs" not in store.uri]
    fill(store, "moved/here")
    for name in taken:
        path = f"part={name}/{name}"
        assert store.put_if_absent(path, name.encode()) == "won", name
        assert store.put_if_absent(path, b"") == "exists", name
        assert store.put_if_absent(f"flat/{name}", b"") == "won", name
    assert names(store.list_from("flat")) == sorted(taken)
    assert store.folders("") == ["flat", "moved", *sorted(f"part={name}" for name in taken)]
    for name in taken:
        folder = f"part={name}"
        assert names(store.list_from(folder)) == [name]
        assert store.read(f"{folder}/{name}") == name.encode()
        assert store.head(f"{folder}/{name}").name == name
        assert names(store.list_from("flat", name)) == [n for n in sorted(taken) if n >= name]
        assert store.move(f"{folder}/{name}", f"moved/{name}") == "won"
        assert store.read(f"moved/{name}") == name.encode()
        store.delete(f"moved/{name}")
    assert names(store.list_from("moved")) == ["here"]
