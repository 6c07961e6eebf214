"""The painter for terminals: rich, in colour, and no wider than the window.

What does not fit is folded. In a grid too wide even for that, cells hang below their row, or each
row is a record of its own. Only columns that say so are shortened.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import singledispatch
from io import StringIO
from itertools import islice
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Label,
    Lines,
    Prose,
    Tree,
    Verbatim,
    guided,
)
from deltactl.cli.render.visible import spans, visible, width

THEME = Theme(
    {
        "added": "green",
        "removed": "red",
        "changed": "yellow",
        "name": "bold",
        "type": "cyan",
        "number": "blue",
        "heading": "bold",
        "warning": "yellow",
        "error": "bold red",
    }
)
GAP = 2
BATCH = 1_000  # rows of a long grid that are laid out together
NARROWEST = 16  # cells that a folded column keeps; names broken more often cannot be read
_ENDING = len(".parquet")
BESIDE = 28  # cells right of the first column that hanging cells need
READABLE = 100  # cells of a line of prose: the eye loses its way on longer ones
UNBOUNDED = 1_000_000  # cells that no row of a table fills
ROOM = 20  # cells that a label keeps beside its guides before the terminal itself wraps it


def console(screen: TextIO | None = None, *, color: str = "auto") -> Console:
    """Return a console on stdout, or what leads there, that reads no markup or emoji codes."""
    return Console(
        file=screen,
        theme=THEME,
        color_system=None if color == "never" else "auto",
        force_terminal=True if color == "always" else None,
        markup=False,
        emoji=False,
        highlight=False,
        soft_wrap=False,
    )


def colored(blocks: Iterable[Block]) -> str:
    """Return `blocks` with colours for what is no terminal: nothing is cut, and no row folds."""
    text = StringIO()
    to = console(text, color="always")
    to.width = UNBOUNDED
    paint(blocks, to, shortens=False)
    return text.getvalue()


def paint(blocks: Iterable[Block], to: Console, *, shortens: bool = True) -> None:
    """Print `blocks` on `to`, with an empty line between two that do not belong together.

    Without `shortens` the cells of all columns are printed in full.
    """
    before: Block | None = None
    for block in blocks:
        if isinstance(block, Grid) and not shortens:
            columns = [column._replace(shorten=None) for column in block.columns]
            block = block._replace(columns=columns)
        if before is not None and not isinstance(before, Heading):
            to.print()
        _print(block, to)
        before = block


@singledispatch
def _print(block: Block, to: Console) -> None:
    raise TypeError(f"{type(block).__name__} cannot be painted")


@_print.register
def _(block: Heading, to: Console) -> None:
    line = _rich(block.label)
    line.stylize_before("heading")
    _hanging(to, Text(), Text(" " * GAP), line)


@_print.register
def _(block: Lines, to: Console) -> None:
    for line in block.lines:
        to.print(_rich(line), soft_wrap=True)


@_print.register
def _(block: Verbatim, to: Console) -> None:
    for line in block.text.splitlines():
        to.print(Text(visible(line)), soft_wrap=True)


@_print.register
def _(block: Prose, to: Console) -> None:
    for number, paragraph in enumerate(block.text.strip().split("\n\n")):
        if number:
            to.print()
        for line in Text(visible(" ".join(paragraph.split()))).wrap(to, min(to.width, READABLE)):
            line.rstrip()
            to.print(line, soft_wrap=True)


@_print.register
def _(block: Fields, to: Console) -> None:
    wide = max((width(visible(label)) for label, _ in block.rows), default=0) + GAP
    for label, value in block.rows:
        name = visible(label)
        first = _dim(name + " " * (wide - width(name)))
        _hanging(to, first, Text(" " * wide), _rich(value))


@_print.register
def _(block: Tree, to: Console) -> None:
    for guide, node in guided(block, lambda tree: tree.children):
        _hanging(to, _dim(guide.first), _dim(guide.rest), _rich(node.label))


@_print.register
def _(block: Grid, to: Console) -> None:
    rows = ([_rich(cell) for cell in row] for row in block.rows)
    batch = list(islice(rows, BATCH))
    widths = _widths(block.columns, batch, to.width)
    titled = any(column.title for column in block.columns)
    firm = _firm_widths(block.columns, batch, to.width) if widths is None else None
    while batch:
        if widths is not None:
            _print_table(block.columns, batch, widths, to, titled=titled)
        elif firm is not None:
            _print_hanging(block.columns, batch, firm, to, titled=titled)
        else:
            _print_records(block.columns, batch, to)
        titled = False
        batch = list(islice(rows, BATCH))


def _rich(label: Label) -> Text:
    text = Text()
    for span in spans(label):
        text.append(span.text, span.style)
    return text


def _dim(text: str) -> Text:
    """Return text whose style ends with it, and does not spread to what follows."""
    return Text.assemble((text, "dim"))


def _hanging(to: Console, first: Text, rest: Text, label: Text) -> None:
    """Print `label` beside `first`, its folded lines beside `rest`."""
    room = to.width - max(first.cell_len, rest.cell_len)
    if room < ROOM or " " not in label.plain:
        to.print(first + label, soft_wrap=True)
        return
    for number, line in enumerate(label.wrap(to, room, overflow="fold") or [Text()]):
        line.rstrip()
        to.print((rest if number else first) + line, soft_wrap=True)


def _widths(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], room: int
) -> list[int] | None:
    """Return the width of each column, or None if the rows do not fit even when folded."""
    natural = [
        max([width(column.title), *(row[i].cell_len for row in rows)])
        for i, column in enumerate(columns)
    ]
    excess = sum(natural) + GAP * (len(columns) - 1) - room
    while excess > 0:
        soft = [i for i, c in enumerate(columns) if (c.fold and not c.whole) or c.shorten]
        if not soft:
            return None
        wide = max(soft, key=natural.__getitem__)
        spare = natural[wide] - max(NARROWEST, width(columns[wide].title))
        if spare <= 0:
            return None
        step = min(spare, max(1, excess // 2))
        natural[wide] -= step
        excess -= step
    return natural


def _firm_widths(
    columns: Sequence[Column], rows: Sequence[Sequence[Text]], room: int
) -> dict[int, int] | None:
    """Return the widths of the columns that do not fold, if a row starts with one.

    If not all of them fit, it is the first ones that do; None if not even one does.
    """
    firm = [i for i, column in enumerate(columns) if not column.fold]
    while firm and firm[0] == 0:
        widths = _widths([columns[i] for i in firm], [[row[i] for i in firm] for row in rows], room)
        if widths is not None:
            return dict(zip(firm, widths, strict=True))
        firm.pop()
    return None


def _print_table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Text]],
    widths: Sequence[int],
    to: Console,
    *,
    titled: bool,
) -> None:
    table = Table(
        box=None, show_header=titled, header_style="heading", padding=(0, GAP, 0, 0), pad_edge=False
    )
    for column, wide in zip(columns, widths, strict=True):
        title = Text(visible(column.title))
        table.add_column(title, justify=column.justify, width=wide, overflow="fold")
    for row in rows:
        table.add_row(*map(_shortened, row, columns, widths))
    to.print(table)


def _shortened(cell: Text, column: Column, wide: int) -> Text:
    """Return the cell as it is, or with `…` for what a column that shortens has no room for."""
    if column.shorten is None or cell.cell_len <= wide:
        return cell
    if column.shorten == "end":
        return _without_end(cell, Text(), wide)
    # Partitions stand in the folders, and most names of files end alike.
    name = cell[cell.plain.rfind("/") + 1 :]
    folders = cell[: len(cell) - len(name)]
    if folders and name.cell_len + 2 <= wide:
        return _without_end(folders, Text("/") + name, wide)
    start = Text("…/", "dim") if folders else Text()
    return start + _without_end(name, name[-_ENDING:], wide - start.cell_len)


def _without_end(text: Text, end: Text, wide: int) -> Text:
    """Return as much of the text as fits, `…` for the rest, and `end`."""
    start = text.copy()
    start.truncate(max(0, wide - 1 - end.cell_len))
    return Text.assemble(start, ("…", "dim"), end)


def _print_hanging(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Text]],
    firm: Mapping[int, int],
    to: Console,
    *,
    titled: bool,
) -> None:
    """Print the columns in `firm` as a table, and below each row the cells of the others."""
    hanging = [i for i in range(len(columns)) if i not in firm]
    wide = max(width(columns[i].title) for i in hanging) + GAP
    has_room = to.width - firm[0] >= BESIDE
    indent = " " * ((firm[0] if has_room else to.width // 3) + GAP)
    if titled:
        to.print(_aligned([Text(visible(c.title), "heading") for c in columns], columns, firm))
    for row in rows:
        to.print(_aligned(row, columns, firm))
        for i in hanging:
            if row[i].cell_len:
                first = _dim(indent + columns[i].title.ljust(wide))
                _hanging(to, first, Text(" " * first.cell_len), row[i])


def _aligned(cells: Sequence[Text], columns: Sequence[Column], firm: Mapping[int, int]) -> Text:
    padded = []
    for i, wide in firm.items():
        cell = _shortened(cells[i], columns[i], wide)
        space = Text(" " * (wide - cell.cell_len))
        padded.append(space + cell if columns[i].justify == "right" else cell + space)
    line = Text(" " * GAP).join(padded)
    line.rstrip()
    return line


def _print_records(columns: Sequence[Column], rows: Sequence[Sequence[Text]], to: Console) -> None:
    wide = max(width(column.title) for column in columns) + GAP
    for row in rows:
        for column, cell in zip(columns, row, strict=True):
            if cell.cell_len:
                first = _dim(column.title.ljust(wide))
                _hanging(to, first, Text(" " * wide), cell)
        to.print()
