"""Properties of a session that change for a while, and those of a table that are off."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from deltactl.errors import ConflictError
from deltactl.spec.keys import is_enabled

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


def check_off(spark: Any, table: str, keys: Sequence[str]) -> None:
    """Look whether the properties are still off.

    Raises:
        ConflictError: one is on again; nothing was done.
    """
    held = spark.sql(f"DESCRIBE DETAIL {table}").head()["properties"]
    for key in keys:
        if is_enabled(held, key):
            raise ConflictError(
                "SWITCHED_ON_AGAIN",
                f"another writer came first: {key} is true again",
                hint="run it again: it begins with that",
            )
