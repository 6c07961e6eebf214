"""Spark's settings for a job: Delta's, quiet, and small where the table is."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from deltactl.operations.jobs import Job
from deltactl.spark.urls import is_local

DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
}
# Spark on this machine talks to itself only.
ALONE = {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
# By default Delta reads the log of a table of one row in 50 tasks, and Spark shuffles it in 200.
SMALL = {
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}
SMALL_JVM = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
JAVA_OPTIONS = "spark.driver.extraJavaOptions"
MEMORY = "spark.driver.memory"
# Up to here a table is small.
SMALL_FILES = 10_000
SMALL_SIZE = 1 << 30
MOST_MEMORY = 8  # GiB that Spark on this machine takes without being told to


def spark_conf(
    job: Job,
    *,
    master: str,
    jars: Sequence[Path],
    log4j: Path,
    scratch: Path,
    wanted: Mapping[str, str],
) -> dict[str, str]:
    """Return the settings of a session for `job`; `wanted` are those of the user, which win.

    `log4j` is the configuration of the log, `scratch` a folder for what Spark makes by the way.
    """
    alone = is_local(master)
    small = job.files <= SMALL_FILES and job.size <= SMALL_SIZE
    conf = {
        **DELTA,
        **QUIET,
        "spark.app.name": f"deltactl {job.name}",
        "spark.jars": ",".join(str(jar) for jar in jars),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        **(ALONE if alone else {}),
        **(SMALL if small else {}),
    }
    if alone and not small:
        conf[MEMORY] = f"{_half_of_memory()}g"
    options = [f"-Dlog4j2.configurationFile={log4j.as_uri()}"]
    options += [SMALL_JVM] if alone and small else []
    if JAVA_OPTIONS in wanted:
        options.append(wanted[JAVA_OPTIONS])
    return {**conf, **wanted, JAVA_OPTIONS: " ".join(options)}


def _half_of_memory() -> int:
    """Half of this machine's memory in GiB, within bounds."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 >> 30
    return max(1, min(half, MOST_MEMORY))
