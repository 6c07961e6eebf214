"""In which types data files hold a column, and how much of them there is of each."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from checkpoints import parquet
from pruned import add, part
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.operations.physical_types import PhysicalType, most_first, report_physical_types
from deltactl.table.table import open_table

HEAD = [LEGACY, metadata(field("v", "long"))]
INT, LONG = pa.int32(), pa.int64()


def types(uri: str) -> list[tuple[str | None, int, int]]:
    report = report_physical_types(open_table(uri), ("v",))
    return [(held.type, held.files, held.size) for held in report.types]


def test_files_and_bytes_of_each_type(tmp_path: Path) -> None:
    files = [
        part(tmp_path, "a", {"v": INT}, size=5),
        part(tmp_path, "b", {"v": LONG}, size=0),
        part(tmp_path, "c", {"v": LONG}, size=7),
        part(tmp_path, "d", {"w": LONG}, size=1),
        add("gone"),
    ]
    uri = write_log(tmp_path, [[commit_info(), *HEAD, *files]])
    assert types(uri) == [("long", 2, 7), (None, 1, 1), ("integer", 1, 5)]
    report = report_physical_types(open_table(uri), ("v",))
    assert (report.unreadable, [notice.code for notice in report.warnings]) == (
        1,
        ["DATA_FILE_MISSING"],
    )


def test_a_checkpoint_that_does_not_tell_sizes(tmp_path: Path) -> None:
    pq.write_table(pa.table({"v": pa.array([1], LONG)}), tmp_path / "a")
    body = {"path": "a", "partitionValues": {}, "modificationTime": 5, "dataChange": True}
    name = f"{0:020d}.checkpoint.parquet"
    uri = write_log(
        tmp_path, [[commit_info(), *HEAD]], others={name: parquet([*HEAD, {"add": body}])}
    )
    assert types(uri) == [("long", 1, 0)]


def test_types_of_most_files_are_first_and_then_they_are_in_order() -> None:
    held = [PhysicalType("b", 1), PhysicalType("a", 1), PhysicalType(None, 1), PhysicalType("c", 2)]
    first = most_first({one.type: one for one in held})
    assert [one.type for one in first] == ["c", None, "a", "b"]
