"""The live files of a snapshot as whole `add` actions, for commits that write them again."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa

from deltactl.log.paths import canonical
from deltactl.log.stats import stats
from deltactl.spec.actions.fields import malformed
from deltactl.spec.actions.file_action import AddFile
from deltactl.table.checkpoint.reader import Action, CheckpointReader
from deltactl.table.parquet.parquet_file import ParquetFile
from deltactl.table.state.files import TableState

STATS, PARSED = "stats", "stats_parsed"
# What a checkpoint derives from the rest of an add, and no commit holds.
_DERIVED = frozenset({PARSED, "partitionValues_parsed"})
# Maps, in which null is a value.
_MAPS = ("partitionValues", "tags")


def live_adds(state: TableState) -> Iterator[AddFile]:
    """Yield every live file, those of commits first, a batch in memory at a time.

    Where a checkpoint holds the statistics as structs only they are made the JSON that they came
    from: without it a file of a commit would have none.

    Raises:
        BrokenLogError: an add lacks what it must have.
        UnreadableCheckpointError: a file of the checkpoint cannot be read.
    """
    yield from map(_plain, state.replay.live())
    if state.reader is None:
        return
    newer, leaves = state.replay.files, _leaves(state.reader)
    for rows in state.reader.batches(lambda _: leaves):
        for add in map(AddFile.from_json, _bodies(rows)):
            vector = add.deletion_vector
            key = (canonical(add.path), None if vector is None else vector.unique_id)
            if key not in newer:
                yield add


def _plain(add: AddFile) -> AddFile:
    """Return the add without the fields that some writers, deltalake among them, set to null."""
    if None not in add.unknown.values():
        return add
    return replace(add, unknown={k: value for k, value in add.unknown.items() if value is not None})


def _leaves(reader: CheckpointReader) -> list[str]:
    """Return what the checkpoint holds of an add; statistics structs only if needed."""
    held = reader.add_fields()
    kept = held - _DERIVED
    if PARSED in held and not reader.is_complete(f"add.{STATS}"):
        kept |= {PARSED}
    return [f"add.{name}" for name in sorted(kept)]


def _bodies(
    rows: tuple[pa.RecordBatch, ParquetFile] | list[Action],
) -> Iterator[dict[str, Any]]:
    if isinstance(rows, list):
        return (_from_json(body) for kind, body in rows if kind == "add")
    batch, parquet = rows
    if "add" not in batch.schema.names:
        return iter(())
    return _of_structs(batch.column("add"), parquet.legacy_times)


def _of_structs(adds: pa.StructArray, legacy_times: Collection[str]) -> Iterator[dict[str, Any]]:
    names = [field.name for field in adds.type if field.name != PARSED]
    held = adds.field(PARSED) if adds.type.get_field_index(PARSED) >= 0 else None
    parsed = held if isinstance(held, pa.StructArray) else None
    plain = (
        adds
        if held is None
        else pa.StructArray.from_arrays(
            [adds.field(name) for name in names], names=names, mask=adds.is_null()
        )
    )
    for row, value in enumerate(plain):
        try:
            body = value.as_py(maps_as_pydicts="strict") if value.is_valid else None
        except ValueError as error:
            raise malformed("add", "partitionValues or tags have a key twice") from error
        if body is None or body.get("path") is None:
            continue
        if parsed is not None and body.get(STATS) is None and parsed[row].is_valid:
            body[STATS] = stats.from_parsed(_values(parsed[row], f"add.{PARSED}", legacy_times))
        yield _without_nulls(body)


def _from_json(body: dict[str, Any]) -> dict[str, Any]:
    parsed = body.get(PARSED)
    if body.get(STATS) is None and isinstance(parsed, dict):
        body = {**body, STATS: stats.from_parsed(parsed)}
    return {name: value for name, value in body.items() if name not in _DERIVED}


def _values(scalar: pa.StructScalar, above: str, legacy_times: Collection[str]) -> dict[str, Any]:
    return {
        name: _value(part, f"{above}.{name}", legacy_times)
        for name, part in scalar.items()
        if part.is_valid
    }


def _value(scalar: pa.Scalar, leaf: str, legacy_times: Collection[str]) -> Any:
    if isinstance(scalar, pa.StructScalar):
        return _values(scalar, leaf, legacy_times)
    try:
        if leaf in legacy_times:
            scalar = scalar.cast(pa.timestamp("us", "UTC"))
        value = scalar.as_py()
    except (pa.ArrowException, ValueError, OverflowError):
        return None  # A time that Python does not have: no bound holds for every value.
    return stats.Float32(value) if scalar.type == pa.float32() else value


def _without_nulls(row: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _without_nulls(value) if isinstance(value, dict) and key not in _MAPS else value
        for key, value in row.items()
        if value is not None
    }
