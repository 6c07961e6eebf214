"""How many rows statistics name, and why they are malformed."""

import pytest

from deltactl.verify.log.commits import records_told


@pytest.mark.parametrize(
    ("stats", "expected"),
    [
        ('{"numRecords":5}', 5),
        ('{"numRecords":5,"minValues":{"a":1}}', 5),
        ('{"numRecords": 5}', 5),
        ('{"minValues":{"a":1},"numRecords":5}', 5),
        ('{"numRecords":true}', None),
        ('{"numRecords":-5}', -5),
        ("{}", None),
    ],
)
def test_rows(stats: str, expected: int | None) -> None:
    assert records_told(stats) == (expected, "")


@pytest.mark.parametrize(
    ("stats", "word"), [('{"numRecords":5', "delimiter"), ("[5]", "[5]"), ("x" * 14 + "7", "value")]
)
def test_malformed(stats: str, word: str) -> None:
    records, wrong = records_told(stats)
    assert records is None
    assert word in wrong
