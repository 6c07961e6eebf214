"""The Arrow schema of a table's checkpoints: columns, their order and types, as Spark has them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import pyarrow as pa

from deltactl.spec.actions.fields import ACTIONS, DELETION_VECTOR, ActionField, FieldType
from deltactl.spec.keys import (
    CHECKPOINT_STATS_AS_JSON,
    CHECKPOINT_STATS_AS_STRUCT,
    DELETION_VECTORS_FEATURE,
)
from deltactl.spec.properties.indexed_columns import has_bounds, indexed
from deltactl.spec.properties.registry import effective
from deltactl.spec.schema.column_mapping import physical_name
from deltactl.spec.schema.types import DataType, Decimal, Struct, StructField

STATS, STATS_PARSED, VALUES_PARSED = "stats", "stats_parsed", "partitionValues_parsed"

TEXTS = pa.map_(pa.string(), pa.string())
_LIST = pa.list_(pa.field("element", pa.string()))
_LONG, _INT, _TEXT, _BOOL = pa.int64(), pa.int32(), pa.string(), pa.bool_()


def _struct(fields: Mapping[str, ActionField], *, without: str | None = None) -> pa.StructType:
    """Return the type of a column that holds those of the fields that checkpoints have."""
    held = {name: field.type for name, field in fields.items() if field.in_checkpoints}
    return pa.struct({name: _arrow(kind) for name, kind in held.items() if name != without})


def _arrow(kind: FieldType) -> pa.DataType:
    if kind.fields is not None:
        return _struct(kind.fields)
    if kind.json is dict:
        return TEXTS
    return _LIST if kind.json is list else _SCALARS[kind.json, kind.bits]


_SCALARS = {(str, None): _TEXT, (bool, None): _BOOL, (int, 32): _INT, (int, 64): _LONG}
VECTOR = _struct(DELETION_VECTOR)
# An add as commits have it; what is made of it for checkpoints comes behind.
ADD = _struct(ACTIONS["add"], without=STATS)
REMOVE = _struct(ACTIONS["remove"])
TXN = _struct(ACTIONS["txn"])
METADATA = _struct(ACTIONS["metaData"])
PROTOCOL = _struct(ACTIONS["protocol"])
DOMAIN = _struct(ACTIONS["domainMetadata"])
CHECKPOINT_METADATA = _struct(ACTIONS["checkpointMetadata"])
SIDECAR = _struct(ACTIONS["sidecar"])

# Arrow's form of those types that statistics and partition values have. A void column, and a
# variant, has no value that a partition or a bound could hold.
_ARROW = {
    "byte": pa.int8(), "short": pa.int16(), "integer": _INT, "long": _LONG,
    "float": pa.float32(), "double": pa.float64(), "string": _TEXT, "boolean": _BOOL,
    "binary": pa.binary(), "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}  # fmt: skip


@dataclass(frozen=True)
class CheckpointSchema:
    """What the checkpoints of a table hold of its files.

    `stats` is the type of `stats_parsed` and `partition_values` that of `partitionValues_parsed`,
    None if the checkpoint has none; both under physical names, and with today's types.
    """

    stats_as_json: bool
    stats: pa.StructType | None
    partition_values: pa.StructType | None

    @property
    def add(self) -> pa.StructType:
        """The type of the column `add`."""
        more = {STATS: _TEXT} if self.stats_as_json else {}
        if self.partition_values is not None:
            more[VALUES_PARSED] = self.partition_values
        if self.stats is not None:
            more[STATS_PARSED] = self.stats
        return pa.struct([*ADD, *(pa.field(name, kind) for name, kind in more.items())])

    def classic(self) -> pa.Schema:
        """Return the schema of a checkpoint in one file, and of each part of one in several."""
        return pa.schema(
            {
                "txn": TXN, "add": self.add, "remove": REMOVE, "metaData": METADATA,
                "protocol": PROTOCOL, "domainMetadata": DOMAIN,
            }
        )  # fmt: skip

    def sidecar(self) -> pa.Schema:
        """Return the schema of a file that holds the file actions of a V2 checkpoint."""
        return pa.schema({"add": self.add, "remove": REMOVE})

    def top(self) -> pa.Schema:
        """Return the schema of a V2 checkpoint's own parquet file, without file actions."""
        own = {"checkpointMetadata": CHECKPOINT_METADATA, "sidecar": SIDECAR}
        return pa.schema([*self.classic(), *(pa.field(name, kind) for name, kind in own.items())])


def checkpoint_schema(
    schema: Struct,
    partition_columns: Collection[str],
    configuration: Mapping[str, str],
    features: Collection[str],
) -> CheckpointSchema:
    """Return the checkpoint schema for this table schema, properties and features."""
    stats = partition_values = None
    if effective(configuration, CHECKPOINT_STATS_AS_STRUCT):
        has_vectors = DELETION_VECTORS_FEATURE in features
        stats = statistics_type(schema, partition_columns, configuration, has_vectors=has_vectors)
        by_name = {field.name.casefold(): field for field in schema.fields}
        parts = [by_name[name.casefold()] for name in partition_columns]
        held = [(physical_name(field), _leaf(field.type)) for field in parts]
        partition_values = pa.struct([(n, kind) for n, kind in held if kind is not None])
    return CheckpointSchema(
        stats_as_json=effective(configuration, CHECKPOINT_STATS_AS_JSON) is not False,
        stats=stats,
        partition_values=partition_values if partition_columns and partition_values else None,
    )


def statistics_type(
    schema: Struct,
    partition_columns: Collection[str],
    configuration: Mapping[str, str],
    *,
    has_vectors: bool = False,
) -> pa.StructType:
    """Return the type of `stats_parsed`; names of partition columns may be wrong."""
    names = {name.casefold() for name in partition_columns}
    partitions = [field.name for field in schema.fields if field.name.casefold() in names]
    columns = indexed(schema, configuration, partitions)
    bounds = _mirror(columns, lambda t: _leaf(t) if has_bounds(t) else None)
    nulls = _mirror(columns, lambda _: _LONG)
    fields = {"numRecords": _LONG}
    if bounds is not None:
        fields |= {"minValues": bounds, "maxValues": bounds}
    if nulls is not None:
        fields["nullCount"] = nulls
    if has_vectors:
        fields["tightBounds"] = _BOOL
    return pa.struct(fields)


def _mirror(struct: Struct, leaf: Callable[[DataType], pa.DataType | None]) -> pa.StructType | None:
    """Return the struct with `leaf` applied to its leaves; None if it has none."""
    fields = [
        (physical_name(field), kind)
        for field in struct.fields
        if (kind := _mirrored(field, leaf)) is not None
    ]
    return pa.struct(fields) if fields else None


def _mirrored(
    field: StructField, leaf: Callable[[DataType], pa.DataType | None]
) -> pa.DataType | None:
    return _mirror(field.type, leaf) if isinstance(field.type, Struct) else leaf(field.type)


def _leaf(data_type: DataType) -> pa.DataType | None:
    if isinstance(data_type, Decimal):
        return pa.decimal128(data_type.precision, data_type.scale)
    return _ARROW.get(str(data_type))
