"""A feature dropped by Delta's own statement, which rewrites files and cleans up the log."""

from collections.abc import Mapping
from typing import Any

from deltactl.spark.properties import MESSAGE, properties

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the `feature` of the `table`; the result is the version that the table has then.

    With `truncateHistory` Delta deletes the history that knows the feature, or fails, where that
    is too young for it.
    """
    table = f"delta.`{params['table'].replace('`', '``')}`"
    statement = f"ALTER TABLE {table} DROP FEATURE '{params['feature']}'"
    if params["truncateHistory"]:
        statement += " TRUNCATE HISTORY"
    with properties(spark, {MESSAGE: params["message"]}):
        spark.sql(statement)
    newest = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").head()
    return {"version": newest["version"]}
