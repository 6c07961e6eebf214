"""File actions as the columns of a checkpoint: those of an older one pass through as Arrow."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from deltactl.log.arrow.file_table import check_struct
from deltactl.log.checkpoint import checkpoint_schema
from deltactl.log.checkpoint.checkpoint_schema import (
    ADD,
    REMOVE,
    STATS,
    STATS_PARSED,
    TEXTS,
    VALUES_PARSED,
    CheckpointSchema,
)
from deltactl.log.stats.stats_json import json_of
from deltactl.log.stats.text_values import cast_texts
from deltactl.spec.actions.file_action import AddFile, DeletionVector, RemoveFile

Path = tuple[str, ...]
Parse = Callable[[pa.StringArray], pa.StructArray]


class RowMaker:
    """Makes the columns `add` and `remove` of one table's checkpoints.

    `parse` makes the structs of statistics of their JSON.
    """

    def __init__(self, schema: CheckpointSchema, parse: Parse) -> None:
        self.schema = schema
        self._add = schema.add
        self._parse = parse

    def adds(self, held: pa.StructArray, legacy_times: Collection[Path] = ()) -> pa.StructArray:
        """Return the adds of an older checkpoint with the fields that it holds, none null.

        Statistics that it holds in one form only are made the other one of where that is wanted.
        `legacy_times` are the leaves of `stats_parsed` in parquet's old form of a timestamp,
        which comes without a zone and always means an instant.
        """
        fields = _fields(held)
        if legacy_times and STATS_PARSED in fields:
            fields[STATS_PARSED] = _zoned(fields[STATS_PARSED], legacy_times)
        known = {field.name: _field(fields, field) for field in ADD}
        known["partitionValues"] = _never_null(known["partitionValues"])
        return self._finished(known, fields.get(STATS), fields.get(STATS_PARSED))

    def new_adds(self, adds: Sequence[AddFile]) -> pa.StructArray:
        """Return the adds of commits."""
        texts = [_maps(add.partition_values) for add in adds]
        known = {
            "path": pa.array([add.path for add in adds], pa.string()),
            "partitionValues": pa.array(texts, TEXTS),
            "size": pa.array([add.size for add in adds], pa.int64()),
            "modificationTime": pa.array([add.modification_time for add in adds], pa.int64()),
            "tags": pa.array([_maps(add.tags) for add in adds], TEXTS),
            "deletionVector": _vectors([add.deletion_vector for add in adds]),
            "baseRowId": pa.array([add.base_row_id for add in adds], pa.int64()),
            "defaultRowCommitVersion": pa.array(
                [add.default_row_commit_version for add in adds], pa.int64()
            ),
            "clusteringProvider": pa.array(
                [_text(add.unknown.get("clusteringProvider")) for add in adds], pa.string()
            ),
        }
        stats = pa.array([add.stats for add in adds], pa.string())
        return self._finished(known, stats, None)

    def removes(self, held: pa.StructArray) -> pa.StructArray:
        """Return the tombstones of an older checkpoint, none null."""
        fields = _fields(held)
        known = {field.name: _field(fields, field) for field in REMOVE}
        known["dataChange"] = _false(len(held))
        return pa.StructArray.from_arrays([known[f.name] for f in REMOVE], fields=list(REMOVE))

    def new_removes(self, removes: Sequence[RemoveFile]) -> pa.StructArray:
        """Return the tombstones of commits."""
        rows = []
        for remove in removes:
            body = remove.unknown
            values = body.get("partitionValues")
            vector = remove.deletion_vector
            rows.append(
                {
                    "path": remove.path,
                    "deletionTimestamp": _whole(body.get("deletionTimestamp")),
                    "dataChange": False,
                    "extendedFileMetadata": _flag(body.get("extendedFileMetadata")),
                    "partitionValues": _maps(values) if isinstance(values, dict) else None,
                    "size": _whole(body.get("size")),
                    "deletionVector": None if vector is None else _vector_row(vector),
                    "baseRowId": _whole(body.get("baseRowId")),
                    "defaultRowCommitVersion": _whole(body.get("defaultRowCommitVersion")),
                }
            )
        return pa.array(rows, REMOVE)

    def _finished(
        self,
        known: dict[str, pa.Array],
        stats: pa.StringArray | None,
        parsed: pa.StructArray | None,
    ) -> pa.StructArray:
        rows = len(known["path"])
        stats = pa.nulls(rows, pa.string()) if stats is None else _cast(stats, pa.string())
        known["dataChange"] = _false(rows)
        if self.schema.stats is not None:
            known[STATS_PARSED] = self._structs(stats, parsed, self.schema.stats)
        if self.schema.partition_values is not None:
            known[VALUES_PARSED] = _parsed_values(
                known["partitionValues"], self.schema.partition_values
            )
        if self.schema.stats_as_json:
            known[STATS] = _texts(stats, parsed)
        return pa.StructArray.from_arrays(
            [known[field.name] for field in self._add], fields=list(self._add)
        )

    def _structs(
        self, stats: pa.StringArray, parsed: pa.StructArray | None, target: pa.StructType
    ) -> pa.StructArray:
        if parsed is None or parsed.null_count == len(parsed):
            return self._parse(stats)
        if not holds(parsed.type, target):
            made = self._parse(stats)
            return _first(made, projected(parsed, target)) if stats.null_count else made
        held = projected(parsed, target)
        return _first(held, self._parse(stats)) if held.null_count else held


def holds(kind: pa.StructType, target: pa.StructType) -> bool:
    """Return whether statistics of this type hold every value of `target` as well."""
    for field in target:
        place = kind.get_field_index(field.name)
        if place < 0:
            return False
        own = kind.field(place).type
        if kinds.is_struct(field.type):
            if not kinds.is_struct(own) or not holds(own, field.type):
                return False
        elif not _widens(own, field.type):
            return False
    return True


def projected(structs: pa.StructArray, target: pa.StructType) -> pa.StructArray:
    """Return the structs cast to `target`; a field they lack is null."""
    arrays = []
    for field in target:
        place = structs.type.get_field_index(field.name)
        own = None if place < 0 else structs.field(place)
        if own is None:
            arrays.append(pa.nulls(len(structs), field.type))
        elif kinds.is_struct(field.type) and kinds.is_struct(own.type):
            arrays.append(projected(own, field.type))
        elif _widens(own.type, field.type):
            arrays.append(_cast(own, field.type))
        else:
            arrays.append(pa.nulls(len(structs), field.type))
    mask = structs.is_null() if structs.null_count else None
    return pa.StructArray.from_arrays(arrays, fields=list(target), mask=mask)


def small_rows(schema: pa.Schema, actions: Iterable[tuple[str, Mapping[str, Any]]]) -> pa.Table:
    """Return the actions without files, one a row."""
    rows = [{kind: _row(body, schema.field(kind).type)} for kind, body in actions]
    return pa.Table.from_pylist(rows, schema)


def _row(body: Mapping[str, Any], kind: pa.StructType) -> dict[str, Any]:
    return {field.name: _value(body.get(field.name), field.type) for field in kind}


def _value(value: Any, kind: pa.DataType) -> Any:
    if value is None:
        return None
    if kinds.is_map(kind):
        return _maps(value) if isinstance(value, Mapping) else []
    if kinds.is_struct(kind):
        return _row(value if isinstance(value, Mapping) else {}, kind)
    if kinds.is_string(kind):
        return _text(value)
    if kinds.is_integer(kind):
        return _whole(value)
    return value


def _fields(structs: pa.StructArray) -> dict[str, pa.Array]:
    arrays = (
        structs.flatten()
        if structs.null_count
        else map(structs.field, range(structs.type.num_fields))
    )
    return {field.name: array for field, array in zip(structs.type, arrays, strict=True)}


def _field(fields: Mapping[str, pa.Array], field: Any, rows: int | None = None) -> pa.Array:
    """Return the field in its own type; null in every row if the checkpoint does not have it."""
    rows = len(fields["path"]) if rows is None else rows
    array = fields.get(field.name)
    if array is None or array.null_count == len(array):
        return pa.nulls(rows, field.type)
    if not kinds.is_struct(field.type):
        return _cast(array, field.type)
    check_struct(array)
    below = dict(zip([f.name for f in array.type], array.flatten(), strict=True))
    arrays = [_field(below, inner, rows) for inner in field.type]
    # Some writers have a struct of nulls where there is none.
    missing = arrays[0].is_null()
    return pa.StructArray.from_arrays(arrays, fields=list(field.type), mask=missing)


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return array if array.type == kind else array.cast(kind)


def _false(rows: int) -> pa.BooleanArray:
    return pa.BooleanArray.from_buffers(
        pa.bool_(), rows, [None, pa.py_buffer(bytes((rows + 7) // 8))]
    )


def _never_null(maps: pa.MapArray) -> pa.MapArray:
    """Return the maps, empty if missing: every add has partition values."""
    if not maps.null_count:
        return maps
    if maps.null_count == len(maps):
        offsets = pa.array([0], pa.int32()).take(pa.nulls(len(maps) + 1, pa.int32()).fill_null(0))
        nothing = pa.array([], pa.string())
        return pa.MapArray.from_arrays(offsets, nothing, nothing)
    return pc.coalesce(maps, pa.scalar([], TEXTS))


def _parsed_values(maps: pa.MapArray, target: pa.StructType) -> pa.StructArray:
    arrays = [cast_texts(_values_of_key(maps, field.name), field.type) for field in target]
    return pa.StructArray.from_arrays(arrays, fields=list(target))


def _values_of_key(maps: pa.MapArray, key: str) -> pa.StringArray:
    # With one partition column, as most tables have it, the items stand there in order.
    offsets = maps.offsets
    lengths = pc.subtract(offsets.slice(1), offsets.slice(0, len(maps)))
    if pc.all(pc.equal(lengths, 1), min_count=0).as_py() and len(maps):
        first = offsets[0].as_py()
        if pc.all(pc.equal(maps.keys.slice(first, len(maps)), key), min_count=0).as_py():
            return maps.items.slice(first, len(maps))
    return pc.map_lookup(maps, key, "first")


def _texts(stats: pa.StringArray, parsed: pa.StructArray | None) -> pa.StringArray:
    """Return the statistics as JSON: verbatim as they were, and made of structs if they must."""
    if not stats.null_count or parsed is None or parsed.null_count == len(parsed):
        return stats
    return pc.coalesce(stats, json_of(parsed))


def _zoned(structs: pa.StructArray, paths: Collection[Path], above: Path = ()) -> pa.StructArray:
    """Return the structs with the timestamps at these paths as instants."""
    arrays = []
    for place, field in enumerate(structs.type):
        path, array = (*above, field.name), structs.field(place)
        if kinds.is_struct(field.type):
            array = _zoned(array, paths, path)
        elif path in paths:
            array = array.cast(pa.timestamp("us", "UTC"))
        arrays.append(array)
    names = [field.name for field in structs.type]
    mask = structs.is_null() if structs.null_count else None
    return pa.StructArray.from_arrays(arrays, names=names, mask=mask)


def _first(wanted: pa.StructArray, other: pa.StructArray) -> pa.StructArray:
    """Return each of `wanted`, and if that is null the other one."""
    if other.null_count == len(other):
        return wanted
    both = pa.concat_arrays([wanted, other])
    rows = pa.array(range(len(wanted)), pa.int64())
    return both.take(pc.if_else(wanted.is_valid(), rows, pc.add(rows, len(wanted))))


_WIDER = {
    "int8": {"int16", "int32", "int64"}, "int16": {"int32", "int64"}, "int32": {"int64"},
    "float": {"double"}, "timestamp[us]": {"timestamp[us, tz=UTC]"},
}  # fmt: skip


def _widens(own: pa.DataType, target: pa.DataType) -> bool:
    """Return whether a value of one type is the same in the other."""
    if own == target or str(target) in _WIDER.get(str(own), ()):
        return True
    if not (kinds.is_decimal(own) and kinds.is_decimal(target)):
        return False
    return bool(
        own.precision - own.scale <= target.precision - target.scale and own.scale <= target.scale
    )


def _vectors(vectors: Sequence[DeletionVector | None]) -> pa.StructArray:
    if not any(vectors):
        return pa.nulls(len(vectors), checkpoint_schema.VECTOR)
    rows = [None if vector is None else _vector_row(vector) for vector in vectors]
    return pa.array(rows, checkpoint_schema.VECTOR)


def _vector_row(vector: DeletionVector) -> dict[str, Any]:
    body = vector.to_json()
    return {field.name: body.get(field.name) for field in checkpoint_schema.VECTOR}


def _maps(values: Mapping[str, Any] | None) -> list[tuple[str, str | None]] | None:
    if values is None:
        return None
    return [(key, _text(value)) for key, value in values.items()]


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _whole(value: Any) -> int | None:
    return value if type(value) is int and -(2**63) <= value < 2**63 else None


def _flag(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
