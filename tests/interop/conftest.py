"""Spark with Delta, for tests that need a JVM: one session for all of this folder."""

from collections.abc import Generator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from needs import need_spark
from spark_cluster import BRIEF_JVM, INTERPRETED

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    **INTERPRETED,
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    # Hundreds of tables go through one JVM: it keeps no record of what it has run.
    "spark.driver.memory": "3g",
    "spark.driver.extraJavaOptions": BRIEF_JVM,
    "spark.ui.retainedJobs": "1",
    "spark.ui.retainedStages": "1",
    "spark.ui.retainedTasks": "1",
    "spark.sql.ui.retainedExecutions": "1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
}


_RUNNING: "list[SparkSession]" = []


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> "SparkSession":
    """A session of the Spark and the Delta that the extra [spark] pins; jars from Maven Central.

    It is the same for one module after the other, until tests of other folders come between.
    """
    if not _RUNNING:
        _RUNNING.append(_started(str(tmp_path_factory.mktemp("warehouse"))))
    return _RUNNING[0]


def _started(warehouse: str) -> "SparkSession":
    need_spark()
    from delta import configure_spark_with_delta_pip
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("deltactl tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    builder = builder.config("spark.sql.warehouse.dir", warehouse)
    return configure_spark_with_delta_pip(builder).getOrCreate()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(nextitem: pytest.Item | None) -> Generator[None, None, None]:
    """End the session with the last test of this folder: those of others start their own."""
    yield
    if nextitem is None or Path(__file__).parent not in nextitem.path.parents:
        _end()


def _end() -> None:
    while _RUNNING:
        # With its JVM, which would be taken for the next session.
        import_module("deltactl.spark.session").stop(_RUNNING.pop())
