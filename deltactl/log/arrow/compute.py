"""`pyarrow.compute`, with the few functions that nearly every look at a table's files needs.

That module makes Python functions of all of Arrow's three hundred, which takes longer than many a
command. These are called by name instead; for any other one it is loaded.
"""

from typing import Any

import pyarrow as pa
from pyarrow._compute import (
    MatchSubstringOptions,
    ScalarAggregateOptions,
    SetLookupOptions,
    call_function,
)


def __getattr__(name: str) -> Any:
    """Return any other function, of the module itself."""
    import pyarrow.compute

    return getattr(pyarrow.compute, name)


def any(mask: pa.BooleanArray) -> pa.BooleanScalar:
    """Return whether a row is true, null if all are null."""
    return call_function("any", [mask])


def indices_nonzero(mask: pa.BooleanArray) -> pa.UInt64Array:
    """Return the numbers of the rows that are true."""
    return call_function("indices_nonzero", [mask])


def is_in(values: pa.Array, value_set: pa.Array) -> pa.BooleanArray:
    """Return whether each value is one of the set."""
    return call_function("is_in", [values], SetLookupOptions(value_set))


def starts_with(texts: pa.StringArray, pattern: str) -> pa.BooleanArray:
    """Return whether each text begins with the pattern."""
    return call_function("starts_with", [texts], MatchSubstringOptions(pattern))


def sum(column: pa.Array, *, min_count: int = 1) -> pa.Scalar:
    """Return the sum of the values, null if there are fewer than `min_count`."""
    return call_function("sum", [column], ScalarAggregateOptions(min_count=min_count))


def take(data: pa.RecordBatch | pa.Array, indices: pa.Array) -> pa.RecordBatch | pa.Array:
    """Return the rows with these numbers."""
    return call_function("take", [data, indices])
