"""Faults of deletion vectors and data files."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from planted.plant import Change, Fault, Plant, flip

PLAIN, MARKED = "crc_good", "marked"
# Under this name files have the first column of MARKED.
FIRST = "col-02541b6f-20ff-4df0-b4e2-815e3430c75c"
VECTOR = "deletion_vector_a4e5bedc-eada-4826-9444-ddaacdc21001.bin"


def vector(name: str, change: Change, code: str) -> Fault:
    """A fault of the descriptor."""
    return Fault(f"vector-{name}", MARKED,
                 lambda p: p.edit(4, "add", lambda b: change(b["deletionVector"])),
                 {code: "deletion vector"})  # fmt: skip


def bits(name: str, place: int, code: str) -> Fault:
    """A fault of the vector's file."""
    return Fault(f"vector-{name}", MARKED, lambda p: flip(p.only(VECTOR), place),
                 {code: "deletion vector"})  # fmt: skip


def first_file(p: Plant) -> Path:
    """The data file that version 1 added."""
    path = next(action["add"]["path"] for action in p.actions(1) if "add" in action)
    return p.root / path


def replaced(name: str, table: dict[str, Any] | pa.Table, code: str) -> Fault:
    """The file with other rows; its size in the log is made right."""

    def plant(p: Plant) -> None:
        pq.write_table(pa.table(table), first_file(p))
        size = first_file(p).stat().st_size
        p.edit(1, "add", lambda b: b.update(size=size))

    return Fault(f"data-{name}", PLAIN, plant, {code: "part-"}, ("--data",))


def bounds(name: str, **values: Any) -> Fault:
    return Fault(f"statistics-{name}", PLAIN, lambda p: p.edit_stats(1, lambda s: s.update(values)),
                 {"STATISTICS_WRONG": "part-"}, ("--data",))  # fmt: skip


def cardinality_as_float(p: Plant) -> None:
    def change(body: dict[str, Any]) -> None:
        vector = body["deletionVector"]
        vector.update(cardinality=float(vector["cardinality"]))

    p.edit(4, "add", change)


def short_vector(p: Plant) -> None:
    path = p.only(VECTOR)
    path.write_bytes(path.read_bytes()[:20])


def of_too_few_rows(p: Plant) -> None:
    p.edit_stats(4, lambda s: s.update(numRecords=1))


def absolute_and_damaged(p: Plant) -> None:
    path = p.only(VECTOR)
    flip(path, 20)
    place = {"storageType": "p", "pathOrInlineDv": path.as_uri()}
    p.edit(4, "add", lambda b: b["deletionVector"].update(place))


def without_the_feature(p: Plant) -> None:
    def change(body: dict[str, Any]) -> None:
        for kind in ("readerFeatures", "writerFeatures"):
            body[kind] = [name for name in body[kind] if name != "deletionVectors"]

    for version in range(5):
        if any("protocol" in action for action in p.actions(version)):
            p.edit(version, "protocol", change)


def without_field_ids(p: Plant) -> None:
    """Files of a table whose columns are mapped by ids, written by one that knows of none."""
    for path in p.root.glob("[!_]*/*.parquet"):
        table = pq.read_table(path)
        plain = [pa.field(field.name, field.type) for field in table.schema]
        pq.write_table(pa.table(table.columns, schema=pa.schema(plain)), path)


def as_double(p: Plant) -> None:
    """A column of floats becomes one of doubles, whose bounds stay those of floats."""
    values = pa.table({"id": pa.array([1.1], pa.float32())})
    pq.write_table(values, first_file(p))
    size = first_file(p).stat().st_size
    stats = {"numRecords": 1, "minValues": {"id": 1.1}, "maxValues": {"id": 1.1},
             "nullCount": {"id": 0}}  # fmt: skip
    p.edit(1, "add", lambda b: b.update(size=size, stats=json.dumps(stats)))
    changes = [{"fromType": "float", "toType": "double"}]
    p.edit_schema(
        0, lambda s: s["fields"][0].update(type="double", metadata={"delta.typeChanges": changes})
    )
    features = ["typeWidening"]
    p.edit(
        0,
        "protocol",
        lambda b: b.update(
            minReaderVersion=3, minWriterVersion=7, readerFeatures=features, writerFeatures=features
        ),
    )
    for version in (2, 3):
        p.edit(version, "add", lambda b: b.pop("stats"))


INTEGERS = pa.array([1], pa.int32())

DATA = [
    vector("cardinality", lambda d: d.update(cardinality=2), "VECTOR_CARDINALITY_WRONG"),
    Fault("vector-cardinality-as-float", MARKED, cardinality_as_float,
          {"ACTION_MALFORMED": "4.json, line 2: add"}),
    vector("size", lambda d: d.update(sizeInBytes=30), "VECTOR_SIZE_WRONG"),
    vector("offset", lambda d: d.update(offset=3), "VECTOR_SIZE_WRONG"),
    vector("other-file", lambda d: d.update(pathOrInlineDv="ab" + "0" * 20), "VECTOR_FILE_MISSING"),
    bits("sum", -1, "VECTOR_CHECKSUM_WRONG"),
    bits("content", 20, "VECTOR_CHECKSUM_WRONG"),
    bits("file-version", 0, "VECTOR_UNREADABLE"),
    Fault("vector-cut", MARKED, short_vector, {"VECTOR_SIZE_WRONG": "deletion vector"}),
    vector("storage-type", lambda d: d.update(storageType="x"), "BAD_DELETION_VECTOR"),
    vector("absolute-missing", lambda d: d.update(
        storageType="p", pathOrInlineDv="file:///nowhere/x.bin"), "VECTOR_FILE_MISSING"),
    Fault("vector-absolute-sum", MARKED, absolute_and_damaged,
          {"VECTOR_CHECKSUM_WRONG": "deletion vector"}),
    Fault("vector-without-feature", MARKED, without_the_feature,
          {"DELETION_VECTOR_WITHOUT_FEATURE": "4.json, line 2: add",
           "PROPERTY_WITHOUT_FEATURE": "0.json: metaData"}),
    Fault("vector-missing", MARKED, lambda p: p.only(VECTOR).unlink(),
          {"VECTOR_FILE_MISSING": "deletion vector"}),
    Fault("vector-beyond-file", MARKED, of_too_few_rows,
          {"VECTOR_ROW_BEYOND_FILE": "deletion vector"}),
    vector("inline-garbage", lambda d: (d.pop("offset"), d.update(
        storageType="i", pathOrInlineDv="0" * 40, sizeInBytes=32)), "VECTOR_MAGIC_WRONG"),
    Fault("data-missing", PLAIN, lambda p: first_file(p).unlink(),
          {"DATA_FILE_MISSING": "part-"}, ("--data",), keeps_checksums=True),
    Fault("data-cut", PLAIN, lambda p: first_file(p).write_bytes(first_file(p).read_bytes()[:-9]),
          {"DATA_FILE_UNREADABLE": "part-", "DATA_FILE_SIZE": "part-"}, ("--data",),
          keeps_checksums=True),
    Fault("data-longer", PLAIN,
          lambda p: p.edit(1, "add", lambda b: b.update(size=455)),
          {"DATA_FILE_SIZE": "part-"}, ("--data",)),
    replaced("rows", {"id": pa.array([1, 1], pa.int32())}, "DATA_FILE_ROWS"),
    replaced("wider-type", {"id": pa.array([1], pa.int64())}, "DATA_FILE_TYPE"),
    replaced("other-type", {"id": pa.array(["1"])}, "DATA_FILE_TYPE"),
    replaced("unknown-column", {"id": INTEGERS, "zzz": INTEGERS}, "DATA_FILE_COLUMN"),
    replaced("nulls", {"id": pa.array([None], pa.int32())}, "STATISTICS_WRONG"),
    bounds("minimum-too-high", minValues={"id": 2}),
    bounds("maximum-too-low", maxValues={"id": 0}),
    bounds("nulls", nullCount={"id": 1}),
    Fault("statistics-wide-but-not-enough", MARKED,
          lambda p: p.edit_stats(4, lambda s: s["maxValues"].update({FIRST: 2})),
          {"STATISTICS_WRONG": "part-"}, ("--data",)),
    Fault("data-without-field-ids", "tw_colmap_id", without_field_ids,
          {"DATA_FILE_FIELD_IDS": ".parquet", "DATA_FILE_SIZE": ".parquet"}, ("--data",)),
    Fault("change-file-cut", "cdf",
          lambda p: (f := min(p.root.glob("_change_data/*.parquet"))).write_bytes(
              f.read_bytes()[:-9]),
          {"DATA_FILE_SIZE": "_change_data/", "DATA_FILE_UNREADABLE": "_change_data/"},
          ("--data",)),
    Fault("float-hazard", PLAIN, as_double, {"FLOAT_STATISTICS": "part-"}, ("--data",)),
]  # fmt: skip
