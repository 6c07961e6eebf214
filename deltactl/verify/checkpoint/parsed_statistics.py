"""Whether a checkpoint's `stats_parsed` says what `stats` says: engines skip files by either."""

from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import UnreadableCheckpointError
from deltactl.findings import shown
from deltactl.log.arrow.file_table import flatten
from deltactl.table.checkpoint.stats_parser import StatsParser

# Texts tell times to the millisecond; how it is rounded, engines do not agree on.
_MICROSECONDS = 1_000
_COLUMNS = ("path", "stats")
_KINDS = (
    pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean,
    pa.types.is_string, pa.types.is_date,
)  # fmt: skip


class Contradiction(NamedTuple):
    """The first file of which both say something of the leaf, and not the same."""

    leaf: str
    path: str
    text: str
    parsed: str


def contradictions(adds: pa.StructArray) -> Iterator[Contradiction]:
    """Yield where the adds of a checkpoint's batch contradict themselves; at most one a leaf.

    What only one of the two has, bounds nothing in the other: engines leave out what they like.

    Raises:
        UnreadableCheckpointError: a column has a type that no checkpoint has.
    """
    try:
        yield from _contradictions(adds)
    except pa.ArrowException as error:
        said = str(error).splitlines()[0]
        raise UnreadableCheckpointError(
            "CHECKPOINT_UNREADABLE", f"the statistics of a checkpoint cannot be read: {said:.200}"
        ) from error


def _contradictions(adds: pa.StructArray) -> Iterator[Contradiction]:
    place = adds.type.get_field_index("stats_parsed")
    if place < 0 or adds.type.get_field_index("stats") < 0:
        return
    target = _comparable(adds.type.field(place).type)
    if target is None:
        return
    of_both = [pc.struct_field(adds, name).is_valid() for name in ("path", "stats", "stats_parsed")]
    kept = adds.filter(pc.and_(pc.and_(of_both[0], of_both[1]), of_both[2]))
    if not len(kept):
        return
    batch = flatten(kept, _COLUMNS)
    texts = StatsParser(target).parse(batch.column("stats"))
    parsed = kept.field("stats_parsed")
    for leaf, one, other in _leaves(texts, parsed, ()):
        differs = _differs(one, other.cast(one.type, safe=False))
        first = pc.index(differs, True).as_py()
        if first >= 0:
            path = batch.column("path")[first].as_py()
            values = (shown(str(side[first].as_py())) for side in (one, other))
            yield Contradiction(".".join(leaf), path, *values)


def _comparable(kind: pa.DataType) -> pa.StructType | None:
    """Return the type with the leaves that JSON statistics can be compared with."""
    if not pa.types.is_struct(kind):
        return None
    fields = []
    for field in kind:
        if pa.types.is_struct(field.type):
            inner = _comparable(field.type)
        elif pa.types.is_timestamp(field.type):
            inner = pa.timestamp("us", field.type.tz)
        else:
            inner = field.type if any(fits(field.type) for fits in _KINDS) else None
        if inner is not None:
            fields.append(pa.field(field.name, inner))
    return pa.struct(fields) if fields else None


def _leaves(
    texts: pa.StructArray, parsed: pa.StructArray, above: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], pa.Array, pa.Array]]:
    for field in texts.type:
        both = pc.struct_field(texts, field.name), pc.struct_field(parsed, field.name)
        if pa.types.is_struct(field.type):
            yield from _leaves(*both, (*above, field.name))
        else:
            yield (*above, field.name), *both


def _differs(one: pa.Array, other: pa.Array) -> pa.BooleanArray:
    """Return a condition that is null if either side is."""
    if pa.types.is_timestamp(one.type):
        apart = pc.abs(pc.subtract(one.cast(pa.int64()), other.cast(pa.int64())))
        return pc.greater(apart, _MICROSECONDS)
    differs = pc.not_equal(one, other)
    if pa.types.is_floating(one.type):
        return pc.and_not(differs, pc.and_(pc.is_nan(one), pc.is_nan(other)))
    return differs
