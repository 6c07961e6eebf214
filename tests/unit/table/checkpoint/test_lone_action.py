"""An action that is alone in a row group is read as it was written, or not at all."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.log.checkpoint.parquet_pages import ParquetColumn, UnexpectedPageError, entries
from deltactl.table.checkpoint.lone_action import lone_action
from deltactl.table.parquet.parquet_file import ParquetFile

GOLDEN = Path(__file__).parents[3] / "golden"
ROWS = 50_000  # Two pages and a half, for these have at most 20,000 rows.
TEXT = pa.string()
TEXTS = pa.map_(TEXT, TEXT)
KIND = pa.struct(
    {
        "id": TEXT,
        "name": TEXT,
        "format": pa.struct({"provider": TEXT, "options": TEXTS}),
        "columns": pa.list_(TEXT),
        "configuration": TEXTS,
        "createdTime": pa.int64(),
        "version": pa.int32(),
    }
)
BODY = {
    "id": "a",
    "name": None,
    "format": {"provider": "parquet", "options": {}},
    "columns": ["day", "größe", None],
    "configuration": {"k": "v", "empty": "", "none": None},
    "createdTime": -5,
    "version": 3,
}


def pairs(value: Any, kind: pa.DataType) -> Any:
    """The value with maps as the pairs that Arrow makes them of."""
    if value is None:
        return None
    if pa.types.is_map(kind):
        return list(value.items())
    if pa.types.is_struct(kind):
        return {field.name: pairs(value[field.name], field.type) for field in kind}
    return value


def written(
    *bodies: dict[str, Any], at: int = 0, kind: pa.DataType = KIND, **options: Any
) -> bytes:
    """A file of one column, with the bodies one behind the other among nulls."""
    nulls = pa.nulls(ROWS, kind)
    held = pa.array([pairs(body, kind) for body in bodies], kind)
    column = pa.concat_arrays([nulls.slice(0, at), held, nulls.slice(at + len(bodies))])
    sink = pa.BufferOutputStream()
    options = {"use_dictionary": False, "row_group_size": ROWS, **options}
    pq.write_table(pa.table({"kind": column}), sink, **options)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def read(content: bytes) -> dict[str, Any] | None:
    with ParquetFile(pa.BufferReader(content)) as parquet:
        return lone_action(parquet, 0, "kind", lambda at, size: content[at : at + size])


@pytest.mark.parametrize("at", [0, 19_999, 20_000, 30_001, ROWS - 1])
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "zstd"])
def test_it_is_found_wherever_it_stands(at: int, codec: str) -> None:
    assert read(written(BODY, at=at, compression=codec)) == BODY


@pytest.mark.parametrize("has_dictionary", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        {"columns": []},
        {"columns": None},
        {"columns": [None]},
        {"configuration": {}},
        {"configuration": None},
        {"configuration": dict.fromkeys("abcdefghijk", "true")},
        {"configuration": {f"k{i}": str(i) for i in range(1000)}},
        {"format": {"provider": "parquet", "options": None}},
        {"id": "x" * 100_000},
        {"createdTime": 2**63 - 1, "version": -(2**31)},
    ],
    ids=lambda change: f"{change!r:.40}",
)
def test_nothing_and_null_are_told_apart(change: dict[str, Any], has_dictionary: bool) -> None:
    body = BODY | change
    assert read(written(body, at=100, use_dictionary=has_dictionary)) == body


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(written(BODY, BODY, at=100), id="two of them"),
        pytest.param(written(at=100), id="none of them"),
        pytest.param(written(BODY, BODY | {"id": None}, at=5), id="a second one of nulls"),
        pytest.param(written(BODY, compression="brotli"), id="another codec"),
        pytest.param(written(BODY, data_page_version="2.0"), id="another kind of page"),
        pytest.param(
            written(BODY, column_encoding={"kind.createdTime": "DELTA_BINARY_PACKED"}),
            id="another encoding",
        ),
        pytest.param(written(BODY | {"format": None}), id="a struct that is null"),
        pytest.param(written({"b": True}, kind=pa.struct({"b": pa.bool_()})), id="another type"),
        pytest.param(
            written({"l": [["a"]]}, kind=pa.struct({"l": pa.list_(pa.list_(TEXT))})),
            id="lists in lists",
        ),
    ],
)
def test_what_is_not_plain_is_left_to_arrow(content: bytes) -> None:
    assert read(content) is None


def test_checkpoints_of_spark_are_plain() -> None:
    name = "tw_integers_floats/delta/_delta_log/00000000000000000010.checkpoint.parquet"
    content = (GOLDEN / name).read_bytes()
    with ParquetFile(pa.BufferReader(content)) as parquet:
        found = lone_action(parquet, 0, "protocol", lambda at, size: content[at : at + size])
    assert found == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["typeWidening"],
        "writerFeatures": ["typeWidening", "invariants", "appendOnly"],
    }


WHOLE = [written(BODY, at=30_001, use_dictionary=has) for has in (True, False)]
FOOTERS = [len(whole) - 8 - int.from_bytes(whole[-8:-4], "little") for whole in WHOLE]


@given(which=st.integers(0, 1), data=st.data(), octet=st.integers(0, 255))
def test_damage_to_a_page_never_escapes(which: int, data: st.DataObject, octet: int) -> None:
    place = data.draw(st.integers(4, FOOTERS[which] - 1))
    found = read(WHOLE[which][:place] + bytes([octet]) + WHOLE[which][place + 1 :])
    assert found is None or found.keys() == BODY.keys()


@pytest.mark.parametrize(
    "chunk",
    [b"\x1c" * 10_000, b"\x15" + b"\x80" * 10_000, b"\x15\x00\x15", b"\x19\x00"],
    ids=["structs in structs", "an endless number", "cut off", "a list"],
)
def test_a_header_that_is_none_is_refused(chunk: bytes) -> None:
    column = ParquetColumn("INT32", "SNAPPY", num_values=1, definition_level=1, repetition_level=0)
    with pytest.raises(UnexpectedPageError):
        entries(chunk, column)
