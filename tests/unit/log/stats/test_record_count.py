"""The number of rows in statistics, and statistics with nothing but that."""

import pytest

from deltactl.log.stats.record_count import only_records, records_in


@pytest.mark.parametrize(
    ("stats", "records", "kept"),
    [
        ('{"numRecords":10,"minValues":{"id":1}}', 10, '{"numRecords":10}'),
        ('{"numRecords":0}', 0, '{"numRecords":0}'),
        ('{"minValues":{"numRecords":1}, "numRecords": 7}', 7, '{"numRecords":7}'),
        ('{"minValues":{"numRecords":1}}', None, None),
        ('{"numRecords":1.5}', None, None),
        ('{"numRecords":9223372036854775808}', None, None),
        ("", None, None),
    ],
)
def test_records(stats: str, records: int | None, kept: str | None) -> None:
    assert records_in(stats) == records
    assert only_records(stats) == kept
