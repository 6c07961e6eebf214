"""Rows 1 to 13: commit files, their lines and their listing."""

from malformed.case import THREE_FILES, Rows, fails, silent, unreadable, warns, works
from malformed.parquet import classic_checkpoint
from malformed.table import METADATA, Table, add, commit, line

rows = Rows()


@rows.row(
    1,
    fails("show", "COMMIT_NOT_JSON", commit(3), "line 2"),
    fails("files", "COMMIT_NOT_JSON", commit(3), "line 2"),
    warns("history", "COMMIT_NOT_JSON", commit(3)),
    warns("history", "SNAPSHOT_UNREADABLE"),
    readable="not by files",
    verify="FAIL",
    write="FAIL",
)
def last_line_of_newest_commit_truncated(table: Table) -> None:
    lines = [table.commits[3][0], table.commits[3][1][:60]]
    table.log_file(commit(3), "\n".join(lines))


@rows.row(
    2,
    *unreadable("COMMIT_EMPTY", commit(3)),
    warns("history", "COMMIT_EMPTY", commit(3)),
    readable="not by rule",
    verify="FAIL",
    write="FAIL",
)
def newest_commit_empty(table: Table) -> None:
    table.log_file(commit(3), b"")


@rows.row(
    2,
    warns("show", "COMMIT_EMPTY", commit(2), version=3, files={"count": 2}),
    warns("history", "COMMIT_EMPTY", commit(2)),
    verify="WARN",
)
def older_commit_empty(table: Table) -> None:
    table.log_file(commit(2), b"")


@rows.row(
    3,
    warns("show", "COMMIT_HAS_BLANK_LINES", commit(2), **THREE_FILES),
    warns("history", "COMMIT_HAS_BLANK_LINES", commit(2)),
    verify="WARN",
)
def blank_lines(table: Table) -> None:
    table.log_file(commit(2), "\n\n".join([*table.commits[2], "", ""]))


@rows.row(
    4,
    warns("show", "COMMIT_HAS_BOM", commit(3), **THREE_FILES),
    warns("history", "COMMIT_HAS_BOM", commit(3)),
    verify="WARN",
    write="FAIL",
)
def byte_order_mark(table: Table) -> None:
    table.log_file(commit(3), "\ufeff" + "\n".join(table.commits[3]) + "\n")


@rows.row(
    5,
    *unreadable("VERSIONS_NOT_CONTIGUOUS", commit(2)),
    readable="not by rule",
    verify="FAIL",
    write="FAIL",
)
def commit_missing_in_the_middle(table: Table) -> None:
    del table.commits[2]


@rows.row(
    6,
    silent("show", **THREE_FILES),
    warns("history", "HISTORY_HAS_GAP", "1"),
    fails("show --at 2", "VERSION_NOT_RECREATABLE", "2", exit_code=3),
    fails("show --at 1", "VERSION_NOT_RECREATABLE", "1", exit_code=3),
    works("show --at 0", version=0, files={"count": 0}),
)
def gap_below_a_complete_checkpoint(table: Table) -> None:
    table.log_file(f"{3:020d}.checkpoint.parquet", classic_checkpoint(1, 2, 3))
    del table.commits[1]


@rows.row(
    7,
    *unreadable("LOG_TRUNCATED", commit(0)),
    readable="not at all",
    verify="FAIL",
    write="FAIL",
)
def first_commit_missing(table: Table) -> None:
    del table.commits[0]


@rows.row(
    8,
    *unreadable("VERSIONS_NOT_CONTIGUOUS", "4", "98", "99", hint="foreign"),
    readable="not by rule",
    verify="FAIL",
    write="FAIL",
)
def stray_far_version(table: Table) -> None:
    table.add_line(99, add("part-99.parquet"))


@rows.row(
    9,
    warns("show", "NAME_NOT_CANONICAL", "4.json", **THREE_FILES),
    warns("history", "NAME_NOT_CANONICAL", "4.json"),
    warns("log", "NAME_NOT_CANONICAL", "4.json"),
    verify="WARN",
    write="FAIL",
)
def name_without_twenty_digits(table: Table) -> None:
    table.log_file("4.json", add("part-4.parquet"))


@rows.row(
    10,
    warns("show", "TWO_METADATA", commit(3), properties={"owner": "second"}, **THREE_FILES),
    warns("schema show", "TWO_METADATA", commit(3)),
    verify="FAIL",
)
def two_metadata_in_one_commit(table: Table) -> None:
    for owner in ("first", "second"):
        table.add_line(3, line("metaData", {**METADATA, "configuration": {"owner": owner}}))


@rows.row(
    11,
    warns("show", "TWO_PROTOCOLS", commit(3), protocol={"minWriterVersion": 4}, **THREE_FILES),
    warns("protocol show", "TWO_PROTOCOLS", commit(3)),
    verify="FAIL",
)
def two_protocols_in_one_commit(table: Table) -> None:
    for writer in (3, 4):
        table.add_line(3, line("protocol", {"minReaderVersion": 1, "minWriterVersion": writer}))


@rows.row(12, *unreadable("NO_PROTOCOL", "protocol"), readable="not at all", verify="FAIL")
def no_protocol(table: Table) -> None:
    del table.commits[0][1]


@rows.row(13, *unreadable("NO_METADATA", "metaData"), readable="not by rule", verify="FAIL")
def no_metadata(table: Table) -> None:
    del table.commits[0][2]


CASES = tuple(rows.cases)
