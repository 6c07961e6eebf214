"""The jars that were tested with each pair, as `data/jars.toml` lists them."""

from functools import cache
from pathlib import Path

import deltactl
from deltactl.spark.install.jars import Jar
from deltactl.spark.install.versions import VersionPair

FILE = Path(deltactl.__file__).with_name("data") / "jars.toml"
DELTA = "delta"


@cache
def jar_lists(pair: VersionPair) -> dict[str, tuple[Jar, ...]]:
    """Return the jars of a tested pair by their purpose: `delta`, or a kind of object store."""
    import tomllib  # most commands never look at jars, and load this module

    lists = tomllib.loads(FILE.read_text(encoding="utf-8"))[str(pair)]
    return {
        purpose: tuple(
            Jar(path, row["size"], row["sha256"], "" if purpose == DELTA else purpose)
            for path, row in rows.items()
        )
        for purpose, rows in lists.items()
    }


def delta_jars(pair: VersionPair) -> tuple[Jar, ...]:
    """Return the jars of Delta that Spark needs for every table."""
    return jar_lists(pair)[DELTA]
