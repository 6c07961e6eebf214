"""Rows in which a column is NULL get a value, by an UPDATE of Delta's."""

from collections.abc import Mapping
from typing import Any

from deltactl.text.identifiers import backticked, table_at

NEEDS_JVM = False

_APPLICATION = "spark.databricks.delta.write.txnAppId"
_STEP = "spark.databricks.delta.write.txnVersion"
_MESSAGE = "spark.databricks.delta.commitInfo.userMetadata"


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Set `column` of `table` to `value`, an expression, if it is NULL.

    That is done once: the commit says that the application `app` has come to `step`, and with such
    a commit there is nothing left to do. Returns how many `rows` changed, and in which `version`.
    """
    table, column = table_at(params["table"]), backticked(params["column"])
    settings = {_APPLICATION: params["app"], _STEP: str(params["step"])}
    if params["message"] is not None:
        settings[_MESSAGE] = params["message"]
    before = spark.sql(f"DESCRIBE HISTORY {table} LIMIT 1").first()["version"]
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        statement = f"UPDATE {table} SET {column} = {params['value']} WHERE {column} IS NULL"
        done = spark.sql(statement).collect()
    finally:
        for key in settings:
            spark.conf.unset(key)
    rows = done[0]["num_affected_rows"] if done else 0
    history = spark.sql(f"DESCRIBE HISTORY {table}")
    ours = f"operation = 'UPDATE' AND version > {before}"
    made = history.where(ours).orderBy("version").first() if rows else None
    return {"rows": rows, "version": made and made["version"]}
