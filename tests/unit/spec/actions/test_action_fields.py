"""The table of action fields against the protocol's own, and whoever takes from it."""

import pyarrow as pa
import pytest

from deltactl.log.checkpoint import checkpoint_schema
from deltactl.spec.actions.fields import ACTIONS, DELETION_VECTOR, ActionField, json_types

TEXTS = pa.map_(pa.string(), pa.string())
NAMES = pa.list_(pa.field("element", pa.string()))
VECTOR = pa.struct(
    {
        "storageType": pa.string(),
        "pathOrInlineDv": pa.string(),
        "offset": pa.int32(),
        "sizeInBytes": pa.int32(),
        "cardinality": pa.int64(),
        "maxRowIndex": pa.int64(),
    }
)


@pytest.mark.parametrize(
    ("made", "columns"),
    [
        (
            checkpoint_schema.ADD,
            {
                "path": pa.string(), "partitionValues": TEXTS, "size": pa.int64(),
                "modificationTime": pa.int64(), "dataChange": pa.bool_(), "tags": TEXTS,
                "deletionVector": VECTOR, "baseRowId": pa.int64(),
                "defaultRowCommitVersion": pa.int64(), "clusteringProvider": pa.string(),
            },
        ),
        (
            checkpoint_schema.REMOVE,
            {
                "path": pa.string(), "deletionTimestamp": pa.int64(), "dataChange": pa.bool_(),
                "extendedFileMetadata": pa.bool_(), "partitionValues": TEXTS, "size": pa.int64(),
                "deletionVector": VECTOR, "baseRowId": pa.int64(),
                "defaultRowCommitVersion": pa.int64(),
            },
        ),
        (
            checkpoint_schema.TXN,
            {"appId": pa.string(), "version": pa.int64(), "lastUpdated": pa.int64()},
        ),
        (
            checkpoint_schema.METADATA,
            {
                "id": pa.string(), "name": pa.string(), "description": pa.string(),
                "format": pa.struct({"provider": pa.string(), "options": TEXTS}),
                "schemaString": pa.string(), "partitionColumns": NAMES, "configuration": TEXTS,
                "createdTime": pa.int64(),
            },
        ),
        (
            checkpoint_schema.PROTOCOL,
            {
                "minReaderVersion": pa.int32(), "minWriterVersion": pa.int32(),
                "readerFeatures": NAMES, "writerFeatures": NAMES,
            },
        ),
        (
            checkpoint_schema.DOMAIN,
            {"domain": pa.string(), "configuration": pa.string(), "removed": pa.bool_()},
        ),
        (checkpoint_schema.CHECKPOINT_METADATA, {"version": pa.int64(), "tags": TEXTS}),
        (
            checkpoint_schema.SIDECAR,
            {
                "path": pa.string(), "sizeInBytes": pa.int64(), "modificationTime": pa.int64(),
                "tags": TEXTS,
            },
        ),
    ],
    ids=["add", "remove", "txn", "metaData", "protocol", "domain", "checkpointMetadata", "sidecar"],
)  # fmt: skip
def test_the_columns_of_checkpoints(made: pa.StructType, columns: dict[str, pa.DataType]) -> None:
    assert made == pa.struct(columns)


@pytest.mark.parametrize(
    ("kind", "required"),
    [
        ("add", ["path", "partitionValues", "size", "modificationTime", "dataChange"]),
        ("remove", ["path"]),
        ("cdc", ["path", "size", "partitionValues", "dataChange"]),
        ("txn", ["appId", "version"]),
        ("metaData", ["id", "format", "schemaString", "partitionColumns", "configuration"]),
        ("protocol", ["minReaderVersion", "minWriterVersion"]),
        ("domainMetadata", ["domain", "configuration", "removed"]),
        ("commitInfo", ["timestamp", "operation", "txnId", "operationParameters"]),
        ("checkpointMetadata", ["version"]),
        ("sidecar", ["path", "sizeInBytes", "modificationTime"]),
    ],
)
def test_what_each_action_must_have(kind: str, required: list[str]) -> None:
    assert list(json_types(ACTIONS[kind], required=True)) == required


def test_there_is_no_other_action() -> None:
    assert sorted(ACTIONS) == [
        "add", "cdc", "checkpointMetadata", "commitInfo", "domainMetadata", "metaData", "protocol",
        "remove", "sidecar", "txn",
    ]  # fmt: skip


def test_the_types_of_a_deletion_vector() -> None:
    assert json_types(DELETION_VECTOR, required=True) == {
        "storageType": str,
        "pathOrInlineDv": str,
        "sizeInBytes": int,
        "cardinality": int,
    }
    assert json_types(DELETION_VECTOR, required=False) == {"offset": int, "maxRowIndex": int}


def test_only_numbers_have_bits() -> None:
    fields: list[ActionField] = [field for kind in ACTIONS.values() for field in kind.values()]
    assert {(field.type.json, field.type.bits) for field in fields} == {
        (str, None), (bool, None), (dict, None), (list, None), (int, 32), (int, 64),
    }  # fmt: skip
