"""Texts of partition values, as Spark 4.2 writes those of each type (PROTOCOL.md, "Partition Value
Serialization").
"""

import pytest

from deltactl.log.stats.partition_text import is_text_of
from deltactl.spec.schema.types import (
    BINARY,
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    Decimal,
)


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("127", BYTE),
        ("-128", BYTE),
        ("0", SHORT),
        ("2147483647", INTEGER),
        ("-9223372036854775808", LONG),
        ("1.1", FLOAT),
        ("1.1", DOUBLE),
        ("-0.0", DOUBLE),
        ("1.0E10", DOUBLE),
        ("4.9E-324", DOUBLE),
        ("NaN", DOUBLE),
        ("-Infinity", DOUBLE),
        ("5", Decimal(10, 0)),
        ("-5.00", Decimal(12, 2)),
        ("0E-10", Decimal(20, 10)),  # what Java makes of a zero with so many digits
        ("1.0E-7", Decimal(10, 8)),
        ("2020-01-01", DATE),
        ("2020-01-01 10:00:00", TIMESTAMP_NTZ),
        ("2020-01-01 10:00:00.123456", TIMESTAMP_NTZ),
        ("+10000-01-01 00:00:00", TIMESTAMP_NTZ),
        ("any text", STRING),
        ("two\nlines", STRING),
    ],
    ids=str,
)
def test_a_text_as_writers_give_it(text, data_type) -> None:
    assert is_text_of(text, data_type)


@pytest.mark.parametrize(
    ("text", "data_type"),
    [
        ("128", BYTE),
        ("2147483648", INTEGER),
        ("007", INTEGER),
        ("+7", INTEGER),
        ("5.0", LONG),
        ("9" * 5000, LONG),
        ("5", DOUBLE),  # of an integer
        ("nan", DOUBLE),
        ("5", Decimal(12, 2)),  # of an integer
        ("2.50", Decimal(7, 4)),  # of a smaller scale
        ("1234567.00", Decimal(7, 2)),
        ("1_0.00", Decimal(7, 2)),
        ("٣", Decimal(10, 0)),
        (" 5", Decimal(10, 0)),
        ("2020-01-01", TIMESTAMP_NTZ),  # of a date
        ("2020-01-01T10:00:00", TIMESTAMP_NTZ),
        ("2020-01-01 10:00:00", DATE),
        ("\u0661", INTEGER),
        ("AQ==", BINARY),
        ("", INTEGER),
    ],
    ids=str,
)
def test_a_text_of_another_type(text, data_type) -> None:
    assert not is_text_of(text, data_type)
