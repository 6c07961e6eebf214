"""Live files as JSON lines, built a column at a time: a million lines without a million objects."""

from collections.abc import Sequence
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.arrow.arrow_values import numbers, scalar, texts
from deltactl.log.arrow.file_table import VECTOR
from deltactl.text import strict_json

# Inside a JSON string these must be escaped; a batch that has one is written row by row.
_SPECIAL = r'["\\\x00-\x1f]'
_HOUR = 3_600_000
_YEAR_10000 = 253_402_300_800_000
_TO_MINUTES = len("2026-01-01T00:")
_KEYS = ("baseRowId", "defaultRowCommitVersion")

COLUMNS = ("path", "size", "partitionValues", "modificationTime", *VECTOR, *_KEYS)


def json_lines(batch: pa.RecordBatch, records: pa.Int64Array) -> bytes:
    """Return the batch as whole lines, one file each."""
    values = batch.column("partitionValues")
    vectors = map(batch.column, ("storageType", "pathOrInlineDv"))
    if not all(map(_needs_no_escape, (batch.column("path"), values.keys, values.items, *vectors))):
        return _by_row(batch, records)
    pieces = [
        '{"path":"', batch.column("path"),
        '","size":', _number(batch.column("size")),
        ',"partitionValues":', *_partition_values(batch),
        ',"modificationTime":', *_time(batch.column("modificationTime")),
        ',"records":', _number(records),
        ',"deletionVector":', _vector(batch),
        ',"baseRowId":', _number(batch.column("baseRowId")),
        ',"defaultRowCommitVersion":', _number(batch.column("defaultRowCommitVersion")),
        "}\n",
    ]  # fmt: skip
    return _text(_join(pieces))


def _needs_no_escape(column: pa.StringArray) -> bool:
    """Return whether no text of the column needs to be escaped in JSON."""
    data = column.buffers()[2]
    # Most are plain ASCII: to see that is far cheaper than to look for what is not.
    octets = b"" if data is None else data.to_pybytes()
    is_unescaped = b'"' not in octets and b"\\" not in octets
    if is_unescaped and pc.all(pc.ascii_is_printable(column)).as_py() is not False:
        return True
    return not pc.any(pc.match_substring_regex(column, _SPECIAL)).as_py()


def _join(pieces: Sequence[pa.Array | str]) -> pa.StringArray:
    """Return the pieces of each row one behind the other; those between arrays are one."""
    parts: list[pa.Array | pa.StringScalar] = []
    text = ""
    for piece in (*pieces, None):
        if isinstance(piece, str):
            text += piece
            continue
        if text:
            parts.append(scalar(text))
        if piece is not None:
            parts.append(piece)
        text = ""
    return pc.binary_join_element_wise(*parts, scalar(""))


def _text(lines: pa.StringArray) -> bytes:
    """Return all lines at once: in memory they already stand one behind the other."""
    _, offsets, data = lines.buffers()
    ends = memoryview(offsets).cast("i")
    start, end = ends[lines.offset], ends[lines.offset + len(lines)]
    return data.slice(start, end - start).to_pybytes() if data is not None else b""


def _number(column: pa.Int64Array) -> pa.StringArray | str:
    if column.null_count == len(column):
        return "null"
    texts = column.cast(pa.string())
    return texts if not column.null_count else pc.coalesce(texts, scalar("null"))


def _time(column: pa.Int64Array) -> list[pa.StringArray | str]:
    """Return the pieces of each time as JSON."""
    if column.null_count == len(column):
        return ["null"]
    low, high = pc.min_max(column).values()
    if column.null_count or low.as_py() < 0 or high.as_py() >= _YEAR_10000:
        quoted = _join(['"', _rfc3339(column), '"'])
        return [pc.coalesce(quoted, scalar("null"))]
    # Taken from tables: to format each of the times takes twice as long.
    hours = pc.divide(column, numbers([_HOUR])[0])
    rest = pc.subtract(column, pc.multiply(hours, numbers([_HOUR])[0]))
    seconds = pc.divide(rest, numbers([1000])[0])
    thousandths = pc.subtract(rest, pc.multiply(seconds, numbers([1000])[0]))
    kinds = hours.dictionary_encode()
    starts = _rfc3339(pc.multiply(kinds.dictionary, numbers([_HOUR])[0]))
    heads = pc.binary_slice(starts.view(pa.binary()), 0, _TO_MINUTES).view(pa.string())
    minutes, fractions = _clock()
    return [
        '"', heads.take(kinds.indices), minutes.take(seconds), fractions.take(thousandths), 'Z"',
    ]  # fmt: skip


@cache
def _clock() -> tuple[pa.StringArray, pa.StringArray]:
    """Return the minutes and seconds of an hour, and the thousandths of a second."""
    minutes = [f"{second // 60:02d}:{second % 60:02d}." for second in range(3600)]
    return texts(minutes), texts([f"{part:03d}" for part in range(1000)])


def _rfc3339(column: pa.Int64Array) -> pa.StringArray:
    """Return milliseconds as times in UTC."""
    moments = column.cast(pa.timestamp("ms")).cast(pa.string())
    return _join([pc.replace_substring(moments, " ", "T"), "Z"])


def _partition_values(batch: pa.RecordBatch) -> list[pa.StringArray | str]:
    """Return the pieces of each file's partition values."""
    values = batch.column("partitionValues")
    if not len(values.items):
        return ["{}"]
    items = ['"', values.items, '"']
    if values.items.null_count:
        items = [pc.coalesce(_join(items), scalar("null"))]
    entries = ['"', values.keys, '":', *items]
    offsets = values.offsets
    lengths = pc.subtract(offsets[1:], offsets[:-1])
    if pc.all(pc.equal(lengths, numbers([1])[0])).as_py():
        # One partition column, as many tables have: there is nothing to put between two of them.
        first = offsets[0].as_py()
        parts = [e if isinstance(e, str) else e.slice(first, len(values)) for e in entries]
        return ["{", *parts, "}"]
    lists = pa.ListArray.from_arrays(offsets, _join(entries))
    return ["{", pc.binary_join(lists, scalar(",")), "}"]


def _vector(batch: pa.RecordBatch) -> pa.StringArray | str:
    kind = batch.column("storageType")
    if kind.null_count == len(kind):
        return "null"
    described = _join(
        [
            '{"storageType":"', kind,
            '","pathOrInlineDv":"', pc.coalesce(batch.column("pathOrInlineDv"), scalar("")),
            '","offset":', _number(batch.column("offset")),
            ',"sizeInBytes":', _number(batch.column("sizeInBytes")),
            ',"cardinality":', _number(batch.column("cardinality")),
            "}",
        ]
    )  # fmt: skip
    return pc.coalesce(described, scalar("null"))


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
