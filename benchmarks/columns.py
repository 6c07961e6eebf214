"""Commands on tables of 100 to 20,000 columns, all of them widened, and nested 30 levels deep.

A column must not cost more because there are others: one more among 20,000 may take 1.5 times the
CPU of one more among 2,000 at most.

    python -m benchmarks.columns
"""

import atexit
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import Command, deltactl

FEW, SOME, FILE, MANY = 100, 2_000, 3_000, 20_000
WIDENED = 500
MOST = 1.5


def cases(options: Options) -> Iterator[Case]:
    tables, script = options.tables, _script()
    flat = {number: tables.of_columns(number) for number in (FEW, WIDENED, SOME, MANY)}
    nested = {number: tables.of_columns(number, nested=True) for number in (FEW, 500, SOME)}
    with_file = {number: tables.of_columns(number, with_file=True) for number in (FEW, 1_000, FILE)}
    for name, words, limit, smallest in (
        ("`schema show`", ("schema", "show", "TABLE"), 0.4, FEW),
        ("`prune-type-changes --dry-run`", ("prune-type-changes", "TABLE", "--dry-run"), 0.6, FEW),
        (f"`widen` {WIDENED} columns", ("widen", "TABLE", *_wishes(), "--dry-run"), 0.5, WIDENED),
        (
            f"`column apply` {WIDENED} comments",
            ("column", "apply", "TABLE", script, "--dry-run"),
            None,
            WIDENED,
        ),
        ("`verify-checksum`", ("verify-checksum", "TABLE"), None, FEW),
    ):
        chosen = {number: flat[number] for number in (smallest, SOME, MANY)}
        yield from _cases(name, words, chosen, {SOME: limit})
    prune = "prune-type-changes", "TABLE", "--dry-run"
    yield from _cases("`prune-type-changes --dry-run`, nested 30 levels", prune, nested)
    data = "verify-checksum", "TABLE", "--all", "--data"
    yield from _cases("`verify-checksum --all --data` of one file", data, with_file, {FILE: 2.0})


def _cases(
    name: str,
    words: tuple[str, ...],
    tables: Mapping[int, str],
    limits: Mapping[int, float | None] = {},
) -> Iterator[Case]:
    """Yield one case for each of three numbers of columns, the fewest first."""
    few, some, many = tables
    for number, table in tables.items():
        yield Case(
            name=_name(name, number),
            ours=_command(words, table),
            columns=number,
            max_cpu=limits.get(number),
            more_than=(_name(name, some), _name(name, few)) if number == many else None,
            max_a_column=MOST if number == many else None,
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
