"""Live files as JSON lines, built a column at a time: a million lines without a million objects."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.file_table import VECTOR
from deltactl.model import strict_json

# Inside a JSON string these must be escaped; a batch that has one is written row by row.
_SPECIAL = r'["\\\x00-\x1f]'
_KEYS = ("baseRowId", "defaultRowCommitVersion")

COLUMNS = ("path", "size", "partitionValues", "modificationTime", *VECTOR, *_KEYS)


def json_lines(batch: pa.RecordBatch, records: pa.Int64Array) -> bytes:
    """The batch as whole lines, one file each."""
    values = batch.column("partitionValues")
    texts = (batch.column("path"), values.keys, values.items)
    if any(pc.any(pc.match_substring_regex(text, _SPECIAL)).as_py() for text in texts):
        return _by_row(batch, records)
    pieces = [
        '{"path":"', batch.column("path"),
        '","size":', _number(batch.column("size")),
        ',"partitionValues":', _partition_values(batch),
        ',"modificationTime":', _time(batch.column("modificationTime")),
        ',"records":', _number(records),
        ',"deletionVector":', _vector(batch),
        ',"baseRowId":', _number(batch.column("baseRowId")),
        ',"defaultRowCommitVersion":', _number(batch.column("defaultRowCommitVersion")),
        "}\n",
    ]  # fmt: skip
    return _text(_join(pieces))


def _join(pieces: list[Any]) -> pa.StringArray:
    return pc.binary_join_element_wise(
        *(p if isinstance(p, pa.Array) else pa.scalar(p) for p in pieces), pa.scalar("")
    )


def _text(lines: pa.StringArray) -> bytes:
    """All lines at once: in memory they already stand one behind the other."""
    _, offsets, data = lines.buffers()
    ends = memoryview(offsets).cast("i")
    start, end = ends[lines.offset], ends[lines.offset + len(lines)]
    return data.slice(start, end - start).to_pybytes() if data is not None else b""


def _number(column: pa.Int64Array) -> pa.StringArray | str:
    if column.null_count == len(column):
        return "null"
    return column.cast(pa.string()).fill_null("null")


def _time(column: pa.Int64Array) -> pa.StringArray | str:
    if column.null_count == len(column):
        return "null"
    return _join(['"', _rfc3339(column), '"']).fill_null("null")


def _rfc3339(column: pa.Int64Array) -> pa.StringArray:
    """Milliseconds as times in UTC."""
    texts = column.cast(pa.timestamp("ms")).cast(pa.string())
    return _join([pc.replace_substring(texts, " ", "T"), "Z"])


def _partition_values(batch: pa.RecordBatch) -> pa.StringArray | str:
    values = batch.column("partitionValues")
    if not len(values.items):
        return "{}"
    quoted = _join(['"', values.items.fill_null(""), '"'])
    items = pc.if_else(values.items.is_valid(), quoted, "null")
    entries = _join(['"', values.keys, '":', items])
    offsets = values.offsets
    lists = pa.ListArray.from_arrays(offsets, entries)
    return _join(["{", pc.binary_join(lists, ","), "}"])


def _vector(batch: pa.RecordBatch) -> pa.StringArray | str:
    kind = batch.column("storageType")
    if kind.null_count == len(kind):
        return "null"
    offset = batch.column("offset")
    described = _join(
        [
            '{"storageType":"', kind.fill_null(""),
            '","pathOrInlineDv":"', batch.column("pathOrInlineDv").fill_null(""),
            '","offset":', offset.cast(pa.string()).fill_null("null"),
            ',"sizeInBytes":', batch.column("sizeInBytes").cast(pa.string()).fill_null("null"),
            ',"cardinality":', batch.column("cardinality").cast(pa.string()).fill_null("null"),
            "}",
        ]
    )  # fmt: skip
    return pc.if_else(kind.is_valid(), described, "null")


def _by_row(batch: pa.RecordBatch, records: pa.Int64Array) -> bytes:
    lines = []
    times = _rfc3339(batch.column("modificationTime")).to_pylist()
    for row, count, time in zip(batch.to_pylist(), records.to_pylist(), times, strict=True):
        vector = {key: row[key] for key in VECTOR}
        line = {
            "path": row["path"],
            "size": row["size"],
            "partitionValues": dict(row["partitionValues"] or ()),
            "modificationTime": time,
            "records": count,
            "deletionVector": None if row["storageType"] is None else vector,
            "baseRowId": row["baseRowId"],
            "defaultRowCommitVersion": row["defaultRowCommitVersion"],
        }
        lines.append(strict_json.dumps(line))
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
