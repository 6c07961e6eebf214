"""Partition values are kept as texts: of which types a text is in the form that writers give it."""

import re
from decimal import Decimal as Number

from deltactl.spec.schema.types import (
    BYTE,
    DATE,
    DOUBLE,
    FLOAT,
    INTEGER,
    LONG,
    SHORT,
    STRING,
    TIMESTAMP_NTZ,
    DataType,
    Decimal,
)

_WHOLE = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"-?[0-9]{1,38}(?:\.[0-9]{1,38})?(?:E-?[0-9]{1,3})?")
_BITS: dict[DataType, int] = {BYTE: 8, SHORT: 16, INTEGER: 32, LONG: 64}
_DAY = r"[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}"
_FORMS: dict[DataType, re.Pattern[str]] = {
    FLOAT: re.compile(r"-?[0-9]+\.[0-9]+(?:E-?[0-9]+)?|NaN|-?Infinity"),
    DATE: re.compile(_DAY),
    TIMESTAMP_NTZ: re.compile(rf"{_DAY} [0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]{{1,6}})?"),
    STRING: re.compile(".*", re.DOTALL),
}
_FORMS[DOUBLE] = _FORMS[FLOAT]


def is_text_of(text: str, data_type: DataType) -> bool:
    """Return whether a writer whose column has the type would write its value so.

    Of types that no column is widened from or to, strings apart, no text is.
    """
    if isinstance(data_type, Decimal):
        return _is_decimal(text, data_type)
    if data_type in _BITS:
        bound = 1 << (_BITS[data_type] - 1)
        return _WHOLE.fullmatch(text) is not None and len(text) < 21 and -bound <= int(text) < bound
    form = _FORMS.get(data_type)
    return form is not None and form.fullmatch(text) is not None


def _is_decimal(text: str, data_type: Decimal) -> bool:
    """Return all digits behind the point are written, those of a small number with an exponent."""
    if not _NUMBER.fullmatch(text):
        return False
    _, digits, exponent = Number(text).as_tuple()
    return exponent == -data_type.scale and len(digits) <= data_type.precision
