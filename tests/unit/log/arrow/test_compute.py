"""The functions that are called by name do as those of `pyarrow.compute`."""

import pyarrow as pa

from deltactl.log.arrow import compute as pc

NUMBERS = pa.array([3, None, 4])


def test_sum_of_something_and_of_nothing() -> None:
    assert pc.sum(NUMBERS).as_py() == 7
    assert pc.sum(pa.array([], pa.int64())).as_py() is None
    assert pc.sum(pa.array([None], pa.int64()), min_count=0).as_py() == 0


def test_any_and_the_rows_that_are_true() -> None:
    mask = pa.array([False, None, True])
    assert pc.any(mask).as_py() is True
    assert pc.any(pa.array([None], pa.bool_())).as_py() is None
    assert pc.indices_nonzero(mask).to_pylist() == [2]


def test_texts() -> None:
    texts = pa.array(["file:/a", None, "b"])
    assert pc.starts_with(texts, "file:/").to_pylist() == [True, None, False]
    assert pc.is_in(texts, pa.array(["b", "c"])).to_pylist() == [False, False, True]


def test_take_from_arrays_and_batches() -> None:
    rows = pa.array([2, 0])
    assert pc.take(NUMBERS, rows).to_pylist() == [4, 3]
    batch = pa.record_batch([NUMBERS], ["n"])
    assert pc.take(batch, rows).to_pylist() == [{"n": 4}, {"n": 3}]


def test_any_other_function_is_that_of_the_module() -> None:
    assert pc.min(NUMBERS).as_py() == 3
