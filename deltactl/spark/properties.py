"""Properties of a session that are another for a while."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

MESSAGE = "spark.databricks.delta.commitInfo.userMetadata"
"""What every commit of Delta keeps as userMetadata."""


@contextmanager
def properties(spark: Any, values: Mapping[str, str | None]) -> Iterator[None]:
    """Set properties of the session for as long as the block runs; None leaves one as it is."""
    changed = {name: value for name, value in values.items() if value is not None}
    before = {name: spark.conf.get(name, None) for name in changed}
    for name, value in changed.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, was in before.items():
            if was is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, was)
