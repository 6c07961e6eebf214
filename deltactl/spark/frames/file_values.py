"""Values of file actions in SQL, from texts and from structs: as `log.checkpoint.rows` has them.

Whatever has no value of its type is null: it bounds nothing, and fails nothing.
"""

import re
from collections.abc import Mapping

from deltactl.log.arrow.spark_types import Fields, Shape, ddl
from deltactl.text.identifiers import backticked

_WIDER = {
    "tinyint": {"smallint", "int", "bigint"}, "smallint": {"int", "bigint"}, "int": {"bigint"},
    "float": {"double"}, "timestamp_ntz": {"timestamp"},
}  # fmt: skip
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
_NUMBERS = {"tinyint", "smallint", "int", "bigint", "float", "double", "boolean"}
_MOST_DIGITS = 38
_DATE = r"^ *([0-9]{4,}-[0-9]{1,2}-[0-9]{1,2})"
_BAD = "_bad"


def literal(text: str) -> str:
    """Return the text as SQL has it."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def struct(members: Mapping[str, str]) -> str:
    """Return a struct of these expressions."""
    return f"named_struct({', '.join(f'{literal(n)}, {sql}' for n, sql in members.items())})"


def parsed_stats(text: str, target: Fields) -> str:
    """Return the struct of statistics that JSON holds; null if it is not an object."""
    wanted = {**_read_as(target), _BAD: "string"}
    fields = ", ".join(f"{backticked(name)} {ddl(shape)}" for name, shape in wanted.items())
    options = f"map('columnNameOfCorruptRecord', '{_BAD}')"
    read = f"from_json({text}, {literal(fields)}, {options})"
    made = struct({n: _of_read(f"s.{backticked(n)}", kind) for n, kind in target.items()})
    # A value that is amiss spoils no other; but a text may not be an object at all.
    is_none = f"s IS NULL OR (s.{_BAD} IS NOT NULL AND json_object_keys({text}) IS NULL)"
    return f"transform(array({read}), s -> IF({is_none}, NULL, {made}))[0]"


def of_text(text: str, kind: str) -> str:
    """Return the value of a text."""
    if kind == "string":
        return text
    if kind == "binary":
        return f"CAST({text} AS binary)"
    if kind == "date":
        return f"try_cast(regexp_extract({text}, {literal(_DATE)}, 1) AS date)"
    plain = f"try_cast(trim({text}) AS {kind})"
    if (longer := _longer(kind)) is not None:
        # A rounded bound is not a bound.
        return f"IF({plain} = try_cast(trim({text}) AS {longer}), {plain}, NULL)"
    return plain


def holds(held: Fields, target: Fields) -> bool:
    """Return whether structs of statistics have every value of `target`, as good as it."""
    return all(name in held and _is_as_good(held[name], kind) for name, kind in target.items())


def projected(expression: str, held: Fields, target: Fields) -> str:
    """Return the struct as `target` has it; what it does not have, or not so, is null."""
    members = {}
    for name, kind in target.items():
        own, inner = held.get(name), f"{expression}.{backticked(name)}"
        if own is None:
            members[name] = f"CAST(NULL AS {ddl(kind)})"
        elif not isinstance(own, str) and not isinstance(kind, str):
            members[name] = projected(inner, own, kind)
        else:
            good = _is_as_good(own, kind)
            members[name] = f"CAST({inner if good else 'NULL'} AS {ddl(kind)})"
    return f"IF({expression} IS NULL, NULL, {struct(members)})"


def json_of(expression: str, held: Fields) -> str:
    """Return the JSON of a struct of statistics."""
    return f"to_json({_as_json_has(expression, held)})"


def _longer(kind: str) -> str | None:
    """Return the decimal with the integer digits kept and as many behind them as fit."""
    if (found := _DECIMAL.fullmatch(kind)) is None:
        return None
    precision, scale = int(found[1]), int(found[2])
    return f"decimal({_MOST_DIGITS},{_MOST_DIGITS - precision + scale})"


def _read_as(target: Fields) -> dict[str, Shape]:
    """Return the types in which JSON is read: texts that may be in several forms stay texts."""
    return {
        name: _read_as(kind)
        if not isinstance(kind, str)
        else kind
        if kind in _NUMBERS
        else _longer(kind) or "string"
        for name, kind in target.items()
    }


def _of_read(expression: str, shape: Shape) -> str:
    if not isinstance(shape, str):
        members = {n: _of_read(f"{expression}.{backticked(n)}", k) for n, k in shape.items()}
        return f"IF({expression} IS NULL, NULL, {struct(members)})"
    if shape in _NUMBERS:
        return expression
    if _longer(shape) is not None:
        value = f"try_cast({expression} AS {shape})"
        return f"IF({value} = {expression}, {value}, NULL)"
    return of_text(expression, shape)


def _is_as_good(own: Shape, target: Shape) -> bool:
    """Return whether a value of one type is the same in the other."""
    if not isinstance(own, str) or not isinstance(target, str):
        return not isinstance(own, str) and not isinstance(target, str) and holds(own, target)
    if own == target or target in _WIDER.get(own, ()):
        return True
    old, new = _DECIMAL.fullmatch(own), _DECIMAL.fullmatch(target)
    if old is None or new is None:
        return False
    (precision, scale), (more, finer) = map(int, old.groups()), map(int, new.groups())
    return precision - scale <= more - finer and scale <= finer


def _as_json_has(expression: str, shape: Fields) -> str:
    members = {}
    for name, kind in shape.items():
        inner = f"{expression}.{backticked(name)}"
        if not isinstance(kind, str):
            members[name] = _as_json_has(inner, kind)
        elif kind in ("timestamp", "timestamp_ntz"):
            members[name] = _time(inner, "'Z'" if kind == "timestamp" else "")
        elif kind != "binary":
            members[name] = inner
    return f"IF({expression} IS NULL, NULL, {struct(members)})"


def _time(expression: str, zone: str) -> str:
    """Return the time to the millisecond, or to the microsecond if it has one."""
    forms = [literal(f"yyyy-MM-dd'T'HH:mm:ss.{digits}{zone}") for digits in ("SSS", "SSSSSS")]
    short, long = (f"date_format({expression}, {form})" for form in forms)
    return f"IF({expression} = date_trunc('MILLISECOND', {expression}), {short}, {long})"
