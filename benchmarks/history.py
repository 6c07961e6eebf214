"""`history` of 10,000 commits to JSON, with what each did to the schema, against deltalake's.

python -m benchmarks.history
"""

import json
from collections.abc import Iterator
from pathlib import Path

from benchmarks.figure import Case, Options, main
from benchmarks.measure import deltactl, script

COMMITS = 10_000


def cases(options: Options) -> Iterator[Case]:
    tables = options.tables
    for what, table in (
        (f"{COMMITS:,} commits", tables.commits_only(COMMITS)),
        (f"{COMMITS:,} commits of one add", tables.one_add_commits(COMMITS)),
    ):
        yield Case(
            name=f"`history`, {what}",
            ours=deltactl("history", table, "-o", "json"),
            peer=script("peers.history", table),
            fact=_versions,
            min_ratio=16,
        )


def _versions(output: Path) -> list[int]:
    return [commit["version"] for commit in json.loads(output.read_bytes())["commits"]]


if __name__ == "__main__":
    main(__doc__, cases)
