"""Rows 38 to 43: damaged and incomplete checkpoints, and compacted files that lie."""

from malformed.case import THREE_FILES, Rows, fails, silent, unreadable, warns, works
from malformed.parquet import checkpoint, classic_checkpoint, file_actions
from malformed.table import METADATA, Table, add, commit, line

CHECKPOINT = f"{3:020d}.checkpoint.parquet"
FIRST_PART = f"{3:020d}.checkpoint.{1:010d}.{2:010d}.parquet"
V2_CHECKPOINT = f"{3:020d}.checkpoint.00000000-0000-4000-8000-0000000000c3.json"
SIDECAR = "00000000-0000-4000-8000-0000000000d3.parquet"
SIDECAR_CONTENT = checkpoint(file_actions(1, 2, 3))
FOUR_FILES = {"version": 4, "files": {"count": 4}}

rows = Rows()


def drop_commits_below_4(table: Table) -> None:
    """Leave the checkpoint of version 3 and one commit above it."""
    table.commits.clear()
    table.add_line(4, add("part-4.parquet"))


def put_hint(table: Table) -> None:
    """A `_last_checkpoint` that names version 3."""
    table.log_file("_last_checkpoint", '{"version":3,"size":5}')


@rows.row(38, warns("show", "CHECKPOINT_UNREADABLE", CHECKPOINT, **THREE_FILES), verify="FAIL")
def checkpoint_truncated(table: Table) -> None:
    table.log_file(CHECKPOINT, classic_checkpoint(1, 2, 3)[:300])
    put_hint(table)


@rows.row(38, warns("show", "CHECKPOINT_UNREADABLE", CHECKPOINT, **THREE_FILES), verify="FAIL")
def checkpoint_truncated_above_an_older_one(table: Table) -> None:
    checkpoint_truncated(table)
    table.log_file(f"{1:020d}.checkpoint.parquet", classic_checkpoint(1))
    del table.commits[0]


@rows.row(
    38,
    *unreadable("CHECKPOINT_UNREADABLE", CHECKPOINT),
    fails("protocol show", "CHECKPOINT_UNREADABLE", CHECKPOINT),
    works("history"),
    works("log"),
    verify="FAIL",
    write="FAIL",
)
def checkpoint_truncated_and_commits_gone(table: Table) -> None:
    checkpoint_truncated(table)
    drop_commits_below_4(table)


@rows.row(39, warns("show", "CHECKPOINT_EMPTY", CHECKPOINT, **THREE_FILES))
def checkpoint_of_no_bytes(table: Table) -> None:
    table.log_file(CHECKPOINT, b"")
    put_hint(table)


@rows.row(40, warns("show", "CHECKPOINT_INCOMPLETE", f"{3:020d}", **THREE_FILES))
def checkpoint_part_missing(table: Table) -> None:
    table.log_file(FIRST_PART, classic_checkpoint(1))


@rows.row(40, *unreadable("CHECKPOINT_INCOMPLETE", f"{3:020d}"), readable="not at all")
def checkpoint_part_missing_and_commits_gone(table: Table) -> None:
    checkpoint_part_missing(table)
    drop_commits_below_4(table)


@rows.row(41, *unreadable("VERSIONS_NOT_CONTIGUOUS", commit(4)), readable="not by rule")
def gap_after_a_checkpoint(table: Table) -> None:
    table.log_file(CHECKPOINT, classic_checkpoint(1, 2, 3))
    table.add_line(5, add("part-5.parquet"))


@rows.row(42, silent("show", **THREE_FILES), verify="FAIL")
def compacted_file_lies(table: Table) -> None:
    table.log_file(f"{1:020d}.{3:020d}.compacted.json", add("part-1.parquet") + "\n")


@rows.row(42, works("show", **THREE_FILES))
def compacted_file_where_the_commits_are_gone(table: Table) -> None:
    lines = [add("part-1.parquet"), add("part-2.parquet")]
    table.log_file(f"{1:020d}.{2:020d}.compacted.json", "\n".join(lines) + "\n")
    del table.commits[1], table.commits[2]


def put_v2_checkpoint(table: Table) -> None:
    """A V2 checkpoint of version 3 whose files stand in one sidecar, which is not put."""
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["v2Checkpoint"],
        "writerFeatures": ["v2Checkpoint"],
    }
    sidecar = {
        "path": SIDECAR,
        "sizeInBytes": len(SIDECAR_CONTENT),
        "modificationTime": 1700000003000,
    }
    lines = [
        line("checkpointMetadata", {"version": 3}),
        line("protocol", protocol),
        line("metaData", METADATA),
        line("sidecar", sidecar),
    ]
    table.commits[0][1] = lines[1]
    table.log_file(V2_CHECKPOINT, "\n".join(lines) + "\n")


@rows.row(43, silent("show", **FOUR_FILES))
def sidecar_present(table: Table) -> None:
    put_v2_checkpoint(table)
    table.log_file(f"_sidecars/{SIDECAR}", SIDECAR_CONTENT)
    drop_commits_below_4(table)


@rows.row(43, warns("show", "SIDECAR_MISSING", SIDECAR, **THREE_FILES))
def sidecar_missing(table: Table) -> None:
    put_v2_checkpoint(table)


@rows.row(
    43,
    fails("show", "SIDECAR_MISSING", SIDECAR),
    fails("files", "SIDECAR_MISSING", SIDECAR),
    works("schema show", version=4),
    readable="not by files",
)
def sidecar_missing_and_commits_gone(table: Table) -> None:
    put_v2_checkpoint(table)
    drop_commits_below_4(table)


CASES = tuple(rows.cases)
