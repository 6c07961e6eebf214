from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from checkpoints import classic
from small_tables import LEGACY, Action, commit_info, field, metadata, protocol, write_log

from deltactl.errors import NotFoundError
from deltactl.operations.inspect.history import HistoryFilter, report_history
from deltactl.operations.inspect.show import report_show
from deltactl.table.table import Table, open_table

BASE = 1_700_000_000_000  # 2023-11-14T22:13:20Z
LATER = 1_800_000_000_000  # 2027-01-15T08:00:00Z
ID = field("id", "long")
CREATE = [commit_info(), LEGACY, metadata(ID)]
OWN_TIMES = protocol(writer=["inCommitTimestamp"])


def at(clock: str, day: str = "2023-11-14") -> datetime:
    return datetime.fromisoformat(f"{day}T{clock}+00:00")


def seconds(*numbers: int, base: int = BASE) -> list[int]:
    return [base + number * 1000 for number in numbers]


def own(second: int) -> Action:
    return commit_info(inCommitTimestamp=BASE + second * 1000)


def found(table: Table, moment: datetime) -> tuple[int | None, list[str]]:
    version, notices = table.version(moment)
    return version, [notice.code for notice in notices]


@pytest.fixture
def plain(tmp_path: Path) -> Table:
    """Versions 0 to 4, ten seconds apart by their files."""
    commits = [CREATE, *([commit_info()] for _ in range(4))]
    return open_table(write_log(tmp_path, commits, times=seconds(0, 10, 20, 30, 40)))


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("22:13:20", 0),
        ("22:13:29.999", 0),
        ("22:13:30", 1),
        ("22:13:30.0009", 1),
        ("22:13:59.999999", 3),
        ("22:14:00", 4),
    ],
)
def test_a_time_means_the_last_commit_at_or_before_it(
    plain: Table, clock: str, expected: int
) -> None:
    assert found(plain, at(clock)) == (expected, [])


def test_a_time_in_another_zone_is_the_same_moment(plain: Table) -> None:
    assert found(plain, datetime.fromisoformat("2023-11-15T00:13:30+02:00")) == (1, [])


def test_after_the_newest_commit_it_is_the_newest_and_said_so(plain: Table) -> None:
    version, (notice,) = plain.version(at("22:14:00.001"))
    assert (version, notice.code) == (4, "TIMESTAMP_AFTER_HISTORY")
    assert notice.message == (
        "2023-11-14T22:14:00.001Z is after the newest commit; "
        "this is version 4 of 2023-11-14T22:14:00.000Z"
    )


def test_before_the_oldest_commit_there_is_nothing(plain: Table) -> None:
    with pytest.raises(NotFoundError) as caught:
        plain.version(at("22:13:19.999"))
    assert caught.value.code == "TIMESTAMP_BEFORE_HISTORY"
    assert caught.value.details == {"oldest": 0, "timestamp": "2023-11-14T22:13:20.000Z"}


@pytest.fixture
def in_commit(tmp_path: Path) -> Table:
    """Own times from version 0 on, a second apart; the files were all copied much later."""
    create = [own(0), OWN_TIMES, metadata(ID, enableInCommitTimestamps="true")]
    commits = [create, *([own(n)] for n in range(1, 5))]
    return open_table(write_log(tmp_path, commits, times=seconds(0, 1, 2, 3, 4, base=LATER)))


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("22:13:20", (0, [])),
        ("22:13:20.999", (0, [])),
        ("22:13:22", (2, [])),
        ("22:13:24", (4, [])),
        ("22:13:25", (4, ["TIMESTAMP_AFTER_HISTORY"])),
    ],
)
def test_times_in_commits_from_the_start(
    in_commit: Table, clock: str, expected: tuple[int, list[str]]
) -> None:
    assert found(in_commit, at(clock)) == expected


def test_before_the_first_time_in_a_commit_there_is_nothing(in_commit: Table) -> None:
    with pytest.raises(NotFoundError) as caught:
        in_commit.version(at("22:13:19"))
    assert caught.value.details == {"oldest": 0, "timestamp": "2023-11-14T22:13:20.000Z"}


def enabled_at_4(root: Path, times: list[int]) -> Table:
    """Own times from version 4 on: 22:13:24, and 22:13:25 for version 5."""
    settings: dict[str, Any] = {
        "enableInCommitTimestamps": "true",
        "inCommitTimestampEnablementVersion": "4",
        "inCommitTimestampEnablementTimestamp": "1700000004000",
    }
    enabling = [own(4), OWN_TIMES, metadata(ID, **settings)]
    commits = [CREATE, *([commit_info()] for _ in range(3)), enabling, [own(5)]]
    return open_table(write_log(root, commits, times=times))


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("22:13:20", 0),
        ("22:13:22.5", 2),
        ("22:13:23", 3),
        ("22:13:24.999", 4),
        ("22:13:25", 5),
    ],
)
def test_times_in_commits_from_a_later_version(tmp_path: Path, clock: str, expected: int) -> None:
    table = enabled_at_4(tmp_path, seconds(0, 1, 2, 3, 4, 5))
    assert found(table, at(clock)) == (expected, [])


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("22:13:24", (4, [])),
        ("22:13:24.999", (4, [])),
        ("22:13:25", (5, [])),
        ("22:13:26", (5, ["TIMESTAMP_AFTER_HISTORY"])),
    ],
)
def test_files_newer_than_the_times_in_commits_hide_none_of_them(
    tmp_path: Path, clock: str, expected: tuple[int, list[str]]
) -> None:
    table = enabled_at_4(tmp_path, seconds(0, 1, 2, 3, 4, 5, base=LATER))
    assert found(table, at(clock)) == expected


def test_before_the_times_in_commits_the_files_are_asked(tmp_path: Path) -> None:
    table = enabled_at_4(tmp_path, seconds(0, 1, 2, 3, 4, 5, base=LATER))
    with pytest.raises(NotFoundError) as caught:
        table.version(at("22:13:23.999"))
    assert caught.value.details == {"oldest": 0, "timestamp": "2027-01-15T08:00:00.000Z"}


@pytest.mark.parametrize(
    "torn",
    ['{"add":{"path"', '{"metaData":{"id":"5f', '{"protocol":{"minRea', ""],
    ids=["add", "metaData", "protocol", "empty"],
)
def test_a_torn_newest_commit_hides_no_older_one(tmp_path: Path, torn: str) -> None:
    commits: list[list[Action] | str] = [CREATE, [commit_info()], [commit_info()], torn]
    table = open_table(write_log(tmp_path, commits, times=seconds(0, 10, 20, 30)))
    assert found(table, at("22:13:35")) == (1, [])
    assert table.snapshot(at("22:13:40")).version == 2


def test_a_torn_newest_commit_hides_no_older_one_with_its_own_time(tmp_path: Path) -> None:
    create = [own(0), OWN_TIMES, metadata(ID, enableInCommitTimestamps="true")]
    commits: list[list[Action] | str] = [create, [own(1)], [own(2)], '{"commitInfo":{"inCommitT']
    table = open_table(write_log(tmp_path, commits, times=seconds(0, 1, 2, 3, base=LATER)))
    assert found(table, at("22:13:21")) == (1, [])
    assert table.snapshot(at("22:13:21")).version == 1


@pytest.mark.parametrize("hint", [{}, {"_last_checkpoint": b'{"version":2,"size":2}'}])
def test_show_and_history_give_one_time_above_a_checkpoint(
    tmp_path: Path, hint: dict[str, bytes]
) -> None:
    # All files have one time, so each commit is moved up past the one before it.
    commits = [CREATE, *([commit_info()] for _ in range(4))]
    others = {**classic(2, [LEGACY, metadata(ID)]), **hint}
    path = write_log(tmp_path, commits, times=seconds(0, 0, 0, 0, 0), others=others)
    assert report_show(open_table(path)).body()["timestamp"] == "2023-11-14T22:13:20.004Z"
    assert report_show(open_table(path), 3).body()["timestamp"] == "2023-11-14T22:13:20.003Z"
    rows = report_history(open_table(path), HistoryFilter(limit=2)).commits
    times = [(row.commit.version, row.commit.timestamp) for row in rows]
    assert times == [(4, 1_700_000_000_004), (3, 1_700_000_000_003)]
    assert found(open_table(path), at("22:13:20.003")) == (3, [])
