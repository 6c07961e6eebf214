"""The fake store fails as it is told, and obstore makes of it what deltactl has to deal with."""

import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import obstore
import pytest
from fake_faults import ANSWERS, Fault
from fake_store import FakeStore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    GenericError,
    PermissionDeniedError,
)
from obstore_on_fakes import KINDS, get, paths, reached


@pytest.fixture
def fake() -> Iterator[FakeStore]:
    with FakeStore() as store:
        yield store


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, fake: FakeStore) -> Any:
    return reached(request.param, fake.url)


@pytest.fixture
def s3(fake: FakeStore) -> Any:
    return reached("s3", fake.url)


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_error_is_answered_and_nothing_is_done(kind: str, store: Any, fake: FakeStore) -> None:
    fake.plan(Fault(kind=kind, operation="put"))
    status, code, _ = ANSWERS[kind]
    with pytest.raises((BaseError, FileNotFoundError)) as caught:
        obstore.put(store, "a", b"data", mode="create")
    # obstore does not pass on what a redirection says.
    assert code in str(caught.value) or status == 301
    assert fake.data() == {}
    assert [(r.status, r.fault) for r in fake.asked("put")] == [(status, kind)]


def test_what_obstore_makes_of_errors(s3: Any, fake: FakeStore) -> None:
    """A busy store is told as an existing object, and a missing bucket as a missing object."""
    told: list[type[BaseException]] = []
    for kind in ("403", "busy", "no bucket", "503", "full"):
        fake.plan(Fault(kind=kind))
        with pytest.raises((BaseError, FileNotFoundError)) as caught:
            obstore.put(s3, "a", b"data", mode="create")
        told.append(caught.type)
    assert told == [
        PermissionDeniedError, AlreadyExistsError, FileNotFoundError, GenericError, GenericError
    ]  # fmt: skip


def test_listings_may_be_denied_alone(store: Any, fake: FakeStore) -> None:
    """obstore names no reason for it but in its text, other than for objects."""
    fake.put("t/a", b"data")
    fake.plan(Fault(kind="403", operation="list"))
    with pytest.raises(GenericError, match="403 Forbidden"):
        paths(store)
    assert get(store, "a") == b"data"


def test_the_wrong_region_is_told(s3: Any, fake: FakeStore) -> None:
    fake.plan(Fault(kind="wrong region", region="eu-central-1"))
    asked = urllib.request.Request(f"{fake.url}/lake/t/a", method="HEAD")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(asked)
    with caught.value as answer:
        assert (answer.code, answer.headers["x-amz-bucket-region"]) == (301, "eu-central-1")


def test_a_write_that_does_not_arrive(store: Any, fake: FakeStore) -> None:
    fake.plan(Fault(kind="drop before", operation="put"))
    with pytest.raises(GenericError):
        obstore.put(store, "a", b"data", mode="create")
    assert fake.data() == {}
    assert [(r.status, r.fault) for r in fake.asked("put")] == [(None, "drop before")]


def test_an_answer_that_does_not_arrive(store: Any, fake: FakeStore) -> None:
    fake.plan(Fault(kind="drop after", operation="put"))
    with pytest.raises(GenericError):
        obstore.put(store, "a", b"data", mode="create")
    assert fake.data() == {"t/a": b"data"}


@pytest.mark.parametrize("kind", KINDS)
def test_retries_of_obstore_tell_a_winner_that_it_lost(kind: str, fake: FakeStore) -> None:
    fake.plan(Fault(kind="drop after", operation="put", times=1))
    with pytest.raises(AlreadyExistsError):
        obstore.put(reached(kind, fake.url, retries=3), "a", b"data", mode="create")
    assert fake.data() == {"t/a": b"data"}


def test_a_body_that_ends_too_soon(store: Any, fake: FakeStore) -> None:
    fake.put("t/a", b"0123456789")
    fake.plan(Fault(kind="short", operation="get", size=4))
    with pytest.raises(GenericError):
        get(store, "a")


def test_a_body_that_is_cut_and_says_so_nowhere(store: Any, fake: FakeStore) -> None:
    """obstore takes it for the whole: whoever needs all of it has to compare the sizes."""
    fake.put("t/a", b"0123456789")
    fake.plan(Fault(kind="cut", operation="get", size=4))
    assert get(store, "a") == b"0123"


def test_a_slow_answer(fake: FakeStore, s3: Any) -> None:
    fake.put("t/a", b"data")
    fake.plan(Fault(kind="slow", operation="get", ms=300, times=1))
    begin = time.monotonic()
    assert get(s3, "a") == b"data"
    assert time.monotonic() - begin >= 0.3
    fake.plan(Fault(kind="slow", operation="get", ms=60_000))
    with pytest.raises(GenericError):
        get(reached("s3", fake.url, timeout="200ms"), "a")
    assert time.monotonic() - begin < 30


def test_latency_is_added_to_every_answer(fake: FakeStore, s3: Any) -> None:
    fake.put("t/a", b"data")
    fake.behave(latency_ms=30)
    begin = time.monotonic()
    for _ in range(5):
        get(s3, "a")
    assert time.monotonic() - begin >= 0.15


def test_a_stale_listing(store: Any, fake: FakeStore) -> None:
    for key in ("t/a", "t/b", "t/c"):
        fake.put(key, b"x")
    fake.plan(Fault(kind="hide", names="b$", times=2))
    assert paths(store) == ["a", "c"]
    assert get(store, "b") == b"x"
    assert paths(store) == ["a", "c"]
    assert paths(store) == ["a", "b", "c"]


def failures(ask: Callable[[int], object], times: int) -> list[int]:
    found = []
    for number in range(times):
        try:
            ask(number)
        except BaseError:
            found.append(number)
    return found


def test_which_requests_go_wrong(s3: Any, fake: FakeStore) -> None:
    for number in range(12):
        fake.put(f"t/{number}", b"x")

    def ask(number: int) -> bytes:
        return get(s3, str(number))

    fake.plan(Fault(kind="503", operation="get", times=3))
    assert failures(ask, 12) == [0, 1, 2]
    fake.plan(Fault(kind="503", method="GET", every=4))
    assert failures(ask, 12) == [3, 7, 11]
    fake.plan(Fault(kind="503", skip=5, every=3, times=2))
    assert failures(ask, 12) == [7, 10]
    fake.plan(Fault(kind="503", key="/1"))
    assert failures(ask, 12) == [1, 10, 11]
    fake.plan(Fault(kind="503", method="PUT|DELETE"))
    assert failures(ask, 12) == []
    fake.plan(Fault(kind="503", key="/2$"), Fault(kind="drop before", key="/3$"))
    assert failures(ask, 12) == [2, 3]
    assert fake.faults.hits() == [1, 1]


def test_a_share_is_the_same_share_each_time(s3: Any, fake: FakeStore) -> None:
    found = []
    for seed in (1, 1, 2):
        fake.plan(Fault(kind="503", operation="head", share=1 / 3, seed=seed))
        fake.put("t/a", b"x")
        found.append(failures(lambda _: obstore.head(s3, "a"), 60))
    assert found[0] == found[1] != found[2]
    assert all(10 <= len(each) <= 30 for each in found)


def test_only_conditional_writes_go_wrong(s3: Any, fake: FakeStore) -> None:
    fake.plan(Fault(kind="not implemented", conditional=True))
    obstore.put(s3, "a", b"x")
    with pytest.raises(GenericError, match="501 Not Implemented"):
        obstore.put(s3, "b", b"x", mode="create")
    assert set(fake.data()) == {"t/a"}


def test_a_fault_that_is_not_known_is_no_fault() -> None:
    with pytest.raises(ValueError, match="no fault 'sour'"):
        Fault(kind="sour")
