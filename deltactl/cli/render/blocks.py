"""What a report looks like, before anything is painted: blocks of styled text.

A view is a pure function from a report to blocks. It is registered by the command that owns it:

    @view.register
    def _(report: HistoryReport) -> Iterable[Block]:
        yield Grid(...)
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import singledispatch
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from deltactl.report import Report

Style: TypeAlias = Literal[
    "added", "removed", "changed", "dim", "name", "type", "number", "heading", "warning", "error"
]
Node = TypeVar("Node")


class Span(NamedTuple):
    """A piece of one line in one style."""

    text: str
    style: Style | None = None


Label: TypeAlias = str | Span | Sequence[str | Span]
"""One line of text: where a part has no style of its own it is a plain string."""


class Heading(NamedTuple):
    """A line above the blocks that belong to it."""

    label: Label


class Lines(NamedTuple):
    """Lines of text, one below the other."""

    lines: Iterable[Label]


class Verbatim(NamedTuple):
    """A text for other programs (DDL, a script): off a terminal it is printed as it is."""

    text: str


class Prose(NamedTuple):
    """Sentences, in paragraphs with empty lines between them; a terminal breaks their lines."""

    text: str


class Fields(NamedTuple):
    """Labels with aligned values; a row with an empty label continues the last."""

    rows: Sequence[tuple[str, Label]]


class Column(NamedTuple):
    """A column of a grid; `fold` allows a narrow terminal to break its cells over lines.

    A `whole` cell is never broken, so that it can be copied: if it does not fit it stands below
    its row. `shorten` keeps the cells on one line: a narrow terminal shows `…` for their end, or
    for the folders and the middle of a path.
    """

    title: str
    justify: Literal["left", "right"] = "left"
    fold: bool = True
    whole: bool = False
    shorten: Literal["end", "path"] | None = None


class Grid(NamedTuple):
    """Rows under titled columns; `rows` is read once, so a long list may be a generator."""

    columns: Sequence[Column]
    rows: Iterable[Sequence[Label]]


class Tree(NamedTuple):
    """A label with trees below it."""

    label: Label
    children: Sequence["Tree"] = ()


Block: TypeAlias = Heading | Lines | Verbatim | Prose | Fields | Grid | Tree


@singledispatch
def view(report: Report) -> Iterable[Block]:
    """Return the blocks that show `report`; each type of report registers its own view."""
    raise TypeError(f"{type(report).__name__} has no view")


@singledispatch
def formatted(report: Report, form: str) -> Iterator[str]:
    """Return `report` as `form`, `patch` or `markdown`; each comparison registers its own."""
    raise TypeError(f"{type(report).__name__} has no form {form}")


class Guided(NamedTuple):
    """The lines drawn left of a node: on its first line, and on those that follow when it folds."""

    first: str
    rest: str


def guided(root: Node, children: Callable[[Node], Sequence[Node]]) -> Iterator[tuple[Guided, Node]]:
    """Yield each node below and with `root`, parents first, with the guides that place it.

    Works without recursion, since a schema may be nested deeper than Python's stack. A grid whose
    first cells start with `Guided.first` shows several trees side by side.
    """
    stack = [(Guided("", ""), "", root)]
    while stack:
        guide, indent, node = stack.pop()
        below = children(node)
        yield Guided(guide.first, guide.rest + ("│  " if below else "   ")), node
        for position in range(len(below) - 1, -1, -1):
            last = position == len(below) - 1
            bar, stem = ("└─ ", "   ") if last else ("├─ ", "│  ")
            stack.append((Guided(indent + bar, indent + stem), indent + stem, below[position]))
