"""Millions of `add` actions as Arrow arrays, built a column at a time."""

import math
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.synthetic.table import MINUTE_MS, PARTITION_COLUMN, START_MS

Stats = Literal["json", "struct", "both"]

DAYS = 365
DAY_MS = 86_400_000
FIRST_DAY_MS = START_MS - DAYS * DAY_MS
LOW_COUNTRIES = ("AE", "AR", "AT", "AU", "BE", "BG", "BR", "CA")
HIGH_COUNTRIES = ("SE", "SG", "SK", "TH", "TR", "US", "VN", "ZA")
STRING_MAP = pa.map_(pa.string(), pa.string())
DELETION_VECTOR = pa.struct(
    {
        "storageType": pa.string(),
        "pathOrInlineDv": pa.string(),
        "offset": pa.int32(),
        "sizeInBytes": pa.int32(),
        "cardinality": pa.int64(),
        "maxRowIndex": pa.int64(),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What the files of a table look like; `files` of them are spread evenly over a year."""

    files: int
    partitioned: bool
    stats: Stats
    awkward: bool = False
    """With columns whose bounds JSON has no form of its own for: a date, and one that is NaN."""


def adds(start: int, count: int, layout: Layout) -> pa.StructArray:
    """Return the files `start` to `start + count` as a column of `add` actions."""
    numbers = pa.arange(start, start + count)
    values = _Values(numbers, layout)
    no_strings = pa.nulls(count, pa.string())
    columns = {
        "path": _paths(numbers, start, values.day_text, layout),
        "partitionValues": _partition_values(values.day_text, layout),
        "size": pc.add(pc.multiply(values.records, 64), values.noise(63)),
        "modificationTime": pc.add(values.day_ms, pc.multiply(values.last_minute, MINUTE_MS)),
        "dataChange": pa.repeat(False, count),
        "tags": pa.nulls(count, STRING_MAP),
        "deletionVector": pa.nulls(count, DELETION_VECTOR),
        "baseRowId": pa.nulls(count, pa.int64()),
        "defaultRowCommitVersion": pa.nulls(count, pa.int64()),
        "clusteringProvider": no_strings,
    }
    if layout.stats != "struct":
        columns["stats"] = _stats_json(values)
    if layout.stats != "json":
        if layout.partitioned:
            day = pc.divide(values.day_ms, DAY_MS).cast(pa.int32()).cast(pa.date32())
            columns["partitionValues_parsed"] = _struct({PARTITION_COLUMN: day})
        columns["stats_parsed"] = _stats_struct(values)
    return _struct(columns)


class _Values:
    """The numbers behind a batch of files, from which both forms of its statistics are made."""

    def __init__(self, numbers: pa.Int64Array, layout: Layout) -> None:
        # Knuth's multiplicative hash: values that look random but depend on the file's number only.
        self._hash = pc.shift_right(pc.multiply(numbers, 2_654_435_761), 12)
        days = pc.min_element_wise(pc.divide(pc.multiply(numbers, DAYS), layout.files), DAYS - 1)
        self.day_text = pa.array(_day_names()).take(days)
        self.day_ms = pc.add(pc.multiply(days, DAY_MS), FIRST_DAY_MS)
        self.records = pc.add(self.noise(8191), 50_000)
        self.first_minute = self.noise(511)
        self.last_minute = pc.subtract(1439, self.noise(127))
        id_min = pc.multiply(numbers, 60_000)
        self.minimum = {
            "id": id_min,
            "user_id": self.noise(1023),
            "amount": pc.add(self.noise(255).cast(pa.float64()), 0.25),
            "country": pa.array(LOW_COUNTRIES).take(self.noise(7)),
            "ts": self._timestamps(self.first_minute),
        }
        self.maximum = {
            "id": pc.subtract(pc.add(id_min, self.records), 1),
            "user_id": pc.subtract(1_000_000, self.noise(4095)),
            "amount": pc.add(self.noise(1023).cast(pa.float64()), 5000.75),
            "country": pa.array(HIGH_COUNTRIES).take(self.noise(7)),
            "ts": self._timestamps(self.last_minute),
        }
        if layout.awkward:
            due = pc.divide(self.day_ms, DAY_MS).cast(pa.int32()).cast(pa.date32())
            score = pc.divide(self.noise(511).cast(pa.float64()), 8)
            # One of 16 files has a NaN, which is greater than every number.
            highest = pc.if_else(pc.equal(self.noise(15), 7), math.nan, pc.add(score, 100))
            self.minimum |= {"due": due, "score": score}
            self.maximum |= {"due": due, "score": highest}
        zeros = pc.multiply(numbers, 0)
        self.nulls = {
            "id": zeros,
            "user_id": zeros,
            "amount": self.noise(63),
            "country": self.noise(7),
            "ts": zeros,
            **({"due": zeros, "score": zeros} if layout.awkward else {}),
        }

    def noise(self, mask: int) -> pa.Int64Array:
        """Return a number from 0 to `mask` (a power of two less one) for each file."""
        return pc.bit_wise_and(self._hash, mask)

    def timestamp_texts(self, minutes: pa.Int64Array) -> pa.StringArray:
        clock = pa.array([f"T{m // 60:02}:{m % 60:02}:00.000Z" for m in range(1440)])
        return _join(self.day_text, clock.take(minutes))

    def _timestamps(self, minutes: pa.Int64Array) -> pa.TimestampArray:
        milliseconds = pc.add(self.day_ms, pc.multiply(minutes, MINUTE_MS))
        return pc.multiply(milliseconds, 1000).cast(pa.timestamp("us", "UTC"))


def _stats_json(values: _Values) -> pa.StringArray:
    return _join(
        '{"numRecords":',
        values.records,
        ',"minValues":',
        *_json_object(values.minimum, values.timestamp_texts(values.first_minute)),
        ',"maxValues":',
        *_json_object(values.maximum, values.timestamp_texts(values.last_minute)),
        ',"nullCount":',
        *_json_object(values.nulls, None),
        "}",
    )


def _json_object(
    columns: dict[str, pa.Array], timestamps: pa.StringArray | None
) -> list[pa.Array | str]:
    """Return the pieces of a JSON object; `timestamps` is the text of a timestamp column."""
    pieces: list[pa.Array | str] = []
    opening = "{"
    for name, column in columns.items():
        is_number = pa.types.is_floating(column.type)
        if pa.types.is_timestamp(column.type):
            column = timestamps
        elif pa.types.is_date(column.type):
            column = column.cast(pa.string())
        elif is_number:
            column = pc.if_else(pc.is_nan(column), '"NaN"', column.cast(pa.string()))
        quote = '"' if pa.types.is_string(column.type) and not is_number else ""
        pieces += [f'{opening}"{name}":{quote}', column]
        opening = f"{quote},"
    return [*pieces, opening.replace(",", "}")]


def _stats_struct(values: _Values) -> pa.StructArray:
    return _struct(
        {
            "numRecords": values.records,
            "minValues": _struct(values.minimum),
            "maxValues": _struct(values.maximum),
            "nullCount": _struct(values.nulls),
        }
    )


def _paths(
    numbers: pa.Int64Array, start: int, days: pa.StringArray, layout: Layout
) -> pa.StringArray:
    """Return names as Spark gives them, with a random UUID: they must not compress too well."""
    source = random.Random(start)
    uuid = [_random_hex(source, len(numbers), width) for width in (4, 2, 2, 2, 6)]
    dashed = [piece for part in uuid for piece in (part, "-")]
    part_number = pc.utf8_lpad(pc.bit_wise_and(numbers, 255).cast(pa.string()), 5, "0")
    folder = (f"{PARTITION_COLUMN}=", days, "/") if layout.partitioned else ()
    return _join(*folder, "part-", part_number, "-", *dashed, "c000.snappy.parquet")


def _random_hex(source: random.Random, count: int, width: int) -> pa.StringArray:
    digits = pa.py_buffer(source.randbytes(count * width).hex().encode())
    return pa.Array.from_buffers(pa.binary(2 * width), count, [None, digits]).cast(pa.string())


def _partition_values(days: pa.StringArray, layout: Layout) -> pa.MapArray:
    count = len(days)
    if not layout.partitioned:
        return pa.array([{}], STRING_MAP).take(pa.repeat(pa.scalar(0), count))
    offsets = pa.arange(0, count + 1).cast(pa.int32())
    return pa.MapArray.from_arrays(offsets, pa.repeat(PARTITION_COLUMN, count), days)


def _day_names() -> list[str]:
    first = datetime.fromtimestamp(FIRST_DAY_MS / 1000, UTC)
    return [f"{first + timedelta(days=number):%Y-%m-%d}" for number in range(DAYS)]


def _join(*pieces: pa.Array | str) -> pa.StringArray:
    texts = [piece if isinstance(piece, str) else piece.cast(pa.string()) for piece in pieces]
    return pc.binary_join_element_wise(*texts, "")


def _struct(columns: dict[str, pa.Array]) -> pa.StructArray:
    return pa.StructArray.from_arrays(list(columns.values()), list(columns))
