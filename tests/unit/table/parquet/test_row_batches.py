"""The rows of a data file: only the columns asked for, wherever and in whatever type they are."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltactl.storage.local.local import LocalStorage
from deltactl.table.parquet import row_batches
from deltactl.table.parquet.footers import UnreadableFileError
from deltactl.table.parquet.row_batches import Wanted, read_batches


def read(
    root: Path, *columns: Wanted, name: str = "f"
) -> list[tuple[int, list[tuple[str, list[object]] | None]]]:
    batches = read_batches(LocalStorage(str(root)), name, columns)
    return [
        (batch.rows, [None if h is None else (h.type, h.values.to_pylist()) for h in batch.columns])
        for batch in batches
    ]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rows = [{"a": 1, "s": {"x": "p", "y": 5}, "l": [{"x": 1}]}, {"a": 2, "s": None, "l": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "f")
    return tmp_path


def test_columns_that_a_file_has_and_one_that_it_lacks(file: Path) -> None:
    found = read(file, Wanted(("S", "X")), Wanted(("b",)), Wanted(("a",)), Wanted(("a", "z")))
    assert found == [(2, [("string", ["p", None]), None, ("long", [1, 2]), None])]


def test_without_a_column_there_are_only_rows(file: Path) -> None:
    assert read(file, Wanted(("b",)), Wanted(("c",))) == [(2, [None, None])]
    assert read(file) == [(2, [])]


def test_what_is_inside_a_list_has_no_value_for_a_row(file: Path) -> None:
    assert read(file, Wanted(("l", "element", "x"))) == [(2, [None])]


def test_rows_come_in_batches(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_batches, "ROWS", 1)
    assert [rows for rows, _ in read(file, Wanted(("a",)))] == [1, 1]


def test_columns_by_their_ids(tmp_path: Path) -> None:
    schema = pa.schema([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "7"})])
    pq.write_table(pa.table([[4]], schema=schema), tmp_path / "f")
    assert read(tmp_path, Wanted(("y",), (7,))) == [(1, [("long", [4])])]
    assert read(tmp_path, Wanted(("x",), (8,))) == [(1, [None])]


def test_old_timestamps_mean_an_instant(tmp_path: Path) -> None:
    old = pa.table({"t": pa.array([-(10**16)], pa.timestamp("us"))})
    pq.write_table(old, tmp_path / "f", use_deprecated_int96_timestamps=True)
    pq.write_table(old, tmp_path / "g")
    assert [held[0] for _, (held,) in read(tmp_path, Wanted(("t",))) if held] == ["timestamp"]
    [(_, [new])] = read(tmp_path, Wanted(("t",)), name="g")
    assert new is not None
    assert new[0] == "timestamp_ntz"


@pytest.mark.parametrize(
    ("content", "code"), [(None, "DATA_FILE_MISSING"), (b"PAR1!", "DATA_FILE_UNREADABLE")]
)
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, code: str) -> None:
    if content is not None:
        (tmp_path / "f").write_bytes(content)
    with pytest.raises(UnreadableFileError) as caught:
        read(tmp_path, Wanted(("a",)))
    assert caught.value.code == code
    assert caught.value.message.startswith("f")
