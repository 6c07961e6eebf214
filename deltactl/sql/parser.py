"""Types with parts and lists of columns, as Spark SQL declares them: `map<string,array<int>>`."""

import re
from dataclasses import dataclass, field, replace
from itertools import count, takewhile
from typing import Any, NamedTuple

from deltactl.errors import DeltactlError, RefusedError
from deltactl.spec.keys import CHAR_VARCHAR, COMMENT
from deltactl.spec.schema.schema import walk
from deltactl.spec.schema.type_names import Typed, parse_typed
from deltactl.spec.schema.types import (
    INTERVALS,
    Array,
    DataType,
    Map,
    Primitive,
    Struct,
    StructField,
)
from deltactl.sql import table_keys
from deltactl.sql.column_options import bracketed, comment, not_null, options
from deltactl.sql.lexer import Token, TokenKind, Tokens

# Deeper ones would exhaust the stack of whatever walks the type afterwards, here and in Spark.
MAX_DEPTH = 250

# What Spark reads without backticks; the text that it keeps has none.
_PLAIN = re.compile(r"[A-Za-z0-9_]+")
_OPENS = ("array", "map", "struct")
_FIELDS = ("year", "month", "day", "hour", "minute", "second")
_NOT_IN_DELTA = ("time", "geometry", "geography", "object")
# As Spark names types in the text that it keeps beside a char or varchar.
_CATALOG = {"integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint"}


def parse_type_text(text: str) -> Typed:
    """Read a type with or without parts.

    `limit` is set where `varchar(n)` or `char(n)` stands anywhere in it, to the text of the whole
    type: Spark keeps that beside the column, also for a length deep inside of it.

    Raises:
        InvalidUsageError: it is not a type; says where.
        RefusedError: a type that Delta does not have, or that tables may have and no engine writes;
            or a name that means two things.
    """
    typed = _whole_type(text)
    held = Struct((StructField("", typed.type, True, {}),))
    for node in walk(held):
        if node.type in INTERVALS.values():
            raise RefusedError(
                "TYPE_NOT_IN_DELTA", f"{node.type}: Spark writes no such columns to a Delta table"
            )
    return typed


def parse_columns(text: str) -> Struct:
    """Read `a INT NOT NULL COMMENT 'x', b ARRAY<INT>`, or a whole CREATE TABLE statement.

    Of a statement only the columns are read. A `struct<...>` stands for its fields.

    Raises:
        InvalidUsageError: it is neither; says where.
        RefusedError: a type that Delta does not have, or one name twice.
    """
    tokens = Tokens(text)
    if _begins_statement(tokens):
        return Struct(_of_statement(tokens))
    if tokens.is_word("struct") and tokens.peek(1).text == "<":
        return _of_struct(_whole_type(text))
    bracketed = tokens.accept("(")
    fields = _columns(tokens)
    if bracketed:
        tokens.expect(")")
    tokens.accept(";")
    if not tokens.at_end:
        raise tokens.error("',' or the end")
    return Struct(fields)


def _whole_type(text: str) -> Typed:
    tokens = Tokens(text)
    found = _type(tokens)
    if not tokens.at_end:
        raise tokens.error("the end of the type")
    return found.typed


class _Found(NamedTuple):
    """A type and its text as Spark's catalog has it.

    `limited`: a length stands in the text. `quoted`: so does a name that needs backticks.
    """

    type: DataType
    catalog: str
    limited: bool = False
    quoted: bool = False

    @property
    def typed(self) -> Typed:
        return Typed(self.type, self.catalog if self.limited else None)


@dataclass(slots=True)
class _Open:
    """A type whose bracket is not closed yet; of a struct also the name that awaits its type."""

    kind: str
    parts: list[_Found] = field(default_factory=list)
    fields: list[StructField] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    name: Token | None = None

    def closed(self) -> _Found:
        limited = any(part.limited for part in self.parts)
        quoted = any(part.quoted for part in self.parts)
        if self.kind == "struct":
            named = zip(self.fields, self.parts, strict=True)
            inside = ",".join(f"{f.name}:{part.catalog}" for f, part in named)
            quoted |= not all(_PLAIN.fullmatch(f.name) for f in self.fields)
            return _Found(Struct(tuple(self.fields)), f"struct<{inside}>", limited, quoted)
        inside = ",".join(part.catalog for part in self.parts)
        built: DataType
        match self.parts:
            case [element]:
                built = Array(element.type, contains_null=True)
            case [key, value, *_]:
                built = Map(key.type, value.type, value_contains_null=True)
        return _Found(built, f"{self.kind}<{inside}>", limited, quoted)


def _type(tokens: Tokens) -> _Found:
    """Read one type. Without recursion: types are nested deeper than stacks."""
    levels: list[_Open] = []
    begin = tokens.current
    while True:
        found = _begun(tokens, levels)
        while found is not None:
            if not levels:
                _check_kept(tokens, begin, found)
                return found
            found = _put(tokens, levels, found)


def _check_kept(tokens: Tokens, begin: Token, found: _Found) -> None:
    """Refuse a length in a type whose text Spark could not read back."""
    if found.limited and found.quoted:
        said = "varchar and char have no length in a type with names that need backticks"
        error = RefusedError("LENGTH_NOT_KEPT", said, hint="write string instead")
        raise tokens.located(error, begin)


def _begun(tokens: Tokens, levels: list[_Open]) -> _Found | None:
    """Read a type without parts; or open one that has parts, and return it if it has none."""
    kind = tokens.current.text.lower()
    if not (
        tokens.current.kind is TokenKind.WORD and kind in _OPENS and tokens.peek(1).text == "<"
    ):
        return _leaf(tokens)
    if len(levels) == MAX_DEPTH:
        raise tokens.error(f"no more than {MAX_DEPTH} types inside each other")
    tokens.next()
    tokens.next()
    levels.append(_Open(kind))
    if kind != "struct":
        return None
    if tokens.accept(">"):
        return levels.pop().closed()
    _name_next(tokens, levels[-1])
    return None


def _put(tokens: Tokens, levels: list[_Open], found: _Found) -> _Found | None:
    """Put a type into the one around it; return that when its bracket closes."""
    level = levels[-1]
    level.parts.append(found)
    if level.kind == "struct":
        assert level.name is not None
        metadata: dict[str, Any] = {}
        nullable = True
        while tokens.is_word("not", "comment"):
            if tokens.is_word("not"):
                nullable = not_null(tokens)
            else:
                metadata[COMMENT] = comment(tokens)
        level.fields.append(StructField(level.name.name, found.type, nullable, metadata))
        if tokens.accept(","):
            _name_next(tokens, level)
            return None
    elif level.kind == "map" and len(level.parts) == 1:
        tokens.expect(",", "',' and the type of the values")
        return None
    tokens.expect(">", "',' or '>'" if level.kind == "struct" else "'>'")
    return levels.pop().closed()


def _name_next(tokens: Tokens, level: _Open) -> None:
    level.name = tokens.identifier()
    _check_new(tokens, level.name, level.names)
    tokens.accept(":")


def _leaf(tokens: Tokens) -> _Found:
    """Read a type without parts."""
    first = tokens.current
    if first.kind is not TokenKind.WORD:
        raise tokens.error("a type")
    name = first.text.lower()
    tokens.next()
    text = name
    if tokens.current.text == "(":
        text += "".join(bracketed(tokens))
    if name == "interval":
        return _interval(tokens)
    if name in _NOT_IN_DELTA:
        raise tokens.located(_not_in_delta(name), first)
    if name == "string" and tokens.is_word("collate"):
        raise tokens.located(_not_in_delta("string with a collation"), first)
    if name in _OPENS:
        raise tokens.error(f"'<' behind {name}")
    try:
        typed = parse_typed(text)
    except DeltactlError as error:
        raise tokens.located(error, first) from error
    return _Found(typed.type, typed.limit or _catalog(typed.type), typed.limit is not None)


def _interval(tokens: Tokens) -> _Found:
    """Read what stands behind the word."""
    words = ["interval"]
    while tokens.is_word("to", *_FIELDS):
        words.append(tokens.next().text.lower())
    found = INTERVALS.get(" ".join(words))
    if found is None:
        raise tokens.error("an interval's fields, such as YEAR TO MONTH or DAY TO SECOND")
    return _Found(found, found.name)


def _not_in_delta(name: str) -> RefusedError:
    return RefusedError("TYPE_NOT_IN_DELTA", f"{name}: a Delta table has no columns of this type")


def _catalog(data_type: DataType) -> str:
    match data_type:
        case Primitive(name):
            return _CATALOG.get(name, name)
        case _:
            return str(data_type)


def _of_struct(typed: Typed) -> Struct:
    if typed.limit is not None:
        raise RefusedError(
            "LENGTH_NOT_KEPT",
            "varchar and char have no length inside struct<...>",
            hint="write the columns without struct< and >: the length is kept beside a column",
        )
    assert isinstance(typed.type, Struct)
    return typed.type


def _begins_statement(tokens: Tokens) -> bool:
    """Return whether CREATE ... TABLE stands here: a column may be called create, too."""
    if not tokens.is_word("create"):
        return False
    words = takewhile(lambda token: token.kind is TokenKind.WORD, map(tokens.peek, count(1)))
    return tokens.peek(1).text == "(" or any(word.text.lower() == "table" for word in words)


def _of_statement(tokens: Tokens) -> tuple[StructField, ...]:
    """Return the columns of a CREATE TABLE statement; ignore the clauses behind them."""
    while not tokens.accept_word("table"):
        if tokens.current.kind is not TokenKind.WORD:
            raise tokens.error("TABLE")
        tokens.next()
    if tokens.accept_word("if"):
        tokens.expect_word("not")
        tokens.expect_word("exists")
    tokens.identifier()
    while tokens.accept("."):
        tokens.identifier()
    if not tokens.accept("("):
        return ()
    fields = _columns(tokens)
    tokens.expect(")", "',' or ')'")
    return fields


def _columns(tokens: Tokens) -> tuple[StructField, ...]:
    fields: list[StructField] = []
    names: set[str] = set()
    keys: set[str] = set()
    while True:
        if table_keys.stands_at(tokens):
            keys |= table_keys.read(tokens)
        else:
            name = tokens.identifier()
            _check_new(tokens, name, names)
            tokens.accept(":")
            found = _type(tokens)
            nullable, metadata = options(tokens)
            if found.limited:
                metadata[CHAR_VARCHAR] = found.catalog
            fields.append(StructField(name.name, found.type, nullable, metadata))
        if not tokens.accept(","):
            return tuple(
                replace(f, nullable=False) if f.name.casefold() in keys else f for f in fields
            )


def _check_new(tokens: Tokens, name: Token, names: set[str]) -> None:
    """Refuse a name that is among `names` already, else put it there."""
    folded = name.name.casefold()
    if folded in names:
        error = RefusedError("DECLARED_TWICE", f"{name.name} is declared twice")
        raise tokens.located(error, name)
    names.add(folded)
