from collections.abc import Iterable

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
from deltactl.cli.render.plain import paint


def painted(*blocks: Block) -> list[str]:
    return "".join(paint(blocks)).split("\n")


def test_fields_are_aligned() -> None:
    rows = [
        ("Version", "3"),
        ("Größe 列", [Span("1", "number"), " MB"]),
        ("", "more"),
        ("Empty", ""),
    ]
    assert painted(Fields(rows)) == [
        "Version   3",
        "Größe 列  1 MB",
        "          more",
        "Empty",
        "",
    ]


def test_grids_are_aligned_and_never_cut() -> None:
    columns = [Column("NAME"), Column("SIZE", "right"), Column("")]
    rows = [["a", "1", "x"], ["b" * 120, "12345", ""], ["列", "2", "y"]]
    assert painted(Grid(columns, rows)) == [
        "NAME" + " " * 116 + "   SIZE",
        "a" + " " * 119 + "      1  x",
        "b" * 120 + "  12345",
        "列" + " " * 118 + "      2  y",
        "",
    ]


def test_a_grid_without_titles_has_no_head() -> None:
    assert painted(Grid([Column(""), Column("")], [["a", "b"]])) == ["a  b", ""]
    assert painted(Grid([Column("")], [])) == [""]


def test_a_long_grid_is_read_once_and_printed_as_it_comes() -> None:
    read = 0

    def rows() -> Iterable[list[str]]:
        nonlocal read
        for read in range(1, 5001):
            yield [str(read), "x" * (30 if read == 3000 else 1), "end"]

    pieces = paint([Grid([Column("A"), Column("B"), Column("C")], rows())])
    assert [next(pieces), next(pieces)] == ["A     B  C\n", "1     x  end\n"]
    assert read <= 1001
    lines = list(pieces)
    assert lines[2998] == "3000  " + "x" * 30 + "  end\n"
    assert lines[-1] == "5000  x  end\n"


def test_trees() -> None:
    tree = Tree("t", [Tree(["a: ", Span("int", "type")], [Tree("b\n")]), Tree("c")])
    assert painted(tree) == ["t", "├─ a: int", r"│  └─ b\n", "└─ c", ""]


def test_blocks_are_apart_but_a_heading_is_with_what_follows() -> None:
    blocks = [Lines(["one", "two"]), Heading("Title"), Fields([("a", "b")]), Lines(["end"])]
    assert painted(*blocks) == ["one", "two", "", "Title", "a  b", "", "end", ""]


def test_a_text_for_other_programs_is_left_alone() -> None:
    assert painted(Verbatim("a\n\x1b\n")) == ["a", "\x1b", ""]
    assert painted(Verbatim("a")) == ["a", ""]


def test_nothing_in_a_table_is_markup() -> None:
    assert painted(Lines(["[bold]id[/bold] :smile: \x1b[31m"])) == [
        r"[bold]id[/bold] :smile: \x1b[31m",
        "",
    ]
