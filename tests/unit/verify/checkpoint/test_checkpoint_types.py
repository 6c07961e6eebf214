"""Types of a checkpoint's columns: those that engines write fit, and others are named."""

import pyarrow as pa
import pytest

from deltactl.verify.checkpoint.checkpoint_types import mistyped_columns

TEXTS = pa.map_(pa.string(), pa.string())


def found(column: str, data_type: pa.DataType) -> list[str]:
    kind, _, field = column.partition(".")
    return [
        str(column) for column in mistyped_columns(pa.schema({kind: pa.struct({field: data_type})}))
    ]


@pytest.mark.parametrize(
    ("column", "data_type"),
    [
        ("add.size", pa.int64()),
        ("add.size", pa.int32()),
        ("add.size", pa.uint32()),
        ("add.path", pa.large_string()),
        ("add.path", pa.dictionary(pa.int32(), pa.string())),
        ("add.tags", pa.null()),
        ("add.partitionValues", pa.map_(pa.string(), pa.large_string())),
        ("metaData.partitionColumns", pa.large_list(pa.string())),
        ("metaData.partitionColumns", pa.list_(pa.field("item", pa.string(), nullable=False))),
        ("add.stats_parsed", pa.struct({"numRecords": pa.string()})),
        ("add.ofAnotherEngine", pa.float64()),
        ("ofAnotherEngine.size", pa.float64()),
    ],
    ids=str,
)
def test_it_fits(column: str, data_type: pa.DataType) -> None:
    assert found(column, data_type) == []


@pytest.mark.parametrize(
    ("column", "data_type", "expected"),
    [
        ("add.size", pa.string(), "int64"),
        ("add.size", pa.float64(), "int64"),
        ("add.size", pa.uint64(), "int64"),
        ("add.modificationTime", pa.timestamp("ms"), "int64"),
        ("add.dataChange", pa.int32(), "bool"),
        ("add.stats", pa.binary(), "string"),
        ("add.path", pa.dictionary(pa.int32(), pa.binary()), "string"),
        ("add.tags", TEXTS.item_type, str(TEXTS)),
        ("add.deletionVector", pa.string(), "struct<storageType"),
        ("protocol.minReaderVersion", pa.int64(), "int32"),
        ("protocol.readerFeatures", pa.list_(pa.int32()), "list<element: string>"),
        ("txn.version", pa.struct({"value": pa.int64()}), "int64"),
    ],
    ids=str,
)
def test_it_does_not(column: str, data_type: pa.DataType, expected: str) -> None:
    kind, _, field = column.partition(".")
    (found,) = mistyped_columns(pa.schema({kind: pa.struct({field: data_type})}))
    assert found.column == column
    assert str(found.expected).startswith(expected)
    assert found.found == data_type
