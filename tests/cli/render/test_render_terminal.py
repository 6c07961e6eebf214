import io
import re

from rich.console import Console

from deltactl.cli.render.blocks import (
    Block,
    Column,
    Fields,
    Grid,
    Heading,
    Lines,
    Span,
    Tree,
    Verbatim,
)
from deltactl.cli.render.terminal import THEME, paint

NAMES = Grid(
    [Column("NAME"), Column("SIZE", "right", fold=False), Column("PATH")],
    [[Span("orders", "name"), "12", "a" * 50], ["é列", "3456", "short"]],
)


def painted(*blocks: Block, width: int = 40, color: bool = False) -> list[str]:
    console = Console(
        file=io.StringIO(),
        width=width,
        theme=THEME,
        force_terminal=True,
        color_system="standard" if color else None,
        markup=False,
        emoji=False,
        highlight=False,
    )
    paint(blocks, console)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue().split("\n")


def letters(lines: list[str]) -> str:
    return re.sub(r"\s", "", "".join(lines))


SHORTENED = Grid(
    [Column("N", fold=False), Column("WHAT", shorten="end"), Column("PATH", shorten="path")],
    [
        ["1", "列列列列列列列列列列列列", "day=1/part-00000-7cf39617-b11b.parquet"],
        ["2", "short", "列列列列列列列列/a.parquet"],
        ["3", "", "a" * 30],
    ],
)


def test_columns_that_are_shortened() -> None:
    assert [line.rstrip() for line in painted(SHORTENED, width=37)] == [
        "N  WHAT              PATH",
        "1  列列列列列列列 …  …/part-….parquet",
        "2  short             列列 …/a.parquet",
        "3                    aaaaaaa…aaaaaaaa",
        "",
    ]
    assert any("列列列列列列列列/a.parquet" in line for line in painted(SHORTENED, width=80))


def test_a_grid_that_fits() -> None:
    assert [line.rstrip() for line in painted(NAMES, width=80)] == [
        "NAME    SIZE  PATH",
        "orders    12  " + "a" * 50,
        "é列     3456  short",
        "",
    ]


def test_a_grid_is_folded_into_a_narrow_window() -> None:
    lines = painted(NAMES, width=40)
    assert [line.rstrip() for line in lines] == [
        "NAME    SIZE  PATH",
        "orders    12  " + "a" * 26,
        "              " + "a" * 24,
        "é列     3456  short",
        "",
    ]


def test_a_grid_too_wide_to_fold_is_one_record_a_row() -> None:
    assert [line.rstrip() for line in painted(NAMES, width=20)] == [
        "NAME  orders",
        "SIZE  12",
        "PATH  " + "a" * 50,
        "",
        "NAME  é列",
        "SIZE  3456",
        "PATH  short",
        "",
        "",
    ]


def test_cells_hang_below_a_row_whose_other_columns_fit() -> None:
    columns = [Column("NO", "right", fold=False), Column("WHAT", fold=False), Column("WHY")]
    rows = [["7", "a column of some width", "word " * 8 + "end"], ["12", "b", ""]]
    lines = painted(Grid([*columns, Column("BY")], [[*row, "x"] for row in rows]), width=40)
    assert lines == [
        "NO  WHAT",
        " 7  a column of some width",
        "    WHY  word word word word word word",
        "         word word end",
        "    BY   x",
        "12  b",
        "    BY   x",
        "",
    ]


def test_a_long_grid_keeps_its_columns() -> None:
    rows = ([str(number), "x"] for number in range(2500))
    lines = painted(Grid([Column("A", "right"), Column("B")], rows))
    assert lines[0].rstrip() == "  A  B"
    assert lines[1].rstrip() == "  0  x"
    assert lines[1001].rstrip().endswith("x")
    assert letters(lines).count("x") == 2500


def test_colours_and_no_colours() -> None:
    block = Lines([[Span("+ a", "added"), " ", Span("- b", "removed")]])
    assert painted(block, color=True) == ["\x1b[32m+ a\x1b[0m \x1b[31m- b\x1b[0m", ""]
    assert painted(block) == ["+ a - b", ""]


def test_only_what_leads_a_value_is_dim() -> None:
    value = "word " * 5 + "end"
    first, second = "word word word word", "word end"
    assert painted(Fields([("Name", value)]), width=26, color=True) == [
        f"\x1b[2mName  \x1b[0m{first}",
        f"      {second}",
        "",
    ]
    assert painted(Tree("t", [Tree(value)]), width=30, color=True) == [
        "t",
        "\x1b[2m└─ \x1b[0mword word word word word",
        "\x1b[2m      \x1b[0mend",
        "",
    ]
    columns = [Column("NO", fold=False), Column("WHAT", fold=False), Column("WHY")]
    assert painted(Grid(columns, [["7", "w" * 20, value]]), width=36, color=True)[1:] == [
        "7   wwwwwwwwwwwwwwwwwwww",
        "\x1b[2m    WHY  \x1b[0mword word word word word",
        "         end",
        "",
    ]


def test_a_value_of_one_word_is_left_to_the_terminal() -> None:
    name = "n" * 100
    assert painted(Fields([("Name", name)]), width=40, color=True) == [
        f"\x1b[2mName  \x1b[0m{name}",
        "",
    ]


def test_a_whole_cell_stands_below_its_row_rather_than_being_broken() -> None:
    columns = [Column("SIZE", "right", fold=False), Column("PATH", whole=True)]
    grid = Grid(columns, [["12", "a" * 50]])
    assert painted(grid, width=40) == ["SIZE", "  12", "      PATH  " + "a" * 50, ""]
    assert painted(grid, width=60)[1].rstrip() == "  12  " + "a" * 50


def test_nothing_in_a_table_is_markup_or_a_command() -> None:
    text = "[bold]id[/bold] :smile: \x1b[31m [link=x]y[/link]"
    shown = r"[bold]id[/bold] :smile: \x1b[31m [link=x]y[/link]"
    blocks = [Heading(text), Lines([text]), Verbatim(text), Tree(text), Fields([(text, text)])]
    for block in blocks:
        assert shown.replace(" ", "") in letters(painted(block, width=200))
    grid = Grid([Column("[b]A", fold=True)], [[text]])
    assert letters(painted(grid, width=200)) == "[b]A" + shown.replace(" ", "")


def test_a_label_folds_beside_its_guides() -> None:
    tree = Tree("t", [Tree("word " * 8 + "end", [Tree("x")]), Tree("c")])
    assert [line.rstrip() for line in painted(tree, width=30)] == [
        "t",
        "├─ word word word word word",
        "│  │  word word word end",
        "│  └─ x",
        "└─ c",
        "",
    ]


def test_a_deep_tree_loses_nothing() -> None:
    tree = Tree("n199")
    for level in reversed(range(199)):
        tree = Tree(f"n{level}", [tree])
    lines = painted(tree, width=40)
    assert lines[-2].endswith("n199")
    assert len(lines) == 201


def test_a_long_name_is_folded_and_whole() -> None:
    name = "n" * 100
    assert letters(painted(Fields([("Name", name)]), width=40)) == "Name" + name


def test_blocks_are_apart_but_a_heading_is_with_what_follows() -> None:
    blocks = [Lines(["one"]), Heading("Title"), Fields([("a", "b")])]
    assert painted(*blocks) == ["one", "", "Title", "a  b", ""]
