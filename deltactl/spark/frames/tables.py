"""Delta tables as DataFrames: one version of a table, or some files of it."""

from collections.abc import Collection
from typing import Any

# The files of one lot: a condition on their paths is parsed as a whole.
_LOT = 500


def table_at(spark: Any, uri: str, version: int, files: Collection[str] | None = None) -> Any:
    """Return the rows of a version of the table; of `files` alone if a JVM can be asked.

    `files` are paths as adds have them. Spark Connect reads all files, and so does whoever finds
    that Delta knows some of them by other names.
    """
    whole = spark.read.format("delta").option("versionAsOf", str(version)).load(uri)
    jvm = getattr(spark, "_jvm", None)
    if files is None or jvm is None:
        return whole
    snapshot = snapshot_at(spark, uri, version)
    wanted = sorted(set(files))
    chosen = jvm.java.util.ArrayList()
    for start in range(0, len(wanted), _LOT):
        paths = ", ".join(literal(path) for path in wanted[start : start + _LOT])
        chosen.addAll(snapshot.allFiles().where(f"path IN ({paths})").collectAsList())
    if chosen.size() != len(wanted):
        return whole
    return type(whole)(rows_of(spark, snapshot, chosen), spark)


def snapshot_at(spark: Any, uri: str, version: int) -> Any:
    """Return Delta's own snapshot of a version, an object of the JVM."""
    jvm = spark._jvm
    log = jvm.org.apache.spark.sql.delta.DeltaLog.forTable(spark._jsparkSession, uri)
    hint = getattr(log, "getSnapshotAt$default$2")()
    return log.getSnapshotAt(version, hint, jvm.scala.Option.empty(), False)


def rows_of(spark: Any, snapshot: Any, adds: Any) -> Any:
    """Return the rows of a list of the snapshot's adds, deleted ones left out, as the JVM has them.

    `snapshot` may also be one that is made up.
    """
    log = snapshot.deltaLog()
    chosen = spark._jvm.scala.jdk.javaapi.CollectionConverters.asScala(adds).toSeq()
    batch = getattr(log, "createDataFrame$default$4")()
    return log.createDataFrame(snapshot, chosen, False, batch)


def literal(text: str) -> str:
    """Return a literal of Spark SQL, whose strings know escapes."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
