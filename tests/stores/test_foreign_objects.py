"""What others leave in a bucket, and listings that are not as S3's: the log is read as it is."""

from contextlib import suppress

import pytest
from fake_faults import Fault
from fake_store import FakeStore
from store_places import Place

from deltactl.errors import StorageError

pytestmark = pytest.mark.parametrize("place", ["fake_s3", "fake_gcs"], indirect=True)

LOG = "_delta_log"


@pytest.fixture
def fake(request: pytest.FixtureRequest, place: Place) -> FakeStore:
    """The fake that the place is in."""
    found: FakeStore = request.getfixturevalue(request.node.callspec.params["place"])
    return found


def key(place: Place, path: str) -> str:
    return f"{place.uri.split('/', 3)[3]}/{path}"


def names(place: Place, start: str = "") -> list[str]:
    return [file.name for file in place.opened().list_from(LOG, start)]


def test_what_stands_for_a_folder_is_no_file(place: Place, fake: FakeStore) -> None:
    """Consoles make empty objects whose names end with a slash, for folders that have nothing."""
    for path in ("", f"{LOG}/", f"{LOG}/_sidecars/", f"{LOG}/a"):
        fake.put(key(place, path), b"")
    store = place.opened()
    assert names(place) == ["a"]
    assert store.folders(LOG) == ["_sidecars"]
    assert store.list_from(f"{LOG}/_sidecars") == []
    assert store.folders(f"{LOG}/_sidecars") == []
    for path in (LOG, f"{LOG}/_sidecars"):
        with pytest.raises(FileNotFoundError):
            store.read(path)


def test_a_file_and_a_folder_of_one_name(place: Place, fake: FakeStore) -> None:
    for path in (f"{LOG}/a", f"{LOG}/a/b"):
        fake.put(key(place, path), path.encode())
    store = place.opened()
    assert names(place) == ["a"]
    assert store.folders(LOG) == ["a"]
    assert store.read(f"{LOG}/a") == b"_delta_log/a"


@pytest.mark.parametrize("name", ["/a", "../a", "."])
def test_a_name_that_cannot_be_read(name: str, place: Place, fake: FakeStore) -> None:
    fake.put(key(place, f"{LOG}/{name}"), b"")
    with pytest.raises(StorageError) as caught:
        names(place)
    assert caught.value.code == "KEY_NOT_SUPPORTED"
    found = key(place, f"{LOG}/{name}").removesuffix("a")
    assert f'"{found}" lies there' in caught.value.message


@pytest.mark.parametrize("honours_start", [True, False])
@pytest.mark.parametrize("page_size", [1, 7, 1000])
def test_listings_of_every_manner(
    page_size: int, honours_start: bool, place: Place, fake: FakeStore
) -> None:
    expected = [f"{number:020d}.json" for number in range(25)]
    for name in expected:
        fake.put(key(place, f"{LOG}/{name}"), b"x")
    fake.put(key(place, f"{LOG}/_sidecars/x"), b"x")
    fake.behave(page_size=page_size, honours_start=honours_start)
    assert names(place) == expected
    assert names(place, expected[1]) == expected[1:]
    assert names(place, expected[13]) == expected[13:]
    assert names(place, "0000000000000000001") == expected[10:]
    assert names(place, "a") == []
    assert place.opened().folders(LOG) == ["_sidecars"]


def test_a_listing_begins_where_it_is_told_on_the_server(place: Place, fake: FakeStore) -> None:
    """It does not page through a long log for its end."""
    for number in range(25):
        fake.put(key(place, f"{LOG}/{number:020d}.json"), b"x")
    fake.behave(page_size=5)
    store = place.opened()
    fake.faults.clear_record()
    found = store.list_from(LOG, f"{22:020d}.json")
    assert [file.name for file in found] == [f"{number:020d}.json" for number in (22, 23, 24)]
    assert len(fake.asked("list")) == 1


def test_a_listing_of_a_log_does_not_page_through_its_folders(
    place: Place, fake: FakeStore
) -> None:
    """What starts at a name goes down into folders, if it is obstore's: they are to be passed."""
    for number in range(25):
        fake.put(key(place, f"{LOG}/{number:020d}.json"), b"x")
    for name in ("_last_checkpoint", "a.json"):
        fake.put(key(place, f"{LOG}/{name}"), b"x")
    for number in range(9000):
        fake.put(key(place, f"{LOG}/_sidecars/{number:04d}.parquet"), b"x")
    fake.behave(page_size=1000)
    store = place.opened()
    fake.faults.clear_record()
    found = store.list_from(LOG, f"{23:020d}.json")
    assert [file.name for file in found] == [
        "00000000000000000023.json", "00000000000000000024.json", "_last_checkpoint", "a.json"
    ]  # fmt: skip
    # All of it is ten pages.
    assert len(fake.asked("list")) <= 3


def test_a_listing_that_ends_too_soon_is_an_error(place: Place, fake: FakeStore) -> None:

    for number in range(25):
        fake.put(key(place, f"{LOG}/{number:020d}.json"), b"x")
    for kind in ("short", "cut"):
        for size in (0, 1, 400):
            store = place.opened(timeout=2)
            fake.plan(Fault(kind=kind, operation="list", size=size))
            with pytest.raises(StorageError):
                store.list_from(LOG)


@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize("size", [0, 4, 9])
def test_a_read_gives_no_less_than_there_is(
    size: int, start: int, place: Place, fake: FakeStore
) -> None:
    """Where each answer ends too soon, the read goes on from there, or it is an error."""
    fake.put(key(place, f"{LOG}/a"), b"0123456789")
    store = place.opened(timeout=2)
    fake.plan(Fault(kind="short", operation="get", size=size))
    found = b""
    with pytest.raises(StorageError) if size == 0 else suppress(StorageError):
        found = store.read(f"{LOG}/a", start)
    assert found in (b"", b"0123456789"[start:])


@pytest.mark.parametrize("size", [0, 4, 9])
def test_a_range_that_is_answered_by_less_is_an_error(
    size: int, place: Place, fake: FakeStore
) -> None:
    """The answer says how long the object is, and so that there is more than it has."""
    fake.put(key(place, f"{LOG}/a"), b"0123456789")
    store = place.opened(timeout=2)
    fake.plan(Fault(kind="cut", operation="get", size=size))
    with pytest.raises(StorageError):
        store.read(f"{LOG}/a", 0, 10)
    with pytest.raises(StorageError):
        store.read(f"{LOG}/a", 0, 100)
