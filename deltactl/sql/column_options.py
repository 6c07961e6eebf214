"""What follows the type of a column in Spark SQL: NOT NULL, COMMENT, DEFAULT, GENERATED, keys."""

from collections.abc import Iterator
from typing import Any

from deltactl.spec.keys import COMMENT, CURRENT_DEFAULT, GENERATION_EXPRESSION, IDENTITY_PREFIX
from deltactl.sql import table_keys
from deltactl.sql.lexer import TokenKind, Tokens, literal
from deltactl.text.strict_json import DIGITS

_OPTIONS = ("not", "comment", "default", "generated")


def bracketed(tokens: Tokens) -> Iterator[str]:
    """Take all from an opening bracket to the one that closes it, and yield the texts."""
    depth = 0
    while not tokens.at_end:
        text = tokens.next().text
        depth += (text == "(") - (text == ")")
        yield text
        if depth == 0:
            return
    raise tokens.error("')'")


def options(tokens: Tokens) -> tuple[bool, dict[str, Any]]:
    """Take what follows the type of a column; return whether it may be null, and its metadata."""
    nullable = True
    metadata: dict[str, Any] = {}
    while tokens.is_word(*_OPTIONS, *table_keys.OF_COLUMN):
        if tokens.is_word(*table_keys.OF_COLUMN):
            nullable = not table_keys.read_of_column(tokens) and nullable
            continue
        match tokens.current.text.lower():
            case "not":
                nullable = not_null(tokens)
            case "comment":
                metadata[COMMENT] = comment(tokens)
            case "default":
                tokens.next()
                metadata[CURRENT_DEFAULT] = _expression(tokens)
            case _:
                metadata |= _generated(tokens)
    return nullable, metadata


def not_null(tokens: Tokens) -> bool:
    """Take NOT NULL, and return whether the column may be null."""
    tokens.expect_word("not")
    tokens.expect_word("null")
    return False


def comment(tokens: Tokens) -> str:
    """Take COMMENT and its texts, which Spark joins."""
    tokens.expect_word("comment")
    if tokens.current.kind is not TokenKind.TEXT:
        raise tokens.error("a text in quotes")
    parts = []
    while tokens.current.kind is TokenKind.TEXT:
        parts.append(literal(tokens.next().text))
    return "".join(parts)


def _expression(tokens: Tokens) -> str:
    """Return an expression as it is written, up to the next option or column."""
    begin = end = tokens.current.start
    while not tokens.at_end and tokens.current.text not in (",", ")"):
        # NOT belongs to the expression unless it begins NOT NULL.
        if tokens.is_word("comment", "generated", "default"):
            break
        if tokens.is_word(*table_keys.OF_COLUMN) and end > begin:
            break
        if tokens.is_word("not") and tokens.peek(1).text.lower() == "null" and end > begin:
            break
        if tokens.current.text == "(":
            for _ in bracketed(tokens):
                pass
        else:
            tokens.next()
        end = tokens.last_end
    if end == begin:
        raise tokens.error("an expression")
    return tokens.text[begin:end]


def _generated(tokens: Tokens) -> dict[str, Any]:
    """Return what GENERATED says of a column, in the words of its metadata."""
    tokens.expect_word("generated")
    by_default = tokens.accept_word("by")
    tokens.expect_word("default" if by_default else "always")
    tokens.expect_word("as")
    if tokens.accept_word("identity"):
        settings = list(bracketed(tokens)) if tokens.current.text == "(" else []
        return {
            f"{IDENTITY_PREFIX}start": _number(tokens, settings, "with"),
            f"{IDENTITY_PREFIX}step": _number(tokens, settings, "by"),
            f"{IDENTITY_PREFIX}allowExplicitInsert": by_default,
        }
    if tokens.current.text != "(":
        raise tokens.error("'(' or IDENTITY")
    begin = tokens.current.end
    for _ in bracketed(tokens):
        pass
    return {GENERATION_EXPRESSION: tokens.text[begin : tokens.last_end - 1].strip()}


def _number(tokens: Tokens, settings: list[str], word: str) -> int:
    """Return the number behind `word` in `(START WITH 10 INCREMENT BY -5)`; 1 if it is missing."""
    words = [setting.lower() for setting in settings]
    if word not in words:
        return 1
    rest = words[words.index(word) + 1 :]
    sign = -1 if rest[0] == "-" else 1
    digits = rest[1] if rest[0] == "-" else rest[0]
    if not digits.isdecimal() or len(digits) > DIGITS:
        raise tokens.error(f"a number behind {word.upper()}")
    return sign * int(digits)
