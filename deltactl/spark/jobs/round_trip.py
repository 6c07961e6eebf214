"""One row to the executors and back: what `spark check` runs."""

from collections.abc import Mapping
from typing import Any

NEEDS_JVM = False


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Send the number `value` through a shuffle; return it with the version of Spark."""
    value = int(params["value"])
    rows = spark.range(value, value + 1).repartition(2).groupBy("id").count().collect()
    return {"rows": [[row["id"], row["count"]] for row in rows], "spark": spark.version}
