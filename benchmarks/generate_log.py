"""Make a Delta table of any size that is a log and nothing else, or a small one with its data.

Engines open such a log, list its files and show its history; there is no data file to read.

    python -m benchmarks.generate_log /tmp/million --files 1000000 --commits 100
    python -m benchmarks.generate_log /tmp/history --shape commits --commits 10000
    python -m benchmarks.generate_log /tmp/widened --shape data --files 2000
    python -m benchmarks.generate_log /tmp/wide --shape columns --columns 20000
"""

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.synthetic.checkpoint import write_checkpointed_log
from benchmarks.synthetic.columns import write_columns
from benchmarks.synthetic.commits import write_commit_log
from benchmarks.synthetic.data import write_half_widened
from benchmarks.synthetic.files import Layout
from benchmarks.synthetic.plain import write_large_commit, write_one_add_log


def main() -> None:
    options = _parser().parse_args()
    target: Path = options.target
    if target.exists():
        sys.exit(f"{target} exists already")
    if options.shape == "checkpoint" and options.files < max(options.commits, 1):
        sys.exit("each commit removes one of --files: there must be at least as many")
    if not 0 <= options.settings_at < 1:
        sys.exit("--settings-at is at least 0, and below 1")
    target.parent.mkdir(parents=True, exist_ok=True)
    # Renamed when complete, so that a folder that exists is a whole table.
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        table = Path(scratch) / target.name
        log = table / "_delta_log"
        log.mkdir(parents=True)
        if options.shape == "commits":
            write_commit_log(log, commits=options.commits)
        elif options.shape == "one-add":
            write_one_add_log(log, commits=options.commits)
        elif options.shape == "large-commit":
            write_large_commit(log, files=options.files)
        elif options.shape == "columns":
            write_columns(
                table,
                columns=options.columns,
                nested=options.nested,
                with_file=options.with_file,
            )
        elif options.shape == "data":
            write_half_widened(table, files=options.files)
        else:
            layout = Layout(
                files=options.files,
                partitioned=options.partitioned,
                stats=options.stats,
                awkward=options.awkward,
            )
            write_checkpointed_log(
                log,
                layout,
                commits=options.commits,
                row_groups=options.row_groups,
                settings_at=options.settings_at,
            )
        table.rename(target)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("target", type=Path, help="the table's folder; must not exist")
    parser.add_argument(
        "--shape",
        choices=["checkpoint", "commits", "one-add", "large-commit", "data", "columns"],
        default="checkpoint",
        help="a checkpoint and commits on top of it (default), commits only, commits of one add "
        "each, one commit of all files, small data files, half of them older than a widening, "
        "or many columns",
    )
    parser.add_argument("--files", type=int, default=100_000, help="files of the table")
    parser.add_argument(
        "--commits", type=int, default=100, help="commits in all, or on top of the checkpoint"
    )
    parser.add_argument(
        "--row-groups",
        choices=["one", "many"],
        default="many",
        help="the checkpoint in row groups of 200,000 files (default), or in a single one",
    )
    parser.add_argument(
        "--stats",
        choices=["json", "struct", "both"],
        default="json",
        help="the form of the checkpoint's statistics: stats (default), stats_parsed, or both",
    )
    parser.add_argument(
        "--settings-at",
        type=float,
        default=0.0,
        metavar="FRACTION",
        help="how far into the checkpoint protocol and metadata stand, from 0 (default) to below "
        "1; Spark's own stand at 0.84 with its default of 50 partitions",
    )
    parser.add_argument(
        "--awkward", action="store_true", help="bounds that are dates, and some that are NaN"
    )
    parser.add_argument("--columns", type=int, default=2_000, help="columns of --shape columns")
    parser.add_argument(
        "--nested", action="store_true", help="each of these below 29 structs of its own"
    )
    parser.add_argument(
        "--with-file", action="store_true", help="these columns with a data file that has them"
    )
    parser.add_argument("--partitioned", action="store_true", help="partition by day")
    return parser


if __name__ == "__main__":
    main()
