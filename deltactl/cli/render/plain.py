"""The painter for pipes and files: aligned lines, nothing cut, nothing wrapped, no colour."""

from collections.abc import Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import chain, islice

from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Lines,
    Prose,
    Tree,
    Verbatim,
    guided,
)
from deltactl.cli.render.visible import plain, visible, width

GAP = "  "
SAMPLE = 1_000  # rows that settle the widths of a grid; a wider cell further down is not cut


def paint(blocks: Iterable[Block]) -> Iterator[str]:
    """Yield the text of `blocks`, with an empty line between two that do not belong together."""
    before: Block | None = None
    for block in blocks:
        if before is not None and not isinstance(before, Heading):
            yield "\n"
        yield from _text(block)
        before = block


@singledispatch
def _text(block: Block) -> Iterator[str]:
    raise TypeError(f"{type(block).__name__} cannot be painted")


@_text.register
def _(block: Heading) -> Iterator[str]:
    yield f"{plain(block.label)}\n"


@_text.register
def _(block: Lines) -> Iterator[str]:
    for line in block.lines:
        yield f"{plain(line)}\n"


@_text.register
def _(block: Verbatim) -> Iterator[str]:
    yield block.text if block.text.endswith("\n") else f"{block.text}\n"


@_text.register
def _(block: Prose) -> Iterator[str]:
    yield from (f"{visible(line)}\n" for line in block.text.splitlines())


@_text.register
def _(block: Fields) -> Iterator[str]:
    labels = [visible(label) for label, _ in block.rows]
    wide = max(map(width, labels), default=0)
    for label, (_, value) in zip(labels, block.rows, strict=True):
        yield f"{_pad(label, wide)}{GAP}{plain(value)}".rstrip() + "\n"


@_text.register
def _(block: Grid) -> Iterator[str]:
    rows = ([plain(cell) for cell in row] for row in block.rows)
    head = [[column.title for column in block.columns]] if _titled(block.columns) else []
    sample = [*head, *islice(rows, SAMPLE)]
    widths = [max(map(width, cells)) for cells in zip(*sample, strict=True)]
    for row in chain(sample, rows):
        yield _row(row, block.columns, widths)


@_text.register
def _(block: Tree) -> Iterator[str]:
    for guide, node in guided(block, lambda tree: tree.children):
        yield f"{guide.first}{plain(node.label)}\n"


def _titled(columns: Sequence[Column]) -> bool:
    return any(column.title for column in columns)


def _row(cells: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    padded = (
        _pad(cell, wide, right=column.justify == "right")
        for cell, column, wide in zip(cells, columns, widths, strict=True)
    )
    return GAP.join(padded).rstrip() + "\n"


def _pad(text: str, wide: int, *, right: bool = False) -> str:
    space = " " * (wide - width(text))
    return space + text if right else text + space
