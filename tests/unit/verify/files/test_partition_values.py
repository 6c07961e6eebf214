"""Which partition values engines read: PROTOCOL.md, "Partition Value Serialization"."""

import pytest

from deltactl.spec.actions.action import Metadata
from deltactl.spec.schema import types
from deltactl.spec.schema.types import DataType, Decimal
from deltactl.verify.files.partitions import Partitioning, is_readable


@pytest.mark.parametrize(
    ("text", "data_type", "expected"),
    [
        ("1", types.INTEGER, True),
        ("-2147483648", types.INTEGER, True),
        ("2147483648", types.INTEGER, False),
        ("1.0", types.INTEGER, False),
        ("128", types.BYTE, False),
        ("9223372036854775807", types.LONG, True),
        ("1e3", types.DOUBLE, True),
        ("NaN", types.DOUBLE, True),
        ("wibble", types.DOUBLE, False),
        ("true", types.BOOLEAN, True),
        ("yes", types.BOOLEAN, False),
        ("2020-01-31", types.DATE, True),
        ("20200131", types.DATE, False),
        ("2020-01-31 10:00:00.123456", types.TIMESTAMP, True),
        ("2020-01-31T10:00:00.123456Z", types.TIMESTAMP, True),
        # Widened from date to timestamp_ntz: old values stay as they were written.
        ("2020-01-31", types.TIMESTAMP_NTZ, True),
        ("noon", types.TIMESTAMP, False),
        ("2021-13-45", types.TIMESTAMP, False),
        ("2021-13-45", types.DATE, False),
        ("2021-02-29", types.DATE, False),
        ("2020-02-29", types.DATE, True),
        ("2020-02-00", types.DATE, False),
        ("+10000-12-31", types.DATE, True),
        ("0000-02-29", types.DATE, True),
        ("2021-02-30 10:00:00", types.TIMESTAMP_NTZ, False),
        ("2021-02-28 23:59:59", types.TIMESTAMP_NTZ, True),
        ("2021-02-28 24:00:00", types.TIMESTAMP_NTZ, False),
        ("2021-02-28 10:60:00", types.TIMESTAMP, False),
        ("2021-02-28 10:00:61", types.TIMESTAMP, False),
        ("2021-02-28 10:00:00+01:00", types.TIMESTAMP, True),
        ("2021-02-28 10:00:00+25:00", types.TIMESTAMP, False),
        ("\u0662\u0660\u0662\u0661-\u0660\u0661-\u0660\u0661", types.DATE, False),
        ("\u0661", types.INTEGER, False),
        ("\u0661", types.DOUBLE, False),
        ("1_0", types.DOUBLE, False),
        ("\u0661.\u0665", Decimal(3, 1), False),
        ("1_0", Decimal(3, 1), False),
        ("1E+1", Decimal(3, 1), True),
        ("1E+999999999999999999999", Decimal(3, 1), False),
        ("NaN", Decimal(3, 1), False),
        ("-Infinity", types.FLOAT, True),
        ("12.5", Decimal(3, 1), True),
        ("1234.5", Decimal(3, 1), False),
        ("0", Decimal(2, 2), True),
        ("x", Decimal(3, 1), False),
        ("\u0001\u0002", types.BINARY, True),
        ("anything", types.STRING, True),
    ],
)
def test_values(text: str, data_type: DataType, expected: bool) -> None:
    assert is_readable(text, data_type) is expected


def partitioned(schema: str, *columns: str, **configuration: str) -> Partitioning:
    return Partitioning(
        Metadata(
            id="1", schema_string=schema, partition_columns=columns, configuration=configuration
        )
    )


PLAIN = '{"type":"struct","fields":[{"name":"P","type":"integer","nullable":true,"metadata":{}}]}'
MAPPED = (
    '{"type":"struct","fields":[{"name":"p","type":"integer","nullable":true,"metadata":'
    '{"delta.columnMapping.id":1,"delta.columnMapping.physicalName":"col-1"}}]}'
)


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"p": "1"}, []),
        ({"p": None}, []),
        ({"p": ""}, []),
        ({}, ["PARTITION_VALUES_INCOMPLETE"]),
        ({"p": "1", "q": "1"}, ["PARTITION_VALUES_INCOMPLETE"]),
        ({"p": "x"}, ["PARTITION_VALUE_UNREADABLE"]),
    ],
)
def test_the_values_of_a_file(values: dict[str, str | None], codes: list[str]) -> None:
    found = partitioned(PLAIN, "p").check(values, "file")
    assert [finding.code for finding in found] == codes


def test_values_go_by_physical_names() -> None:
    mode = {"delta.columnMapping.mode": "name"}
    partitioning = partitioned(MAPPED, "p", **mode)
    assert list(partitioning.check({"col-1": "1"}, "file")) == []
    [incomplete] = partitioning.check({"p": "1"}, "file")
    assert incomplete.code == "PARTITION_VALUES_INCOMPLETE"
    assert (incomplete.expected, incomplete.found) == ("p (col-1)", "p")
    [unreadable] = partitioning.check({"col-1": "x"}, "file")
    assert (unreadable.expected, unreadable.found) == ("a integer", "p=x")
