"""Sixteen processes race for each version on every store: one wins, and each knows who it was."""

import os
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

import pytest
from dropping_proxy import DroppingProxy
from fake_faults import Fault
from fake_store import FakeStore
from store_places import STORES, Place
from store_racer import race, text_of

from deltactl.log.filenames import commit_name

pytestmark = pytest.mark.races

ROUNDS = int(os.environ.get("DELTACTL_RACE_ROUNDS", "10"))
WRITERS = 16
COMMIT = r"\.json$"
# A PUT of the commit, or what makes it one in HDFS: a RENAME with its name as the destination.
COMMIT_BY_URL = r"[0-9]{20}\.json($|\?)|op=RENAME.*[0-9]{20}\.json"
REAL_SERVERS = [
    "moto",
    pytest.param("azurite", marks=pytest.mark.servers),
    pytest.param("hdfs", marks=[pytest.mark.servers, pytest.mark.jvm]),
]


@pytest.fixture
def fake(request: pytest.FixtureRequest, place: Place) -> FakeStore:
    """The fake that the place is in."""
    found: FakeStore = request.getfixturevalue(request.node.callspec.params["place"])
    return found


def log_of(place: Place) -> list[bytes]:
    """The commits as the store gives them, in order; there is nothing else in the log."""
    storage = place.opened()
    found = [file.name for file in storage.list_from("_delta_log")]
    assert found == [commit_name(version) for version in range(len(found))]
    return [storage.read(f"_delta_log/{name}") for name in found]


def assert_told_the_truth(told: Sequence[Sequence[str]], log: Sequence[bytes]) -> None:
    """Assert that in each round one writer was told that it won, and its commit is the version."""
    assert len(told) == len(log) == ROUNDS
    for version, (words, found) in enumerate(zip(told, log, strict=True)):
        assert Counter(words) == {"won": 1, "lost": WRITERS - 1}, version
        assert found == text_of(words.index("won"), version)


@pytest.mark.parametrize("place", STORES, indirect=True)
def test_one_wins_and_the_others_know_it(place: Place) -> None:
    assert log_of(place) == []
    told = race(place, WRITERS, ROUNDS)
    assert_told_the_truth(told, log_of(place))


@pytest.mark.parametrize("place", ["fake_s3", "fake_gcs"], indirect=True)
def test_answers_are_lost_after_the_write_landed(place: Place, fake: FakeStore) -> None:
    assert log_of(place) == []
    fake.plan(Fault(kind="drop after", operation="put", key=COMMIT, share=1 / 3, seed=7))
    told = race(place, WRITERS, ROUNDS)
    hits = fake.faults.hits()[0]
    fake.plan()
    assert_told_the_truth(told, log_of(place))
    # Each writer writes once a round at least; by chance it can be a little less than a third.
    assert hits > WRITERS * ROUNDS / 6
    dropped = [request for request in fake.asked("put", COMMIT) if request.status is None]
    assert len(dropped) == hits


@pytest.mark.parametrize("place", REAL_SERVERS, indirect=True)
def test_answers_of_real_servers_are_lost(place: Place) -> None:
    assert log_of(place) == []
    url = urlsplit(next((v for v in place.options.values() if "://" in v), place.uri))
    with DroppingProxy(url.netloc, COMMIT_BY_URL, share=1 / 3, seed=7) as proxy:
        there = {
            name: value.replace(url.netloc, proxy.address) for name, value in place.options.items()
        }
        told = race(Place(place.uri.replace(url.netloc, proxy.address), there), WRITERS, ROUNDS)
    assert_told_the_truth(told, log_of(place))
    # Who finds the version there does not write in HDFS; in the others each writes once at least.
    assert proxy.dropped > (ROUNDS if place.uri.startswith("webhdfs") else WRITERS * ROUNDS) / 6


@pytest.mark.parametrize("place", ["fake_s3", "fake_gcs"], indirect=True)
def test_every_first_answer_is_lost(place: Place, fake: FakeStore) -> None:
    """Who wins a round is never told so by the store itself: it has to read that."""
    assert log_of(place) == []
    fake.plan(
        *(
            Fault(kind="drop after", operation="put", key=commit_name(version), times=1)
            for version in range(ROUNDS)
        )
    )
    told = race(place, WRITERS, ROUNDS)
    assert fake.faults.hits() == [1] * ROUNDS
    fake.plan()
    assert_told_the_truth(told, log_of(place))


@pytest.mark.parametrize("place", ["fake_s3", "fake_gcs"], indirect=True)
def test_writes_are_lost_on_their_way(place: Place, fake: FakeStore) -> None:
    """A third of the writes never arrives: nobody is told a thing that is not so."""
    assert log_of(place) == []
    fake.plan(Fault(kind="drop before", operation="put", key=COMMIT, share=1 / 3, seed=7))
    told = race(place, WRITERS, ROUNDS)
    fake.plan()
    log = log_of(place)
    # Fifteen others write in each round: that all of them are lost is no thing to wait for.
    assert len(log) == ROUNDS
    for version, (words, found) in enumerate(zip(told, log, strict=True)):
        assert set(words) <= {"won", "lost", "unknown"}
        holder = [number for number in range(WRITERS) if found == text_of(number, version)]
        assert [n for n, word in enumerate(words) if word == "won"] == holder
