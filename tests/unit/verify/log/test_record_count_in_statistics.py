"""How many rows statistics name, and why they are malformed."""

import pytest

from deltactl.verify.log.commits import record_count_in


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
    assert record_count_in(stats) == (expected, "")


@pytest.mark.parametrize(
    ("stats", "word"), [('{"numRecords":5', "delimiter"), ("[5]", "[5]"), ("x" * 14 + "7", "value")]
)
def test_malformed(stats: str, word: str) -> None:
    records, wrong = record_count_in(stats)
    assert records is None
    assert word in wrong
