"""Data files against the log: their size, rows, types and names, and files of the change feed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import field, metadata

from deltactl.errors import StorageError
from deltactl.spec.actions.action import Metadata
from deltactl.storage.local.local import LocalStorage
from deltactl.verify.data.data_files import (
    ExpectedColumns,
    FileToVerify,
    check_change_files,
    check_file,
)
from deltactl.verify.findings import Check


def write(root: Path, name: str, **columns: pa.Array) -> int:
    """Write a file with the columns, and return its size."""
    pq.write_table(pa.table(columns), root / name)
    return (root / name).stat().st_size


def expected(kind: Any, name: str = "a", **configuration: str) -> ExpectedColumns:
    body = metadata(field(name, kind), field("p", "string"), **configuration)["metaData"]
    return ExpectedColumns(Metadata.from_json({**body, "partitionColumns": ["P"]}))


def found(
    root: Path, kind: Any, values: pa.Array, *, name: str = "a", **more: Any
) -> list[tuple[str, str, str, str]]:
    size = write(root, "f.parquet", **{name: values})
    file = FileToVerify("f.parquet", size, len(values), None, has_vector=False)
    findings = check_file(LocalStorage(str(root)), expected(kind), file._replace(**more))
    return [(f.code, f.subject, f.severity.value, f.found) for f in findings]


LONGS = pa.array([1, 2])


def test_what_the_log_says_of_a_file(tmp_path: Path) -> None:
    assert found(tmp_path, "long", LONGS) == []
    (wrong,) = found(tmp_path, "long", LONGS, size=1)
    assert (wrong[0], wrong[1], wrong[3]) == (
        "DATA_FILE_SIZE",
        "f.parquet",
        f"{(tmp_path / 'f.parquet').stat().st_size} bytes",
    )
    assert found(tmp_path, "long", LONGS, records=3) == [
        ("DATA_FILE_ROWS", "f.parquet", "error", "2 rows")
    ]
    assert found(tmp_path, "long", LONGS, records=None) == []


@pytest.mark.parametrize(
    ("kind", "array", "held"),
    [
        ("long", pa.array([1], pa.int32()), None),
        ("integer", pa.array([1], pa.int64()), "long"),
        ("byte", pa.array([1], pa.int32()), None),
        ("short", pa.array([1], pa.int32()), None),
        ("short", pa.array([1], pa.int64()), "long"),
        ("integer", pa.array(["x"]), "string"),
        ("double", pa.array([1.0], pa.float32()), None),
        ("float", pa.array([1.0]), "double"),
        ("decimal(10,2)", pa.array([1], pa.decimal128(8, 2)), None),
        ("decimal(10,2)", pa.array([1], pa.decimal128(12, 2)), "decimal(12,2)"),
        ("date", pa.array([1], pa.timestamp("us")), "timestamp_ntz"),
        ("timestamp_ntz", pa.array([1], pa.date32()), None),
        ({"type": "struct", "fields": []}, LONGS, "long"),
        ({"type": "array", "elementType": "long", "containsNull": True}, LONGS, "long"),
        ("string", pa.array([[1]]), "array"),
        ("variant", LONGS, "long"),
        ("interval year to month", pa.array([1], pa.int32()), None),
        ("interval year to month", LONGS, "long"),
        ("interval day to second", LONGS, None),
    ],
    ids=str,
)
def test_the_types_that_a_column_may_have_in_files(
    tmp_path: Path, kind: Any, array: pa.Array, held: str | None
) -> None:
    wrong = [] if held is None else [("DATA_FILE_TYPE", "f.parquet: a", "error", held)]
    assert found(tmp_path, kind, array) == wrong


@pytest.mark.parametrize(
    ("kind", "zone", "held"),
    [("timestamp", None, "timestamp_ntz"), ("timestamp_ntz", "UTC", "timestamp")],
)
def test_times_with_and_without_a_zone(
    tmp_path: Path, kind: str, zone: str | None, held: str
) -> None:
    assert found(tmp_path, kind, pa.array([1], pa.timestamp("us", zone))) == [
        ("DATA_FILE_TYPE", "f.parquet: a", "warning", held)
    ]
    assert found(tmp_path, held, pa.array([1], pa.timestamp("us", zone))) == []


@pytest.mark.parametrize("name", ["A", "p", "_change_type", "__is_cdc"])
def test_names_that_a_file_may_have(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, "long", LONGS, name=name) == []


def test_a_name_that_no_column_has(tmp_path: Path) -> None:
    size = write(tmp_path, "f", a=LONGS, ghost=LONGS, other=LONGS)
    file = FileToVerify("f", size, 2, None, has_vector=False)
    (finding,) = check_file(LocalStorage(str(tmp_path)), expected("long"), file)
    assert (finding.code, finding.found, finding.severity.value) == (
        "DATA_FILE_COLUMN",
        "ghost",
        "warning",
    )
    mapped = expected("long", **{"columnMapping.mode": "name"})
    assert check_file(LocalStorage(str(tmp_path)), mapped, file) == []


def test_files_of_a_table_that_is_mapped_by_id(tmp_path: Path) -> None:
    by_id = expected("long", **{"columnMapping.mode": "id"})
    size = write(tmp_path, "f", a=LONGS)
    file = FileToVerify("f", size, 2, None, has_vector=False)
    (finding,) = check_file(LocalStorage(str(tmp_path)), by_id, file)
    assert finding.code == "DATA_FILE_FIELD_IDS"
    schema = pa.schema([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "1"})])
    pq.write_table(pa.table([LONGS], schema=schema), tmp_path / "f")
    file = file._replace(size=(tmp_path / "f").stat().st_size)
    assert check_file(LocalStorage(str(tmp_path)), by_id, file) == []


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    storage = LocalStorage(str(tmp_path))
    gone = FileToVerify("gone", 5, None, None, has_vector=False)
    (missing,) = check_file(storage, expected("long"), gone)
    assert (missing.code, missing.expected, missing.found) == (
        "DATA_FILE_MISSING",
        "the file",
        "none",
    )
    (tmp_path / "torn").write_bytes(b"PAR1!")
    (torn,) = check_file(storage, expected("long"), gone._replace(path="torn"))
    assert (torn.code, torn.subject) == ("DATA_FILE_UNREADABLE", "torn")


@pytest.mark.parametrize(("code", "is_finding"), [("STORAGE_FAILED", True), ("STORE_BUSY", False)])
def test_what_a_store_says_of_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, is_finding: bool
) -> None:
    def fails(*_: object) -> None:
        raise StorageError(code, "no")

    storage = LocalStorage(str(tmp_path))
    monkeypatch.setattr(storage, "head", fails)
    file = FileToVerify("f", 5, None, None, has_vector=False)
    if is_finding:
        assert [f.code for f in check_file(storage, expected("long"), file)] == [
            "DATA_FILE_UNREADABLE"
        ]
        return
    with pytest.raises(StorageError) as caught:
        check_file(storage, expected("long"), file)
    assert caught.value.code == code


def test_files_of_the_change_feed(tmp_path: Path) -> None:
    right = write(tmp_path, "right", a=LONGS, _change_type=pa.array(["insert", "delete"]))
    plain = write(tmp_path, "plain", a=LONGS)
    (tmp_path / "torn").write_bytes(b"PAR1!")
    files: Sequence[tuple[str, int]] = [
        ("right", right), ("right", right + 1), ("plain", plain), ("gone", 5), ("torn", 5),
    ]  # fmt: skip
    check, advanced = Check("change files"), list[int]()
    storage = LocalStorage(str(tmp_path))
    findings = list(check_change_files(storage, files, check, advanced.append))
    assert [(f.code, f.subject) for f in findings] == [
        ("DATA_FILE_SIZE", "right"),
        ("CHANGE_FILE_MALFORMED", "plain"),
        ("DATA_FILE_UNREADABLE", "torn"),
    ]
    # VACUUM takes old ones away, and what is gone is not checked.
    assert (check.subjects, advanced) == (4, [1] * 4)
