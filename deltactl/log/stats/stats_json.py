"""Statistics from the structs of a checkpoint to their JSON, a column at a time."""

import json
from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

# Inside a JSON string these must be escaped.
_SPECIAL = r'["\\\x00-\x1f\x7f]'
_MILLISECONDS = 1_000


def json_of(structs: pa.StructArray) -> pa.StringArray:
    """Return the JSON of each struct, without what is null; null if the struct is."""
    members = list(_members(structs))
    body = _joined(members) if members else pa.array([""] * len(structs), pa.string())
    texts = pc.binary_join_element_wise("{", body, "}", "")
    return texts if not structs.null_count else pc.if_else(structs.is_valid(), texts, None)


def _joined(members: Sequence[pa.StringArray]) -> pa.StringArray:
    if any(not member.null_count for member in members):
        return pc.binary_join_element_wise(*members, ",", null_handling="skip")
    # Arrow leaves out a row of which it skips everything.
    joined = pc.binary_join_element_wise("", *members, ",", null_handling="skip")
    return pc.utf8_slice_codeunits(joined, 1)


def _members(structs: pa.StructArray) -> Iterator[pa.StringArray]:
    for place, field in enumerate(structs.type):
        texts = _texts(structs.field(place))
        if texts.null_count < len(texts):
            key = f"{json.dumps(field.name, ensure_ascii=False)}:"
            yield pc.binary_join_element_wise(key, texts, "")


def _texts(values: pa.Array) -> pa.StringArray:
    """Return the values as JSON has them; null for what it has no form for."""
    kind = values.type
    if kinds.is_struct(kind):
        return json_of(values)
    if kinds.is_integer(kind) or kinds.is_decimal(kind):
        return values.cast(pa.string())
    if kinds.is_boolean(kind):
        return pc.if_else(values, "true", "false")
    if kinds.is_floating(kind):
        return _floats(values)
    if kinds.is_date(kind):
        return _quoted(values.cast(pa.string()))
    if kinds.is_timestamp(kind):
        return _times(values)
    if kinds.is_string(kind):
        return _strings(values)
    return pa.nulls(len(values), pa.string())


def _quoted(texts: pa.StringArray) -> pa.StringArray:
    return pc.binary_join_element_wise('"', texts, '"', "")


def _floats(values: pa.Array) -> pa.StringArray:
    texts = values.cast(pa.string())
    if pc.all(pc.is_finite(values), min_count=0).as_py():
        return texts
    words = pc.if_else(pc.greater(values, 0), '"Infinity"', '"-Infinity"')
    words = pc.if_else(pc.is_nan(values), '"NaN"', words)
    return pc.if_else(pc.is_finite(values), texts, words)


def _times(values: pa.Array) -> pa.StringArray:
    """Return times to the millisecond, or to the microsecond if they have one."""
    numbers = values.cast(pa.int64())
    whole = pc.multiply(pc.divide(numbers, _MILLISECONDS), _MILLISECONDS)
    short = values.cast(pa.timestamp("ms", values.type.tz), safe=False).cast(pa.string())
    texts = pc.if_else(pc.equal(whole, numbers), short, values.cast(pa.string()))
    return _quoted(pc.replace_substring(texts, " ", "T", max_replacements=1))


def _strings(values: pa.StringArray) -> pa.StringArray:
    if not pc.any(pc.match_substring_regex(values, _SPECIAL), min_count=0).as_py():
        return _quoted(values)
    distinct = values.dictionary_encode()
    texts = [json.dumps(text, ensure_ascii=False) for text in distinct.dictionary.to_pylist()]
    return pa.array(texts, pa.string()).take(distinct.indices)
