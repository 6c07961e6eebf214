"""Text of a table made fit to print: what a terminal would obey or hide is shown escaped."""

import unicodedata
from collections.abc import Iterable

from deltactl.cli.render.blocks import Label, Span

SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
JOINERS = "\u200c\u200d"  # part of the spelling of Persian and Indic names, and of emoji
HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """Return `text` with control, bidi and invisible characters as `\\x1b` or `\\u202e`."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or char in JOINERS or unicodedata.category(char) not in HIDDEN:
        return char
    code = ord(char)
    if code < 0x100:
        return SHORT.get(char, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def spans(label: Label) -> tuple[Span, ...]:
    """Return `label` as spans of visible text, which both painters print as it stands."""
    parts: Iterable[str | Span] = (label,) if isinstance(label, str | Span) else label
    return tuple(
        Span(visible(part)) if isinstance(part, str) else Span(visible(part.text), part.style)
        for part in parts
    )


def plain(label: Label) -> str:
    """Return the visible text of `label` without its styles."""
    return "".join(span.text for span in spans(label))


def width(text: str) -> int:
    """Return how many cells `text` fills: two for a wide character, none for a combining one."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def _cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
