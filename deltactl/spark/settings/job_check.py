"""Checks that Spark can do a job, before it starts."""

import os

from deltactl.changes.jobs import Job
from deltactl.spark.install.installation import find_installation
from deltactl.spark.install.urls import CONNECT, is_local
from deltactl.spark.install.versions import installed_pair
from deltactl.spark.runner import SparkConfig, check_connect_packages, check_needs_no_jvm
from deltactl.spark.scratch_dir import check_log
from deltactl.spark.settings.conf import check_wanted
from deltactl.spark.settings.master import check_reachable
from deltactl.spark.settings.stores import Stores


def check_job(spark_config: SparkConfig, job: Job, *, here: bool) -> None:
    """Check whether Spark can do `job` where it is wanted, and with `here` what this machine has.

    Raises:
        SparkError: it cannot, or something is missing.
        DeltactlError: a setting of Spark, or of the table's store, is wrong.
    """
    check_wanted(spark_config.conf)
    is_connect = spark_config.master.startswith(CONNECT)
    if is_connect:
        check_needs_no_jvm(job)
    if not here:
        return
    if spark_config.log is not None:
        check_log(spark_config.log)
    if is_connect:
        installed_pair()
        check_connect_packages()
    else:
        kinds = (
            Stores(spark_config.storage_options, os.environ, spark_config.timeout).reach(job).kinds
        )
        found = find_installation(os.environ, spark_config.jars)
        found.with_stores(dict.fromkeys((*kinds, *spark_config.stores)))
    if not is_local(spark_config.master):
        check_reachable(spark_config.master, os.environ)
