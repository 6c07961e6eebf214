"""Run every figure, and print one table of them all, or write it into README.md.

python -m benchmarks.run_all --spark --write
"""

import argparse
import os
import platform
import subprocess
import sys
from importlib.metadata import version

from benchmarks.figure import HEADER
from benchmarks.measure import REPOSITORY, script

FIGURES = (
    "startup",
    "schema_and_protocol",
    "history",
    "show",
    "files_ndjson",
    "widen",
    "columns",
    "checkpoint",
    "verify",
    "prune",
    "engine",
    "rewrite",
    "stores",
)
README = REPOSITORY / "benchmarks" / "README.md"
START, END = "<!-- results -->", "<!-- /results -->"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        epilog="Every other option is passed on to the figures; see one's own --help.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--write", action="store_true", help="put the table into README.md")
    options, passed_on = parser.parse_known_args()
    rows: list[str] = []
    missed = False
    for figure in FIGURES:
        done = _run(figure, passed_on)
        missed |= done.returncode != 0
        rows += done.stdout.removeprefix(HEADER).strip().splitlines()
    table = "\n".join([_machine(), "", HEADER, *rows])
    print(table)
    if options.write:
        _write(table)
    sys.exit(1 if missed else 0)


def _run(figure: str, arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """Run `figure` in a process of its own: see measure.py about memory."""
    done = subprocess.run(
        script(figure, *arguments), stdout=subprocess.PIPE, text=True, cwd=REPOSITORY, check=False
    )
    if not done.stdout.startswith(HEADER):
        sys.exit(f"{figure} ended with {done.returncode}")
    return done


def _write(table: str) -> None:
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    README.write_text(f"{before}{START}\n{table}\n{END}{after}", encoding="utf-8")


def _machine() -> str:
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, "
        f"Python {platform.python_version()}, pyarrow {version('pyarrow')}, "
        f"deltalake {version('deltalake')}."
    )


if __name__ == "__main__":
    main()
