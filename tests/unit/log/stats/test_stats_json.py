"""Statistics from structs to JSON."""

import pyarrow as pa
import pytest

from deltactl.log.stats.stats_json import json_of

BOUNDS = pa.struct({"f": pa.float64(), "t": pa.string(), "s": pa.struct({"x": pa.int16()})})


@pytest.mark.parametrize("rest", [None, {"t": None}, {"s": None}])
def test_a_row_without_a_value_stays_a_row(rest: dict[str, None] | None) -> None:
    """Arrow leaves out the rows of a join of which it skips every value."""
    rows = [{"f": 1.0, "t": None, "s": {"x": 3}}, rest, {"f": None, "t": "a", "s": None}]
    texts = json_of(pa.array(rows, BOUNDS)).to_pylist()
    empty = None if rest is None else "{}"
    assert texts == ['{"f":1,"s":{"x":3}}', empty, '{"t":"a"}']
