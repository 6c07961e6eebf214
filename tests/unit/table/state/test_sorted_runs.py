"""Numbers are read back in order, few of them at once, through a file that is gone afterwards."""

import random
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest

from deltactl.errors import StorageError
from deltactl.table.state.sorted_runs import SortedRuns

LARGEST, SMALLEST = 2**63 - 1, -(2**63)


def ordered(runs: SortedRuns) -> list[list[tuple[int, ...]]]:
    return [
        list(zip(*(column.to_pylist() for column in columns), strict=True))
        for columns in runs.ordered()
    ]


def of(*values: int) -> pa.Int64Array:
    return pa.array(values, pa.int64())


def test_few_rows_are_one_range_and_need_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    with SortedRuns(2, run=4) as runs:
        runs.add(of(5, LARGEST), of(50, 1))
        runs.add(of(SMALLEST), of(0))
        assert ordered(runs) == [[(SMALLEST, 0), (5, 50), (LARGEST, 1)]]


def test_nothing_is_no_range() -> None:
    with SortedRuns() as runs:
        assert ordered(runs) == []


def test_many_rows_come_in_order_and_few_at_once() -> None:
    numbers = list(range(-5000, 5000))
    random.Random(14).shuffle(numbers)
    most_held = 0
    with SortedRuns(2, run=100) as runs:
        for start in range(0, 10_000, 40):
            part = numbers[start : start + 40]
            runs.add(of(*part), of(*(n * 7 for n in part)))
            most_held = max(most_held, sum(map(len, runs._held[0])))
        ranges = ordered(runs)
    assert [row for rows in ranges for row in rows] == [(n, n * 7) for n in range(-5000, 5000)]
    assert most_held <= 100
    # The samples of the runs, not all of their keys, say where a range ends.
    assert max(map(len, ranges)) <= 250


def test_equal_keys_stand_in_one_range() -> None:
    with SortedRuns(run=10) as runs:
        for _ in range(30):
            runs.add(of(1, 2, 2, 2, 3))
        ranges = [{row[0] for row in rows} for rows in ordered(runs)]
    assert [key for keys in ranges for key in sorted(keys)] == [1, 2, 3]


@pytest.mark.parametrize("place", ["nowhere", "a file"])
def test_a_temporary_file_that_cannot_be_written_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    (tmp_path / "a file").write_bytes(b"")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / place))
    with SortedRuns(run=2) as runs, pytest.raises(StorageError) as raised:
        runs.add(of(1, 2, 3))
    assert raised.value.code == "TEMPORARY_FILE_FAILED"


def test_a_temporary_file_that_was_cut_short_is_told() -> None:
    with SortedRuns(run=2) as runs:
        runs.add(of(3, 2, 1))
        assert runs._file is not None
        runs._file.truncate(16)
        with pytest.raises(StorageError) as raised:
            ordered(runs)
    assert raised.value.code == "TEMPORARY_FILE_FAILED"
