"""Arrays that are made of buffers are those that Arrow makes of the same values."""

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.log.arrow.arrow_values import BUILDERS

NUMBER, TEXT = pa.int64(), pa.string()
MAP = pa.map_(TEXT, TEXT)
SOME_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=9)
VALUES = {
    NUMBER: st.integers(-(2**63), 2**63 - 1),
    TEXT: SOME_TEXT,
    MAP: st.lists(st.tuples(SOME_TEXT, st.none() | SOME_TEXT), max_size=3),
}


@pytest.mark.parametrize("kind", VALUES, ids=str)
@given(data=st.data())
def test_it_is_what_arrow_makes(kind: pa.DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | VALUES[kind], max_size=20))
    made = BUILDERS[kind](values)
    made.validate(full=True)
    assert made.equals(pa.array(values, kind))
    assert made.type == kind


@pytest.mark.parametrize(
    ("kind", "value"),
    [(NUMBER, 2**63), (NUMBER, "1"), (TEXT, 1), (TEXT, b"\xff"), (MAP, [("a", 1)])],
    ids=repr,
)
def test_what_is_none_is_refused_as_arrow_refuses_it(kind: pa.DataType, value: Any) -> None:
    with pytest.raises((pa.ArrowException, OverflowError, TypeError)):
        BUILDERS[kind]([value])
