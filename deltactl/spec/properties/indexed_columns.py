"""Which columns files have statistics of: the least and the greatest value."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from deltactl.errors import InvalidUsageError
from deltactl.spec.keys import DATA_SKIPPING_COLUMN_COUNT, DATA_SKIPPING_COLUMNS
from deltactl.spec.properties.column_lists import parse_columns
from deltactl.spec.schema.schema import Path
from deltactl.spec.schema.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    DataType,
    Decimal,
    Struct,
)

_DEFAULT_NUMBER = 32
_WITH_BOUNDS = frozenset(
    {BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, DATE, TIMESTAMP, TIMESTAMP_NTZ, STRING}
)


def has_bounds(data_type: DataType) -> bool:
    """Return whether statistics hold the least and the greatest value of such a column."""
    return isinstance(data_type, Decimal) or data_type in _WITH_BOUNDS


def has_statistics(
    path: Path,
    schema: Struct,
    configuration: Mapping[str, str],
    partition_columns: Collection[str] = (),
) -> bool:
    """Return whether writers collect statistics for `path`, in the schema's spelling.

    Named columns, and what is below them, come before a number: of that many leaf columns in their
    order, where an array or a map counts as one.
    """
    return _chosen(schema, configuration, partition_columns)(path)


def indexed(
    schema: Struct, configuration: Mapping[str, str], partition_columns: Collection[str] = ()
) -> Struct:
    """Return the schema with only the columns of which writers collect statistics."""
    is_chosen = _chosen(schema, configuration, partition_columns)

    def cut(struct: Struct, above: Path) -> Struct:
        kept = []
        for field in struct.fields:
            path = (*above, field.name)
            if isinstance(field.type, Struct):
                inner = cut(field.type, path)
                if inner.fields:
                    kept.append(replace(field, type=inner))
            elif is_chosen(path):
                kept.append(field)
        return Struct(tuple(kept))

    held = (field for field in schema.fields if field.name not in partition_columns)
    return cut(Struct(tuple(held)), ())


def _chosen(
    schema: Struct, configuration: Mapping[str, str], partition_columns: Collection[str]
) -> Callable[[Path], bool]:
    """Return a function that says whether a leaf's path has statistics."""
    if (named := configuration.get(DATA_SKIPPING_COLUMNS)) is not None:
        try:
            wanted = {tuple(n.casefold() for n in entry) for entry in parse_columns(named)}
        except InvalidUsageError:
            return lambda _: False

        def is_below_named(path: Path) -> bool:
            own = tuple(name.casefold() for name in path)
            return any(own[:length] in wanted for length in range(1, len(own) + 1))

        return is_below_named
    leaves = [p for p in _leaves(schema, ()) if p[0] not in partition_columns]
    text = configuration.get(DATA_SKIPPING_COLUMN_COUNT, "")
    number = int(text) if text.removeprefix("-").isdecimal() else _DEFAULT_NUMBER
    return set(leaves if number < 0 else leaves[:number]).__contains__


def _leaves(struct: Struct, above: Path) -> Iterator[Path]:
    for field in struct.fields:
        path = (*above, field.name)
        if isinstance(field.type, Struct):
            yield from _leaves(field.type, path)
        else:
            yield path
