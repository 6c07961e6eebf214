"""PRIMARY KEY and the like among the columns of CREATE TABLE: of them only NOT NULL is kept."""

from deltactl.sql.lexer import TokenKind, Tokens

# What begins one behind the type of a column.
OF_COLUMN = ("constraint", "primary", "unique", "check", "references")
_KINDS = ("primary", "unique", "foreign", "check")
# What each kind that stands by itself begins with: a column may be called so, too.
_SECOND = {"primary": "key", "unique": "(", "foreign": "key", "check": "("}
# How a key is meant, in one word each.
_MEANT = (
    "rely", "norely", "enforced", "deferrable", "initially", "deferred", "immediate", "match",
    "full", "partial", "simple", "on", "delete", "update", "cascade", "restrict", "action", "no",
    "timeseries",
)  # fmt: skip


def stands_at(tokens: Tokens) -> bool:
    """Return whether a key of the whole table stands here, and no column."""
    if tokens.is_word("constraint"):
        return tokens.peek(2).text.lower() in _KINDS
    first, second = tokens.current.text.lower(), tokens.peek(1).text.lower()
    return tokens.current.kind is TokenKind.WORD and _SECOND.get(first) == second


def read(tokens: Tokens) -> set[str]:
    """Read a key of the whole table, and return the columns that it makes NOT NULL, case folded.

    Raises:
        InvalidUsageError: it is not a key; says where.
    """
    if tokens.accept_word("constraint"):
        tokens.identifier()
    is_primary = tokens.is_word("primary")
    is_foreign = tokens.is_word("foreign")
    tokens.next()
    if is_primary or is_foreign:
        tokens.expect_word("key")
    columns = _bracketed(tokens)
    if is_foreign:
        _references(tokens)
    _meant(tokens)
    return columns if is_primary else set()


def read_of_column(tokens: Tokens) -> bool:
    """Read a key behind a column's type, and return whether it makes the column NOT NULL.

    Raises:
        InvalidUsageError: it is not a key; says where.
    """
    if tokens.accept_word("constraint"):
        tokens.identifier()
    if tokens.accept_word("not"):
        tokens.expect_word("null")
        return True
    is_primary = tokens.is_word("primary")
    if tokens.is_word("references"):
        _references(tokens)
    elif tokens.is_word("check"):
        tokens.next()
        _bracketed(tokens)
    elif not tokens.accept_word("unique"):
        tokens.expect_word("primary")
        tokens.expect_word("key")
    _meant(tokens)
    return is_primary


def _references(tokens: Tokens) -> None:
    tokens.expect_word("references")
    tokens.identifier()
    while tokens.accept("."):
        tokens.identifier()
    if tokens.current.text == "(":
        _bracketed(tokens)


def _bracketed(tokens: Tokens) -> set[str]:
    """Read what is in brackets, and return the names there."""
    tokens.expect("(")
    names, depth = set(), 1
    while depth:
        if tokens.at_end:
            raise tokens.error("')'")
        if tokens.current.kind in (TokenKind.WORD, TokenKind.QUOTED):
            names.add(tokens.current.name.casefold())
        depth += (tokens.current.text == "(") - (tokens.current.text == ")")
        tokens.next()
    return names


def _meant(tokens: Tokens) -> None:
    while True:
        if tokens.is_word("not") and tokens.peek(1).text.lower() in _MEANT:
            tokens.next()
        elif not tokens.is_word(*_MEANT):
            return
        tokens.next()
