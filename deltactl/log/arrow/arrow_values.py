"""A few values as an Arrow array.

`pa.array` looks first whether they are something of pandas, and loads pandas for that if it is
installed, which takes longer than most commands. What is made of buffers is spared it.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

_LEAST, _MOST = -(2**63), 2**63 - 1


def numbers(values: Sequence[int | None]) -> pa.Int64Array:
    """Return the numbers; raise as `pa.array` if one is not a number, or too large."""
    if not all(v is None or (type(v) is int and _LEAST <= v <= _MOST) for v in values):
        return pa.array(values, pa.int64())
    held = array("q", [0 if value is None else value for value in values])
    return pa.Array.from_buffers(pa.int64(), len(values), [_validity(values), pa.py_buffer(held)])


def texts(values: Sequence[str | None]) -> pa.StringArray:
    """Return the strings; raise as `pa.array` if one is not a string."""
    if not all(v is None or type(v) is str for v in values):
        return pa.array(values, pa.string())
    octets = [b"" if value is None else value.encode() for value in values]
    buffers = [_validity(values), _offsets(octets), pa.py_buffer(b"".join(octets))]
    return pa.Array.from_buffers(pa.string(), len(values), buffers)


def scalar(text: str) -> pa.StringScalar:
    """Return the text as an argument of Arrow's functions: `pa.scalar` asks for pandas, too."""
    return texts([text])[0]


def maps(values: Sequence[Sequence[tuple[str, str | None]] | None]) -> pa.MapArray:
    """Return maps of string to string, each as its pairs."""
    held = [() if value is None else value for value in values]
    pairs = list(chain.from_iterable(held))
    kind = pa.map_(pa.string(), pa.string())
    entries = pa.StructArray.from_arrays(
        [texts([key for key, _ in pairs]), texts([item for _, item in pairs])],
        fields=[kind.key_field, kind.item_field],
    )
    buffers = [_validity(values), _offsets(held)]
    return pa.Array.from_buffers(kind, len(values), buffers, children=[entries])


BUILDERS: Mapping[pa.DataType, Callable[[Sequence[Any]], pa.Array]] = {
    pa.int64(): numbers,
    pa.string(): texts,
    pa.map_(pa.string(), pa.string()): maps,
}


def _validity(values: Sequence[object]) -> pa.Buffer | None:
    """Return a bit for each value that exists; None if all are."""
    if None not in values:
        return None
    bits = bytearray((len(values) + 7) // 8)
    for place, value in enumerate(values):
        if value is not None:
            bits[place >> 3] |= 1 << (place & 7)
    return pa.py_buffer(bits)


def _offsets(parts: Sequence[Sequence[object]]) -> pa.Buffer:
    return pa.py_buffer(array("i", accumulate(map(len, parts), initial=0)))
