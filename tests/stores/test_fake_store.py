"""The fake store speaks as S3 and GCS do: it is asked by obstore, as deltactl asks it."""

import json
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import obstore
import pytest
from fake_faults import Fault
from fake_store import FakeStore
from obstore.exceptions import AlreadyExistsError, BaseError, GenericError, NotSupportedError
from obstore.store import S3Store
from obstore_on_fakes import KINDS, get, paths, reached
from store_servers import fake_process


@pytest.fixture
def fake() -> Iterator[FakeStore]:
    with FakeStore() as store:
        yield store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, fake: FakeStore) -> Any:
    return reached(request.param, fake.url)


def test_an_object_is_created_once(store: Any, fake: FakeStore) -> None:
    obstore.put(store, "a", b"first", mode="create")
    with pytest.raises(AlreadyExistsError):
        obstore.put(store, "a", b"second", mode="create")
    assert fake.data() == {"t/a": b"first"}
    obstore.put(store, "a", b"third")
    assert fake.data() == {"t/a": b"third"}
    assert [(r.status, r.conditional) for r in fake.asked("put")] == [
        (200, True), (412, True), (200, False)
    ]  # fmt: skip


def test_one_of_many_creates_it(store: Any, fake: FakeStore) -> None:
    def create(number: int) -> bool:
        try:
            obstore.put(store, "a", b"%d" % number, mode="create")
        except AlreadyExistsError:
            return False
        return True

    with ThreadPoolExecutor(16) as threads:
        told = list(threads.map(create, range(200)))
    assert told.count(True) == 1
    assert fake.data() == {"t/a": b"%d" % told.index(True)}


def test_ranges_and_heads(store: Any, fake: FakeStore) -> None:
    before = datetime.now(UTC).replace(microsecond=0)
    fake.put("t/a", b"0123456789")
    assert get(store, "a") == b"0123456789"
    assert bytes(obstore.get_range(store, "a", start=2, length=3)) == b"234"
    assert bytes(obstore.get_range(store, "a", start=8, length=30)) == b"89"
    suffix = obstore.get(store, "a", options={"range": {"suffix": 4}})
    assert bytes(suffix.bytes()) == b"6789"
    for start in (10, 11):
        with pytest.raises(GenericError, match="InvalidRange"):
            obstore.get_range(store, "a", start=start, length=1)
    head = obstore.head(store, "a")
    assert head["size"] == 10
    assert before <= head["last_modified"] <= datetime.now(UTC)
    with pytest.raises(FileNotFoundError):
        obstore.head(store, "b")
    with pytest.raises(FileNotFoundError):
        get(store, "b")
    ranges = [request.range for request in fake.asked("get")]
    assert ranges[:4] == [None, "bytes=2-4", "bytes=8-37", "bytes=-4"]
    assert [r.status for r in fake.asked("get|head")] == [
        200, 206, 206, 206, 416, 416, 200, 404, 404
    ]  # fmt: skip


@pytest.mark.parametrize("page_size", [1, 2, 3, 1000])
def test_listings_by_pages(page_size: int, store: Any, fake: FakeStore) -> None:
    for key in ("t/a", "t/a/1", "t/a/2", "t/a/é &", "t/b", "t/a0", "t/c/d/e", "u"):
        fake.put(key, b"x")
    fake.behave(page_size=page_size)
    assert paths(store) == ["a", "a/1", "a/2", "a/é &", "a0", "b", "c/d/e"]
    assert paths(store, prefix="a") == ["a/1", "a/2", "a/é &"]
    assert paths(store, offset="a/2") == ["a/é &", "a0", "b", "c/d/e"]
    assert paths(store, prefix="a", offset="a/1") == ["a/2", "a/é &"]
    found = obstore.list_with_delimiter(store)
    assert found["common_prefixes"] == ["a", "c"]
    assert [each["path"] for each in found["objects"]] == ["a", "a0", "b"]
    asked = fake.asked("list")
    fake.faults.clear_record()
    assert len(paths(store)) == 7
    assert len(fake.asked("list")) == {1: 7, 2: 4, 3: 3, 1000: 1}[page_size]
    assert all(request.status == 200 for request in asked)


def test_a_store_that_does_not_honour_where_a_listing_starts(store: Any, fake: FakeStore) -> None:
    for key in ("t/a", "t/b", "t/c"):
        fake.put(key, b"x")
    fake.behave(honours_start=False)
    assert paths(store, offset="b") == ["a", "b", "c"]


def test_a_store_that_does_not_honour_conditions(store: Any, fake: FakeStore) -> None:
    fake.behave(honours_conditions=False)
    obstore.put(store, "a", b"first", mode="create")
    obstore.put(store, "a", b"second", mode="create")
    assert fake.data() == {"t/a": b"second"}


def test_uploads_in_parts(store: Any, fake: FakeStore) -> None:
    data = bytes(range(256)) * (12 << 12)
    obstore.put(store, "a", data)
    assert fake.data() == {"t/a": data}
    assert len(fake.asked("put part")) == 3
    assert len(fake.asked("complete upload")) == 1
    assert fake.objects.uploads() == []
    fake.plan(Fault(kind="403", operation="put part"))
    with pytest.raises(BaseError):
        obstore.put(store, "b", data)
    assert set(fake.data()) == {"t/a"}


def test_copies(store: Any, fake: FakeStore) -> None:
    fake.put("t/a b%", b"data")
    obstore.copy(store, "a b%", "c d#")
    assert fake.data() == {"t/a b%": b"data", "t/c d#": b"data"}
    # S3 copies without replacing only in parts, and obstore only where it is told to.
    refusal = NotSupportedError if isinstance(store, S3Store) else AlreadyExistsError
    with pytest.raises(refusal):
        obstore.copy(store, "a b%", "c d#", overwrite=False)


def test_a_copy_in_parts_replaces_nothing(fake: FakeStore) -> None:
    store = S3Store(
        "lake",
        endpoint=fake.url,
        access_key_id="testing",
        secret_access_key="testing",
        region="us-east-1",
        copy_if_not_exists="multipart",
        client_options={"allow_http": True},
    )
    fake.put("a", b"data")
    fake.put("b", b"other")
    with pytest.raises(AlreadyExistsError):
        obstore.copy(store, "a", "b", overwrite=False)
    obstore.copy(store, "a", "c", overwrite=False)
    assert fake.data() == {"a": b"data", "b": b"other", "c": b"data"}


def test_deletes(store: Any, fake: FakeStore) -> None:
    for key in ("t/a", "t/b", "t/c", "t/d"):
        fake.put(key, b"x")
    obstore.delete(store, "a")
    obstore.delete(store, ["b", "c", "never"])
    assert set(fake.data()) == {"t/d"}
    deleted = "\n".join(request.key for request in fake.asked("delete.*")).split()
    # GCS is asked for each by itself, several at once.
    assert sorted(deleted) == ["t/a", "t/b", "t/c", "t/never"]


def test_a_folder_is_loaded(store: Any, fake: FakeStore, tmp_path: Path) -> None:
    (tmp_path / "x/y z").mkdir(parents=True)
    (tmp_path / "x/y z/a").write_bytes(b"1")
    (tmp_path / "b").write_bytes(b"2")
    fake.load(tmp_path, "t")
    assert fake.data() == {"t/b": b"2", "t/x/y z/a": b"1"}
    assert paths(store) == ["b", "x/y z/a"]


def test_a_store_that_is_stopped_answers_nobody(store: Any, fake: FakeStore) -> None:
    fake.put("t/a", b"x")
    assert get(store, "a") == b"x"
    fake.stop()
    with pytest.raises(GenericError):
        get(store, "a")


def test_a_fake_of_its_own_is_told_and_asked_by_its_address() -> None:
    with fake_process("lake", "other") as url:

        def ask(method: str, path: str, value: object = None) -> Any:
            body = None if value is None else json.dumps(value).encode()
            with urllib.request.urlopen(
                urllib.request.Request(f"{url}/{path}", body, method=method)
            ) as answer:
                text = answer.read()
            return json.loads(text) if text else None

        store = reached("s3", url)
        ask("PUT", "__manners__", {"page_size": 1})
        ask("PUT", "__faults__", [{"kind": "503", "operation": "put", "times": 1}])
        with pytest.raises(GenericError):
            obstore.put(store, "a", b"x")
        obstore.put(store, "a", b"x")
        obstore.put(store, "b", b"x")
        assert ask("GET", "__faults__") == [1]
        assert paths(store) == ["a", "b"]
        record = ask("GET", "__record__")
        assert [(r["operation"], r["status"], r["fault"]) for r in record] == [
            ("put", 503, "503"),
            ("put", 200, None),
            ("put", 200, None),
            ("list", 200, None),
            ("list", 200, None),
        ]
        assert record[1]["key"] == "t/a"
        ask("DELETE", "__record__")
        assert ask("GET", "__record__") == []
