from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deltactl.storage.local.local import LocalStorage
from deltactl.table.parquet.footers import UnreadableFileError, read_type

INSTANT = pa.timestamp("us", "UTC")
LOCAL = pa.timestamp("us")
TEXTS = pa.dictionary(pa.int32(), pa.string())


def number(field: pa.Field, field_id: int) -> pa.Field:
    """The field with its id, as parquet has it."""
    return field.with_metadata({"PARQUET:field_id": str(field_id)})


def held(
    root: Path, fields: Any, column: str, ids: list[int | None] | None = None, **options: Any
) -> str | None:
    """The type in which a file without rows holds the column."""
    pq.write_table(pa.schema(fields).empty_table(), root / "part.parquet", **options)
    return read_type(LocalStorage(str(root)), "part.parquet", column.split("."), ids)


@pytest.mark.parametrize(
    ("data_type", "column", "expected"),
    [
        (pa.int8(), "c", "byte"),
        (pa.int16(), "c", "short"),
        (pa.int32(), "c", "integer"),
        (pa.int64(), "c", "long"),
        (pa.decimal128(10, 2), "c", "decimal(10,2)"),
        (INSTANT, "c", "timestamp"),
        (LOCAL, "c", "timestamp_ntz"),
        (pa.large_string(), "c", "string"),
        (pa.string_view(), "c", "string"),
        (TEXTS, "c", "string"),
        (pa.large_binary(), "c", "binary"),
        (pa.binary_view(), "c", "binary"),
        (pa.large_list(pa.large_string()), "c", "array"),
        (pa.large_list(pa.large_string()), "c.element", "string"),
        (pa.large_list(pa.struct({"y": pa.int32()})), "c.element.y", "integer"),
        (pa.list_(pa.int16(), 2), "c", "array"),
        (pa.list_(pa.int16(), 2), "c.element", "short"),
        (pa.list_(pa.list_(pa.int8())), "c.element", "array"),
        (pa.list_(pa.list_(pa.int8())), "c.element.element", "byte"),
        (pa.list_(pa.string_view()), "c.element", "string"),
        (pa.list_(TEXTS), "c.element", "string"),
        (pa.map_(pa.large_string(), pa.int16()), "c", "map"),
        (pa.map_(pa.large_string(), pa.int16()), "c.key", "string"),
        (pa.map_(pa.large_string(), pa.int16()), "c.value", "short"),
        (pa.map_(pa.string(), pa.list_(pa.int8())), "c.value.element", "byte"),
        (pa.struct({"x": pa.float32()}), "c", "struct"),
        (pa.struct({"x": pa.float32()}), "c.x", "float"),
    ],
    ids=str,
)
def test_types_have_deltas_names_whoever_wrote_the_file(
    tmp_path: Path, data_type: pa.DataType, column: str, expected: str
) -> None:
    assert held(tmp_path, {"c": data_type}, column) == expected


@pytest.mark.parametrize(
    ("data_type", "column"),
    [
        (LOCAL, "c"),
        (INSTANT, "c"),
        (pa.list_(LOCAL), "c.element"),
        (pa.map_(pa.string(), LOCAL), "c.value"),
        (pa.struct({"t": LOCAL}), "c.t"),
    ],
    ids=str,
)
def test_the_old_form_of_a_timestamp_is_an_instant(
    tmp_path: Path, data_type: pa.DataType, column: str
) -> None:
    found = held(tmp_path, {"c": data_type}, column, use_deprecated_int96_timestamps=True)
    assert found == "timestamp"


def test_an_old_form_is_found_under_a_name_with_a_dot_and_by_id(tmp_path: Path) -> None:
    fields = [number(pa.field("a.b", LOCAL), 7), pa.field("a", pa.int32())]
    assert held(tmp_path, fields, "a", use_deprecated_int96_timestamps=True) == "integer"
    storage = LocalStorage(str(tmp_path))
    assert read_type(storage, "part.parquet", ["a.b"], None) == "timestamp"
    assert read_type(storage, "part.parquet", ["other"], [7]) == "timestamp"


def test_the_name_is_matched_without_regard_to_case_unless_it_is_there(tmp_path: Path) -> None:
    fields = [("Id", pa.int16()), ("ID", pa.int64())]
    assert held(tmp_path, fields, "ID") == "long"
    assert held(tmp_path, fields, "id") == "short"


def test_a_column_is_found_by_id_where_ids_are_given(tmp_path: Path) -> None:
    inner = pa.struct([number(pa.field("x", pa.int8()), 3)])
    fields = [
        number(pa.field("a", pa.int16()), 1),
        number(pa.field("b", pa.int64()), 2),
        number(pa.field("l", pa.list_(inner)), 4),
    ]
    assert held(tmp_path, fields, "a", [2]) == "long"
    assert held(tmp_path, fields, "gone", [1]) == "short"
    assert held(tmp_path, fields, "l.element.other", [4, None, 3]) == "byte"
    assert held(tmp_path, fields, "a", [9]) is None


@pytest.mark.parametrize("column", ["z", "a.x", "s.z", "l.element.x"])
def test_a_column_that_the_file_does_not_have_has_no_type(tmp_path: Path, column: str) -> None:
    fields = {
        "a": pa.int32(),
        "s": pa.struct({"x": pa.int32()}),
        "l": pa.list_(pa.int32()),
    }
    assert held(tmp_path, fields, column) is None


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFileError) as caught:
        read_type(LocalStorage(str(tmp_path)), "gone.parquet", ["c"], None)
    assert caught.value.code == "DATA_FILE_MISSING"
    assert caught.value.message == "gone.parquet is missing"


@pytest.mark.parametrize("content", [b"", b"garbage", b"PAR1" + b"\xff" * 40 + b"PAR1"])
def test_a_file_that_is_no_parquet(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "part.parquet").write_bytes(content)
    with pytest.raises(UnreadableFileError) as caught:
        read_type(LocalStorage(str(tmp_path)), "part.parquet", ["c"], None)
    assert caught.value.code == "DATA_FILE_UNREADABLE"
    assert caught.value.message.startswith("part.parquet: ")
