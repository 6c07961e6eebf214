"""Faults of shape: JSON and parquet that can be read, with another thing where one is expected."""

import shutil
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from planted.files import (
    HINT,
    HISTORY,
    KITCHEN,
    SOUND,
    TENTH,
    V2,
    crc,
    edited,
    forbidden_parts,
    hint,
    rows,
)
from planted.plant import Fault, Plant

PARTITIONED = "tw_partitioned"
UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


def as_column(kind: str, value: Any) -> Any:
    """Plain values in place of the checkpoint's structs."""

    def plant(p: Plant) -> None:
        table = pq.read_table(p.log / TENTH)
        column = pa.array([value] * table.num_rows)
        place = table.schema.get_field_index(kind)
        pq.write_table(table.set_column(place, kind, column), p.log / TENTH)
        (p.log / HINT).unlink()

    return plant


def of_type(kind: str, field: str, data_type: pa.DataType) -> Any:
    """Another type for a column of the checkpoint, its values as they are."""

    def plant(p: Plant) -> None:
        table = pq.read_table(p.log / TENTH)
        actions = table.column(kind).combine_chunks()
        arrays = {f.name: actions.field(place) for place, f in enumerate(actions.type)}
        arrays[field] = arrays[field].cast(data_type)
        column = pa.StructArray.from_arrays([*arrays.values()], [*arrays], mask=actions.is_null())
        place = table.schema.get_field_index(kind)
        pq.write_table(table.set_column(place, kind, column), p.log / TENTH)
        (p.log / HINT).unlink()

    return plant


def bad_transaction(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*rows, {**dict.fromkeys(rows[0]), "txn": {"appId": "a", "version": None}}]


def v2_without_the_feature(p: Plant) -> None:
    """The name of a V2 checkpoint, in a table that must not have one."""
    (p.log / TENTH).rename(p.log / TENTH.replace(".parquet", f".{UUID}.parquet"))
    (p.log / HINT).unlink()


def hint_of_v2(name: str, field: str, change: Any) -> Fault:
    """A fault of what the hint says of a V2 checkpoint."""

    def plant(p: Plant) -> None:
        def both(value: dict[str, Any]) -> None:
            value.pop("checksum")
            change(value["v2Checkpoint"])

        p.edit_json(p.log / HINT, both)

    found = {"LAST_CHECKPOINT_WRONG": f"{HINT}: v2Checkpoint.{field}"}
    return Fault(f"hint-v2-{name}", V2, plant, found)


def partition_value(value: Any) -> Any:
    def change(body: dict[str, Any]) -> None:
        values = body["partitionValues"]
        values.update(dict.fromkeys(values, value))

    return lambda p: p.edit(1, "add", change)


def line_of(version: int, action: dict[str, Any]) -> Any:
    return lambda p: p.append(version, action)


# Which the log can give again.
OF_FILES = [
    crc("transaction-named-by-list", "setTransactions",
        lambda v: v.update(setTransactions=[{"appId": ["a"], "version": 1}])),
    crc("transaction-of-another", "txnId", lambda v: v.update(txnId="not-this")),
    crc("vectors-without-feature", "numDeletionVectorsOpt",
        lambda v: v.update(numDeletionVectorsOpt=3)),
    crc("deleted-rows-without-feature", "numDeletedRecordsOpt",
        lambda v: v.update(numDeletedRecordsOpt=9)),
    Fault("crc-transaction-of-another-before", SOUND,
          lambda p: p.edit_json(p.checksum(2), lambda v: v.update(txnId="not-this")),
          {"CHECKSUM_WRONG": "2.crc: txnId"}, ("--all",), keeps_checksums=True),
    crc("transaction-number", "setTransactions", lambda v: v.update(setTransactions=[1])),
    crc("domain-named-by-object", "domainMetadata",
        lambda v: v.update(domainMetadata=[{"domain": {"a": 1}, "configuration": "{}"}])),
    Fault("crc-deleted-rows-number", KITCHEN,
          lambda p: p.edit_json(p.checksum(9), lambda v: v.update(
              deletedRecordCountsHistogramOpt={"deletedRecordCounts": 5})),
          {"CHECKSUM_WRONG": "9.crc: deletedRecordCountsHistogramOpt"}, keeps_checksums=True),
    hint("column-named-by-object",
         lambda v: v["checkpointSchema"]["fields"][0].update(name={"a": 1}), "checkpointSchema"),
    hint_of_v2("bytes", "sizeInBytes", lambda v: v.update(sizeInBytes=1)),
    hint_of_v2("lacks-sidecar", "sidecarFiles", lambda v: v["sidecarFiles"].pop()),
    hint_of_v2("sidecar-twice", "sidecarFiles",
               lambda v: v["sidecarFiles"].append(v["sidecarFiles"][0])),
    hint_of_v2("other-sidecar", "sidecarFiles",
               lambda v: v["sidecarFiles"][0].update(path="other.parquet")),
    hint_of_v2("sidecar-bytes", "sidecarFiles",
               lambda v: v["sidecarFiles"][0].update(sizeInBytes=3)),
    hint_of_v2("sidecars-text", "sidecarFiles", lambda v: v.update(sidecarFiles="x")),
    rows("text-not-json", edited("add", stats="{nope", stats_parsed=None),
         {"STATISTICS_NOT_JSON": f"{TENTH}: add.stats"}, "--all"),
    *(Fault(f"checkpoint-type-{kind}-{field}-{data_type}", HISTORY,
            of_type(kind, field, data_type), {"CHECKPOINT_WRONG": f"{TENTH}: {kind}.{field}"})
      for kind, field, data_type in (
          ("add", "size", pa.string()), ("add", "size", pa.float64()),
          ("add", "modificationTime", pa.timestamp("ms")), ("add", "path", pa.binary()),
          ("protocol", "minReaderVersion", pa.int64()), ("remove", "path", pa.binary()))),
    rows("transaction-without-version", bad_transaction, {"ACTION_MALFORMED": TENTH}),
    *(Fault(f"checkpoint-plain-{kind}", HISTORY, as_column(kind, value),
            {"CHECKPOINT_UNREADABLE": TENTH})
      for kind, value in (("add", "x"), ("protocol", 1))),
    Fault("checkpoint-v2-without-feature", HISTORY, v2_without_the_feature,
          {"CHECKPOINT_WRONG": f"{UUID}.parquet: checkpointMetadata"}),
    Fault("checkpoint-forbidden-parts", SOUND, forbidden_parts,
          {"MULTIPART_FORBIDDEN": "4.checkpoint"}),
]  # fmt: skip

SHAPES = [
    *OF_FILES,
    Fault("crc-beyond", SOUND, lambda p: shutil.copy(p.checksum(4), p.checksum(9)),
          {"CHECKSUM_WITHOUT_VERSION": "9.crc"}, keeps_checksums=True),
    *(Fault(f"partition-value-{name}", PARTITIONED, partition_value(value),
            {"ACTION_MALFORMED": "1.json, line 2"})
      for name, value in (("number", 5), ("list", [1]), ("zero", 0))),
    *(Fault(f"list-as-{kind}", SOUND, line_of(1, {kind: []}),
            {"ACTION_MALFORMED": f"1.json, line 3: {kind}"})
      for kind in ("protocol", "metaData", "add", "txn")),
]  # fmt: skip
