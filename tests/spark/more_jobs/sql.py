"""A job that runs statements of SQL, and returns the rows of the last one."""

from collections.abc import Mapping
from typing import Any

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    rows = []
    for statement in params["statements"]:
        rows = spark.sql(statement).collect()
    return {"rows": [list(row) for row in rows]}
