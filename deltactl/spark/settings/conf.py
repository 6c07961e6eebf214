"""Spark's settings for a job: Delta's, quiet, and small if the table is."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from deltactl.changes.jobs import Job
from deltactl.errors import InvalidUsageError
from deltactl.spark.install.urls import CONNECT, is_local

CATALOG = "spark.sql.catalog.spark_catalog"
DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    CATALOG: "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}
# Lists: the user's or the site's members are added to Delta's own, which Delta needs.
LISTS = ("spark.jars", "spark.sql.extensions")
# Properties that options of deltactl set: the options would silently win.
SAID_OTHERWISE = {
    "spark.master": "--master URL",
    "spark.remote": "--remote sc://HOST:PORT",
}
DEPLOY_MODE = "spark.submit.deployMode"
# Options for PySpark, which our own replace when Spark starts in this process.
SUBMIT_ARGS = "PYSPARK_SUBMIT_ARGS"
# The URL of a Connect server: a setting of ours where no other says where Spark runs, and nothing
# that the Spark which we start may see.
REMOTE = "SPARK_REMOTE"
QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
}
# Spark on this machine talks to itself only.
LOOPBACK = "127.0.0.1"
LOCAL_IP = "SPARK_LOCAL_IP"
ALONE = {"spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK}
# By default Delta reads the log of a table of one row in 50 tasks, and Spark shuffles it in 200.
SMALL = {
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
}
# The most thorough compiler pays only where a job runs for minutes.
SMALL_JVM = "-XX:TieredStopAtLevel=1"
MEMORY = "spark.driver.memory"
OPTIONS = "SPARK_SUBMIT_OPTS"
# Up to here a job is small.
SMALL_FILES = 10_000
SMALL_SIZE = 1 << 30
MOST_MEMORY = 8  # GiB that Spark on this machine takes without being told to
# A line of a file of properties: `key value`, `key=value` or `key: value`.
_PROPERTY = re.compile(r"(spark\.[\w.]+)(?:\s*[=:]\s*|\s+)(.*)")


class Launch(NamedTuple):
    """How to start Spark: its folder, the master, a file of settings, environment variables."""

    home: Path
    master: str
    settings: Path
    variables: Mapping[str, str]

    def options(self) -> list[str]:
        """Return the options for spark-submit.

        Settings go by a file, for whoever lists the processes of a machine sees command lines.
        """
        file = ("--properties-file", str(self.settings), "--load-spark-defaults")
        return ["--master", self.master, "--deploy-mode", "client", *file]


def check_wanted(wanted: Mapping[str, str]) -> None:
    """Check that every property that the user set takes effect.

    Raises:
        InvalidUsageError: a property would not; the hint says what does.
    """
    for key, option in SAID_OTHERWISE.items():
        if key in wanted:
            raise InvalidUsageError(
                "SPARK_CONF_IGNORED", f"{key} does not count in --spark-conf", hint=option
            )
    if wanted.get(DEPLOY_MODE, "client") != "client":
        raise InvalidUsageError(
            "SPARK_CONF_IGNORED",
            f"{DEPLOY_MODE} is always client: the driver tells this machine its result",
            hint="run deltactl on a machine of the cluster if the driver is to be there",
        )
    if wanted.get(CATALOG, DELTA[CATALOG]) != DELTA[CATALOG]:
        raise InvalidUsageError(
            "SPARK_CONF_IGNORED",
            f"{CATALOG} is always Delta's catalog: jobs find tables by their path with it",
            hint=f"leave {CATALOG} out of --spark-conf and [spark-conf]",
        )


def not_counting(
    master: str, wanted: Mapping[str, str], environ: Mapping[str, str]
) -> Iterator[str]:
    """Yield a sentence for each way to set properties that does not count on this master."""
    if master.startswith(CONNECT):
        if wanted:
            yield "Spark properties do not count with --remote: the server has its own"
    elif environ.get(SUBMIT_ARGS, "").split() not in ([], ["pyspark-shell"]):
        yield (
            f"{SUBMIT_ARGS} does not count; set properties instead, such as "
            "--spark-conf spark.jars.packages=GROUP:NAME:VERSION"
        )


def site_conf(home: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """Return the lists that the site's spark-defaults.conf sets, for the Spark in `home`."""
    folder = Path(environ.get("SPARK_CONF_DIR") or home / "conf")
    try:
        text = (folder / "spark-defaults.conf").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    found = (_PROPERTY.fullmatch(line.strip()) for line in text.splitlines())
    return {match[1]: match[2] for match in found if match and match[1] in LISTS}


def spark_conf(
    job: Job,
    *,
    master: str,
    jars: Sequence[Path],
    scratch: Path,
    wanted: Mapping[str, str],
    site: Mapping[str, str] = {},
) -> dict[str, str]:
    """Return the settings of a session for `job`; `wanted` are those of the user, which win.

    Lists of the user, or else of the `site`, are added to Delta's own. `scratch` is a folder for
    what Spark makes by the way.
    """
    alone = is_local(master)
    conf = {
        **DELTA,
        **QUIET,
        "spark.app.name": f"deltactl {job.name}",
        "spark.jars": ",".join(str(jar) for jar in jars),
        "spark.sql.warehouse.dir": str(scratch / "warehouse"),
        **(ALONE if alone else {}),
        **(SMALL if is_small(job) else {}),
    }
    if alone and not is_small(job):
        conf[MEMORY] = f"{_half_of_memory()}g"
    lists = {key: _joined(conf[key], wanted.get(key, site.get(key, ""))) for key in LISTS}
    return {**conf, **wanted, **lists}


def _joined(*lists: str) -> str:
    members = (member.strip() for text in lists for member in text.split(","))
    return ",".join(dict.fromkeys(filter(None, members)))


def properties(conf: Mapping[str, str]) -> str:
    """Return the text of a file of properties, as Java reads it."""
    special = {char: f"\\{char}" for char in "\\ =:#!"}
    escapes = str.maketrans({**special, "\n": r"\n", "\r": r"\r", "\t": r"\t"})
    return "".join(
        f"{key.translate(escapes)}={value.translate(escapes)}\n" for key, value in conf.items()
    )


def driver_variables(
    job: Job, *, master: str, log4j: Path, environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment variables for the JVM of the driver, whose log goes by `log4j`.

    Its options are not a setting of Spark, for there a site has options of its own.
    """
    options = [environ.get(OPTIONS, ""), f"-Dlog4j2.configurationFile={log4j.as_uri()}"]
    options += [SMALL_JVM] if is_small(job) else []
    found = {OPTIONS: " ".join(filter(None, options))}
    # Else Spark looks up the name of this machine, which need not have an address.
    return {**found, LOCAL_IP: LOOPBACK} if is_local(master) else found


def is_small(job: Job) -> bool:
    """Return whether the job is done before it would pay to spread it."""
    return job.files <= SMALL_FILES and job.size <= SMALL_SIZE


def _half_of_memory() -> int:
    """Return half of this machine's memory in GiB, within bounds."""
    half = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2 >> 30
    return max(1, min(half, MOST_MEMORY))
