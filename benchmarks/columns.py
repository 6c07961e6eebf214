"""Commands on tables of 100 to 20,000 columns, all of them widened, and nested 30 levels deep.

A column must not cost more because there are others: ten times the columns may take ten times the
CPU at most, of which a process takes some for any number.

    python -m benchmarks.columns
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import Command, deltactl

FEW, SOME, FILE, MANY = 100, 2_000, 3_000, 20_000
WIDENED = 500
MOST = 10.0


def cases(options: Options) -> Iterator[Case]:
    tables, script = options.tables, _script()
    flat = {number: tables.of_columns(number) for number in (FEW, SOME, MANY)}
    nested = {number: tables.of_columns(number, nested=True) for number in (FEW, 10 * FEW)}
    for name, words, limit in (
        ("`schema show`", ("schema", "show", "TABLE"), 0.4),
        ("`prune-type-changes --dry-run`", ("prune-type-changes", "TABLE", "--dry-run"), 0.6),
        (f"`widen` {WIDENED} columns", ("widen", "TABLE", *_wishes(), "--dry-run"), 0.5),
        (
            f"`column apply` {WIDENED} comments",
            ("column", "apply", "TABLE", script, "--dry-run"),
            None,
        ),
        ("`verify-checksum`", ("verify-checksum", "TABLE"), None),
    ):
        for number, table in flat.items():
            if number == FEW and WIDENED > FEW and str(WIDENED) in name:
                continue
            yield Case(
                name=_name(name, number),
                ours=_command(words, table),
                max_cpu=limit if number == SOME else None,
                grows_from=_name(name, SOME) if number == MANY else None,
                max_growth=MOST if number == MANY else None,
            )
    for number, table in nested.items():
        name = "`prune-type-changes --dry-run`, nested 30 levels"
        yield Case(
            name=_name(name, number),
            ours=_command(("prune-type-changes", "TABLE", "--dry-run"), table),
            grows_from=_name(name, FEW) if number > FEW else None,
            max_growth=MOST if number > FEW else None,
        )
    for number in (FEW, FILE):
        yield Case(
            name=f"`verify-checksum --all --data`, {number:,} columns and one file",
            ours=deltactl(
                "verify-checksum", tables.of_columns(number, with_file=True), "--all", "--data"
            ),
            max_cpu=2.0 if number == FILE else None,
        )


def _name(name: str, columns: int) -> str:
    return f"{name}, {columns:,} columns"


def _command(words: tuple[str, ...], table: str) -> Command:
    return deltactl(*(table if word == "TABLE" else word for word in words), "-o", "json")


def _wishes() -> Iterator[str]:
    for number in range(WIDENED):
        yield from (f"c{number}", "long")


def _script() -> str:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    path = Path(folder) / "changes.txt"
    path.write_text("".join(f"comment c{number} hello\n" for number in range(WIDENED)), "utf-8")
    return str(path)


if __name__ == "__main__":
    main(__doc__, cases)
