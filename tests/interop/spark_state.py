"""What Spark knows of a table."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# So many files leave the JVM one by one; of more only a digest does.
FEW = 1_000


def state(spark: "SparkSession", table: Path) -> dict[str, Any]:
    """All that Spark knows of the table."""
    jvm: Any = spark._jvm
    delta = jvm.org.apache.spark.sql.delta.DeltaLog
    delta.clearCache()
    snapshot = delta.forTable(spark._jsparkSession, str(table)).unsafeVolatileSnapshot()
    convert = jvm.scala.jdk.javaapi.CollectionConverters.asJava
    return {
        "version": snapshot.version(),
        "files": files(spark, snapshot),
        "metadata": json.loads(snapshot.metadata().json()),
        "protocol": sorted(snapshot.protocol().json()),
        "transactions": sorted(action.json() for action in convert(snapshot.setTransactions())),
        "domains": sorted(action.json() for action in convert(snapshot.domainMetadata())),
    }


def files(spark: "SparkSession", snapshot: Any) -> object:
    """The live files."""
    if snapshot.numOfFiles() > FEW:
        from pyspark.sql import DataFrame

        found = DataFrame(snapshot.allFiles().toDF(), spark).drop("dataChange", "tags")
        return found.selectExpr("count(1)", "bit_xor(xxhash64(to_json(struct(*))))").collect()
    bodies = [json.loads(add.json())["add"] for add in snapshot.allFiles().collect()]
    for body in bodies:
        del body["dataChange"]  # Of a commit it says something, but not of a file.
        body["tags"] = body.get("tags") or None
    return sorted(json.dumps(body, sort_keys=True) for body in bodies)
