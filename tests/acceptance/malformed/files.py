"""Rows 44 to 54: paths, deletion vectors, and adds and removes that contradict each other."""

from typing import Any

from malformed.case import THREE_FILES, Rows, fails, silent, warns, works
from malformed.parquet import data_file
from malformed.table import Table, add, commit, remove

FOUR_FILES: dict[str, Any] = {"files": {"count": 4}}
DV_PATH = "vBn[lx{q8@P<9BNH/isA"  # 20 characters: a UUID in base85
DV: dict[str, Any] = {
    "storageType": "u",
    "pathOrInlineDv": DV_PATH,
    "offset": 1,
    "sizeInBytes": 36,
    "cardinality": 1,
}

rows = Rows()


def put_real_files(table: Table, name: str) -> None:
    """Data files for the base table, and one more called `name`."""
    for path in ("part-1.parquet", "part-2.parquet", "part-3.parquet", name):
        table.extra[path] = data_file()


@rows.row(
    44, silent("show", **FOUR_FILES), works("files --physical id", physicalTypes=[{"files": 4}])
)
def encoded_space_in_path(table: Table) -> None:
    put_real_files(table, "a b.parquet")
    table.add_line(3, add("a%20b.parquet"))


@rows.row(45, warns("files", "PATH_NOT_ENCODED", "a b.parquet"), verify="FAIL", write="FAIL")
def raw_space_in_path(table: Table) -> None:
    put_real_files(table, "a b.parquet")
    table.add_line(3, add("a b.parquet"))


@rows.row(
    46, silent("show", **FOUR_FILES), works("files --physical id", physicalTypes=[{"files": 4}])
)
def encoded_percent_in_path(table: Table) -> None:
    put_real_files(table, "a%20b.parquet")
    table.add_line(3, add("a%2520b.parquet"))


@rows.row(47, works("show", **FOUR_FILES), warns("files", "ABSOLUTE_PATH", "part-4.parquet"))
def absolute_path(table: Table) -> None:
    put_real_files(table, "part-4.parquet")
    table.add_line(3, add((table.root / "part-4.parquet").as_uri()))


@rows.row(
    48, works("show", **FOUR_FILES), warns("files", "PATH_OUTSIDE_TABLE", "../"), verify="FAIL"
)
def path_above_the_table(table: Table) -> None:
    table.add_line(3, add("../part-4.parquet"))


@rows.row(
    49,
    fails("show", "EMPTY_PATH", commit(3)),
    fails("files", "EMPTY_PATH", commit(3)),
    readable="not by files",
)
def empty_path(table: Table) -> None:
    table.add_line(3, add(""))


@rows.row(
    50,
    fails("show", "DELETION_VECTOR_WITHOUT_FEATURE", "deletionVectors", "part-4.parquet"),
    fails("files", "DELETION_VECTOR_WITHOUT_FEATURE", "deletionVectors", "part-4.parquet"),
    works("schema show", version=3),
    readable="not by files",
)
def deletion_vector_without_feature(table: Table) -> None:
    table.add_line(3, add("part-4.parquet", deletionVector={**DV, "cardinality": 6}))


def row_51(name: str, **wrong: object) -> None:
    """A case of row 51: a descriptor that no reader could follow."""

    def build(table: Table) -> None:
        put_deletion_vector(table, **wrong)

    rows.row(
        51,
        warns("show", "BAD_DELETION_VECTOR", "part-4.parquet", **FOUR_FILES),
        warns("files", "BAD_DELETION_VECTOR", "part-4.parquet"),
        name=name,
        verify="FAIL",
    )(build)


def put_deletion_vector(table: Table, **wrong: object) -> None:
    """A fourth file with a deletion vector, with `wrong` fields in the descriptor."""
    names = ["deletionVectors"]
    table.protocol(3, 7, readerFeatures=names, writerFeatures=names)
    table.add_line(3, add("part-4.parquet", deletionVector={**DV, **wrong}))


row_51("deletion_vector_of_unknown_storage", storageType="z")
row_51("deletion_vector_not_base85", pathOrInlineDv="~~~~~~~~~~~~~~~~~~~~")
row_51("deletion_vector_deletes_more_than_there_is", cardinality=6)
row_51("deletion_vector_deletes_less_than_nothing", cardinality=-1)


@rows.row(51, works("show", **FOUR_FILES), works("files"), verify="FAIL")
def deletion_vector_file_missing(table: Table) -> None:
    put_deletion_vector(table)


@rows.row(
    52,
    warns("show", "DUPLICATE_ADD", commit(3), version=3, files={"count": 3, "bytes": 1900}),
    warns("files", "DUPLICATE_ADD", "part-3.parquet"),
    verify="FAIL",
)
def one_path_added_twice(table: Table) -> None:
    table.add_line(3, add("part-3.parquet", size=900))


@rows.row(
    53,
    warns("show", "ADD_AND_REMOVE_IN_ONE_COMMIT", commit(3), version=3, files={"count": 2}),
    warns("files", "ADD_AND_REMOVE_IN_ONE_COMMIT", "part-3.parquet"),
    verify="FAIL",
    write="FAIL",
)
def one_path_added_and_removed(table: Table) -> None:
    table.add_line(3, remove("part-3.parquet"))


@rows.row(54, silent("show", **THREE_FILES))
def removal_of_an_unknown_path(table: Table) -> None:
    table.add_line(3, remove("never-there.parquet"))


CASES = tuple(rows.cases)
