"""Values from texts: digits are those of ASCII, as engines read them."""

from datetime import date
from decimal import Decimal

import pyarrow as pa
import pytest

from deltactl.log.stats.text_values import cast_texts


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (pa.int32(), "12", 12),
        (pa.float64(), "1.5", 1.5),
        (pa.decimal128(5, 2), "1.25", Decimal("1.25")),
        (pa.date32(), "2021-01-01", date(2021, 1, 1)),
    ],
)
def test_digits_of_other_scripts_are_no_number(kind: pa.DataType, text: str, value: object) -> None:
    arabic = text.translate({ord("0") + digit: 0x660 + digit for digit in range(10)})
    assert cast_texts(pa.array([text, arabic]), kind).to_pylist() == [value, None]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("9" * 39, pa.decimal128(38, 2)),
        ("9" * 5000, pa.decimal128(38, 2)),
        ("9.9e39", pa.decimal128(38, 0)),
        ("9e36", pa.decimal128(38, 38)),
    ],
)
def test_a_number_that_a_decimal_cannot_hold_is_null(text: str, kind: pa.DataType) -> None:
    assert cast_texts(pa.array([text, "0.5", None]), kind).to_pylist() == [
        None,
        Decimal("0.5") if kind.scale else None,
        None,
    ]
