"""The words, names, texts and signs of a piece of Spark SQL, with the place of each."""

import re
from enum import Enum, auto
from functools import cache
from typing import NamedTuple

from deltactl.errors import DeltactlError, InvalidUsageError

# What begins a comment or a text, and its end.
_CLOSED = {
    "/*": r"/\*.*?\*/",
    "'": r"'(?:[^'\\]|\\.|'')*'",
    '"': r'"(?:[^"\\]|\\.|"")*"',
}
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))|''|\"\"", re.DOTALL
)
_ESCAPED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a"}
_LAST = 0x10FFFF
# How much of what stands before an error is repeated in its message.
_SHOWN = 30


class TokenKind(Enum):
    """What a token is; END stands behind the last one."""

    WORD = auto()
    QUOTED = auto()
    TEXT = auto()
    SIGN = auto()
    END = auto()


class Token(NamedTuple):
    """A token as it is written, and where."""

    kind: TokenKind
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """The name that a word or a name in backticks stands for."""
        quoted = self.kind is TokenKind.QUOTED
        return self.text[1:-1].replace("``", "`") if quoted else self.text


class Tokens:
    """The tokens of `text` and the place that a reader has come to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = _tokens(text)
        self._at = 0

    @property
    def current(self) -> Token:
        return self._tokens[self._at]

    @property
    def at_end(self) -> bool:
        return self.current.kind is TokenKind.END

    @property
    def last_end(self) -> int:
        """Where the token that was read last ends."""
        return self._tokens[self._at - 1].end if self._at else 0

    def peek(self, count: int) -> Token:
        """Return the token `count` places further, or the end."""
        return self._tokens[min(self._at + count, len(self._tokens) - 1)]

    def next(self) -> Token:
        """Read one token; the end is never passed."""
        token = self.current
        if not self.at_end:
            self._at += 1
        return token

    def accept(self, sign: str) -> bool:
        """Read `sign` if it stands here."""
        found = self.current.kind is TokenKind.SIGN and self.current.text == sign
        if found:
            self.next()
        return found

    def expect(self, sign: str, expected: str | None = None) -> None:
        """Read `sign`, or raise; `expected` are the words for what should stand here."""
        if not self.accept(sign):
            raise self.error(expected or f"'{sign}'")

    def is_word(self, *words: str) -> bool:
        """Return whether one of the words, in any case, stands here."""
        return self.current.kind is TokenKind.WORD and self.current.text.lower() in words

    def accept_word(self, word: str) -> bool:
        """Read `word` if it stands here."""
        found = self.is_word(word)
        if found:
            self.next()
        return found

    def expect_word(self, word: str) -> None:
        """Read `word`, or raise."""
        if not self.accept_word(word):
            raise self.error(word.upper())

    def identifier(self) -> Token:
        """Read a name, in backticks or without."""
        if self.current.kind not in (TokenKind.WORD, TokenKind.QUOTED) or not self.current.name:
            raise self.error("a name")
        return self.next()

    def error(self, expected: str) -> InvalidUsageError:
        """Return what to raise where `expected` should stand and something else does."""
        found = "the end" if self.at_end else f"{self.current.text[:_SHOWN]!r}"
        line, column = self._place(self.current)
        before = " ".join(self.text[: self.current.start].split())
        shown = before if len(before) <= _SHOWN else "…" + before[-_SHOWN:]
        after = f" after {shown!r}" if shown else ""
        return InvalidUsageError(
            "DDL_SYNTAX",
            f"expected {expected}, found {found} at line {line}, column {column}{after}",
            hint="write as in Spark SQL: a INT NOT NULL, `b c` ARRAY<STRUCT<x: DECIMAL(10,2)>>",
            details={"line": line, "column": column},
        )

    def located(self, error: DeltactlError, token: Token) -> DeltactlError:
        """Return the error, with the place of `token` unless that is all there is."""
        if token.start == 0 and self.at_end:
            return error
        line, column = self._place(token)
        return type(error)(
            error.code,
            f"{error.message} (line {line}, column {column})",
            hint=error.remedy,
            details={**error.details, "line": line, "column": column},
        )

    def _place(self, token: Token) -> tuple[int, int]:
        before = self.text[: token.start]
        return before.count("\n") + 1, token.start - (before.rfind("\n") + 1) + 1


def literal(text: str) -> str:
    """Return the value of a text in quotes, as Spark reads it."""
    if text[0] in "rR":
        return text[2:-1]
    units = _ESCAPE.sub(_unescaped, text[1:-1]).encode("utf-16-le", "surrogatepass")
    # Spark's characters are halves of UTF-16: two escapes may make one.
    return units.decode("utf-16-le", "replace")


def _unescaped(found: re.Match[str]) -> str:
    short, long, octal, other = found.groups()
    if short or long:
        code = int(short or long, 16)
        return chr(code) if code <= _LAST else found[0]
    if octal:
        return chr(int(octal, 8))
    if other is None:
        return found[0][0]
    # Spark keeps the backslash before the wildcards of LIKE.
    return found[0] if other in "%_" else _ESCAPED.get(other, other)


def _tokens(text: str) -> list[Token]:
    kinds = {
        "text": TokenKind.TEXT,
        "quoted": TokenKind.QUOTED,
        "word": TokenKind.WORD,
        "sign": TokenKind.SIGN,
    }
    found, unclosed, position = [], frozenset[str](), 0
    while match := _token(unclosed).match(text, position):
        position = match.end()
        if match.lastgroup in kinds:
            found.append(Token(kinds[match.lastgroup], match[0], match.start()))
        if match.lastgroup == "sign":
            # Its end is not in the rest of the text: do not search for it again.
            unclosed |= {begin for begin in _CLOSED if text.startswith(begin, match.start())}
    return [*found, Token(TokenKind.END, "", len(text))]


@cache
def _token(unclosed: frozenset[str]) -> re.Pattern[str]:
    """Return the pattern of the next token; the beginnings in `unclosed` are signs."""
    closed = {begin: form for begin, form in _CLOSED.items() if begin not in unclosed}
    gaps = [r"\s", r"--[^\n]*", *(form for begin, form in closed.items() if begin == "/*")]
    raw = [r"[rR]'[^']*'", r'[rR]"[^"]*"']
    texts = [*raw, *(form for begin, form in closed.items() if begin != "/*")]
    return re.compile(
        rf"(?P<gap>(?:{'|'.join(gaps)})+)|(?P<text>{'|'.join(texts)})"
        r"|(?P<quoted>`(?:[^`]|``)*`)|(?P<word>\w+)|(?P<sign>.)",
        re.DOTALL,
    )
