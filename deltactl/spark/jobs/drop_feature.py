"""A feature dropped by Delta's own statement, which rewrites files and cleans up the log."""

from collections.abc import Mapping, Sequence
from typing import Any

from deltactl.errors import ConflictError
from deltactl.spark.properties import MESSAGE, properties

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the `feature` of the `table`; the result is the version that the table has then.

    The properties that are `off` must still be so: RESTORE, for one, brings them back together with
    files that Delta does not look for.

    With `truncateHistory` Delta deletes the history that knows the feature, or fails, where that
    is too young for it.

    Raises:
        ConflictError: a property is on again; nothing was done.
    """
    table = f"delta.`{params['table'].replace('`', '``')}`"
    statement = f"ALTER TABLE {table} DROP FEATURE '{params['feature']}'"
    if params["truncateHistory"]:
        statement += " TRUNCATE HISTORY"
    if params["off"]:
        check_off(spark, table, params["off"])
    with properties(spark, {MESSAGE: params["message"]}):
        spark.sql(statement)
    newest = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").head()
    return {"version": newest["version"]}


def check_off(spark: Any, table: str, keys: Sequence[str]) -> None:
    """Look whether the properties are still off.

    Raises:
        ConflictError: one is on again; nothing was done.
    """
    held = spark.sql(f"DESCRIBE DETAIL {table}").head()["properties"]
    for key in keys:
        if held.get(key, "").casefold() == "true":
            raise ConflictError(
                "SWITCHED_ON_AGAIN",
                f"another writer came first: {key} is true again",
                hint="run it again: it begins with that",
            )
