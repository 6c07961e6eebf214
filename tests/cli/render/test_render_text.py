import pytest

from deltactl.cli.render.blocks import Span, guided
from deltactl.cli.render.visible import plain, spans, visible, width


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("größe 列 😀", "größe 列 😀"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
        ("abc\u202edef", r"abc\u202edef"),
        ("\u2066\u200f\u061c", r"\u2066\u200f\u061c"),
        ("a\u200bb\ufeff\xad", r"a\u200bb\ufeff\xad"),
        ("\u2028", r"\u2028"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("क्\u200dष", "क्\u200dष"),  # part of the spelling
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("a\u00a0b", "a\u00a0b"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text: str, expected: str) -> None:
    assert visible(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("abc", 3), ("列", 2), ("é", 1), ("e\u0301", 1), ("😀", 2)]
)
def test_width(text: str, expected: int) -> None:
    assert width(text) == expected


def test_labels() -> None:
    assert spans("a") == (Span("a"),)
    assert spans(Span("a\x1b", "name")) == (Span(r"a\x1b", "name"),)
    assert spans(["a", Span("b", "added")]) == (Span("a"), Span("b", "added"))
    assert spans([]) == ()
    assert plain(["a", Span("[bold]", "added")]) == "a[bold]"


TREE = {"root": ["a", "b"], "a": ["a1", "a2"], "a1": ["x"], "b": ["b1"]}


def test_guides() -> None:
    drawn = [(g.first + node, g.rest) for g, node in guided("root", lambda n: TREE.get(n, []))]
    assert drawn == [
        ("root", "│  "),
        ("├─ a", "│  │  "),
        ("│  ├─ a1", "│  │  │  "),
        ("│  │  └─ x", "│  │     " + "   "),
        ("│  └─ a2", "│     " + "   "),
        ("└─ b", "   │  "),
        ("   └─ b1", "      " + "   "),
    ]


def test_a_tree_deeper_than_the_stack_of_python() -> None:
    nodes = list(guided(0, lambda n: [n + 1] if n < 3000 else []))
    assert len(nodes) == 3001
