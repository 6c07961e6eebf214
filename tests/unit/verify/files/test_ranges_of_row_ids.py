"""Row ids of more files than are held at once are checked as those of few are."""

import pyarrow as pa
import pytest

from deltactl.findings import Finding
from deltactl.table.state.sorted_runs import SortedRuns
from deltactl.verify.files.row_ids import RowIds

File = tuple[int | None, int | None]


def found(files: list[File], mark: int | None, *, run: int, enabled: bool = True) -> list[Finding]:
    ids = RowIds(SortedRuns(2, run))
    try:
        for file in files:
            columns = [pa.array([value], pa.int64()) for value in file]
            ids.add(pa.record_batch(columns, names=["baseRowId", "parsedRecords"]))
        return list(ids.check(mark, enabled=enabled))
    finally:
        ids.close()


TENS: list[File] = [(n * 10, 10) for n in (7, 3, 9, 0, 4, 8, 1, 5, 2, 6)]


@pytest.mark.parametrize("run", [2, 3, 100], ids=["in a file", "in runs of three", "in memory"])
@pytest.mark.parametrize(
    ("files", "mark", "expected"),
    [
        (TENS, 99, []),
        (TENS, 98, [("ROW_ID_MARK_TOO_LOW", "98")]),
        (TENS, None, [("ROW_ID_MARK_TOO_LOW", "no such domain")]),
        ([*TENS, (45, 1)], 99, [("ROW_IDS_OVERLAP", "from 45 on")]),
        ([*TENS, (95, 20)], 99,
         [("ROW_IDS_OVERLAP", "from 95 on"), ("ROW_ID_MARK_TOO_LOW", "99")]),
        # Without rows there are no ids, and where the rows are not known nothing is.
        ([*TENS, (45, 0), (45, None)], 99, []),
        ([*TENS, (None, 3), (None, 3)], 99, [("ROW_ID_MISSING", "none on 2 files")]),
        ([], None, []),
    ],
)  # fmt: skip
def test_row_ids(
    files: list[File], mark: int | None, expected: list[tuple[str, str]], run: int
) -> None:
    assert [(f.code, f.found) for f in found(files, mark, run=run)] == expected


def test_files_may_lack_row_ids_until_the_table_has_to_have_them() -> None:
    assert found([(None, 3)], None, run=100, enabled=False) == []
