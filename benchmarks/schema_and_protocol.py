"""`schema show` and `protocol show` on tables of any size, against opening them with deltalake.

The cost must not depend on the number of files, however the checkpoint is laid out.

    python -m benchmarks.schema_and_protocol
"""

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Literal

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script
from benchmarks.tables import SPARK_SETTINGS_AT, RowGroups

Kind = Literal["schema", "protocol"]

ROW_GROUPS: tuple[RowGroups, ...] = ("one", "many")
SMALLEST = 1_000
COMPARED = 1_000_000  # the size at which the peer runs too
SIZES = (SMALLEST, 100_000, COMPARED, 5_000_000)


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    sizes = [size for size in SIZES if size <= options.largest]
    kinds: tuple[Kind, ...] = ("schema", "protocol")
    for kind, row_groups in product(kinds, ROW_GROUPS):
        for files in sizes:
            table = tables.checkpointed(files, row_groups)
            yield _case(kind, files, f"row groups: {row_groups}", table)
            # Row groups can be skipped, so only a single one gets harder with its size.
            if files == COMPARED or (files > COMPARED and row_groups == "one"):
                table = tables.checkpointed(files, row_groups, settings_at=SPARK_SETTINGS_AT)
                yield _case(kind, files, f"row groups: {row_groups}, protocol late", table)
    if options.spark:
        table = tables.spark_checkpointed(COMPARED)
        for kind in kinds:
            yield _case(kind, COMPARED, "written by Spark", table)


def _case(kind: Kind, files: int, layout: str, table: str) -> Case:
    compared = files == COMPARED
    return Case(
        name=_name(kind, files, layout),
        ours=deltactl(kind, "show", table, "-o", "json"),
        peer=script("peers.open_table", table) if compared else None,
        fact=_column_names if kind == "schema" else None,
        min_ratio=20,
        max_mib=150,
        grows_from=_name(kind, SMALLEST, "row groups: one") if files > SMALLEST else None,
        max_growth=1.3,
    )


def _name(kind: Kind, files: int, layout: str) -> str:
    return f"`{kind} show`, {files:,} files, {layout}"


def _column_names(output: Path) -> list[str]:
    return [field["name"] for field in json.loads(output.read_bytes())["schema"]["fields"]]


if __name__ == "__main__":
    main(__doc__, cases)
