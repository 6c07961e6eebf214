"""A job whose tasks never end by themselves."""

from collections.abc import Mapping
from typing import Any

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    sleep = "java_method('java.lang.Thread', 'sleep', 600000L) AS slept"
    rows = spark.range(0, 2, 1, 2).selectExpr(sleep).collect()
    return {"rows": [row["slept"] for row in rows]}
