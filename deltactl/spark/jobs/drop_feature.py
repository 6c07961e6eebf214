"""A feature dropped by Delta's own statement, which rewrites files and cleans up the log."""

from collections.abc import Mapping
from typing import Any

from deltactl.spark.jobs.drop_in_parts import end_first_run
from deltactl.spark.settings.properties import MESSAGE, check_off, properties

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Drop the `feature` of the `table`; the result is the version that the table has then.

    The properties that are `off` must still be so: RESTORE, for one, brings them back together with
    files that Delta does not look for.

    With `truncateHistory` Delta deletes the history that knows the feature, or fails, if that is
    too young for it. It deletes nothing in a run that `cleaned` the table: neither does its own
    statement, which finds nothing to clean then.

    Raises:
        ConflictError: a property is on again; nothing was done.
        SparkError: the table was cleaned just now.
    """
    table = f"delta.`{params['table'].replace('`', '``')}`"
    statement = f"ALTER TABLE {table} DROP FEATURE '{params['feature']}'"
    if params["truncateHistory"]:
        statement += " TRUNCATE HISTORY"
    if params["off"]:
        check_off(spark, table, params["off"])
    with properties(spark, {MESSAGE: params["message"]}):
        if params["truncateHistory"] and params["cleaned"]:
            end_first_run(spark, params)
        spark.sql(statement)
    newest = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").head()
    return {"version": newest["version"]}
