"""Who runs jobs: Spark in this process, a child of spark-submit, or a Spark Connect server."""

import json
import os
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from deltactl.changes.jobs import Job, JobRunner, Watch
from deltactl.errors import DeltactlError, SparkError
from deltactl.spark.install.installation import Installation, find_installation
from deltactl.spark.install.urls import CONNECT, LOCAL, is_local, place, shown
from deltactl.spark.install.versions import installed_pair
from deltactl.spark.scratch_dir import ScratchDir
from deltactl.spark.settings.conf import (
    Launch,
    check_wanted,
    driver_variables,
    properties,
    site_conf,
    spark_conf,
)
from deltactl.spark.settings.master import check_reachable
from deltactl.spark.settings.stores import Stores
from deltactl.spark.submit import Child
from deltactl.storage.options.settings import NO_SETTINGS
from deltactl.storage.urls import StoreKind

CONNECT_PACKAGES = ("pandas", "grpc", "grpc_status", "google.rpc", "zstandard")


class SparkConfig(NamedTuple):
    """What the user said of Spark, and of the stores of tables.

    `limit` is how many seconds a job may take, and `timeout` a store for an answer to an executor.
    `stores` are kinds of stores that are to be reached whatever the job. `log` is a file that gets
    Spark's log.
    """

    master: str = LOCAL
    jars: str | None = None
    conf: Mapping[str, str] = {}
    limit: float | None = None
    storage_options: Mapping[str, str] = {}
    timeout: float = NO_SETTINGS.timeout
    stores: tuple[StoreKind, ...] = ()
    log: str | None = None

    def __repr__(self) -> str:
        return f"SparkConfig({shown(self.master)})"


@contextmanager
def job_runner(spark_config: SparkConfig, watch: Watch) -> Iterator[JobRunner]:
    """Give the runner for what the user wished; it starts nothing before its first job.

    Raises:
        SparkError: something that it takes is missing.
        StorageError: there is no room for its files.
        InvalidUsageError: a setting of Spark would not count.
    """
    check_wanted(spark_config.conf)
    if spark_config.master.startswith(CONNECT):
        runner: _Connect | _Local | _Submit = _Connect(spark_config, watch)
    elif is_local(spark_config.master):
        runner = _Local(spark_config, watch)
    else:
        runner = _Submit(spark_config, watch)
    try:
        yield runner
    finally:
        runner.close()


class _Local:
    """Spark in a JVM of this process; the session, sized for the first job, is kept for all."""

    def __init__(self, spark_config: SparkConfig, watch: Watch) -> None:
        self._config = spark_config
        self._watch = watch
        self._stores = _stores(spark_config)
        self._found = find_installation(os.environ, spark_config.jars)
        self._scratch = ScratchDir(spark_config.log)
        self._session: Any = None
        self.place = place(spark_config.master)

    def run(self, job: Job) -> Mapping[str, Any]:
        launch = None
        if self._session is None:
            launch = _launch(job, self._config, self._stores, self._found, self._scratch)
        sessions, began = _sessions(), time.monotonic()
        try:
            if launch is not None:
                self._session = sessions.start(launch, self._scratch.log)
                launch.settings.unlink(missing_ok=True)  # it may hold secrets, and was read
            log, limit = self._scratch.log, self._config.limit
            sent = sent_job(self._stores.renamed(job))
            return received(
                sessions.perform(
                    self._session, sent, self._watch, limit=limit, began=began, log=log
                )
            )
        except DeltactlError:
            self._scratch.keep_log()
            raise

    def close(self) -> None:
        try:
            if self._session is not None:
                _sessions().stop(self._session)
        finally:
            self._scratch.close()


class _Submit:
    """A child of spark-submit, whose driver is on this machine.

    Its session, sized for the first job, is kept for all.
    """

    def __init__(self, spark_config: SparkConfig, watch: Watch) -> None:
        self._config = spark_config
        self._watch = watch
        self._stores = _stores(spark_config)
        self._found = find_installation(os.environ, spark_config.jars)
        check_reachable(spark_config.master, os.environ)
        self._scratch = ScratchDir(spark_config.log)
        self._child: Child | None = None
        self.place = place(spark_config.master)

    def run(self, job: Job) -> Mapping[str, Any]:
        try:
            sent = sent_job(self._stores.renamed(job))
            return self._running(job).run(sent, self._watch, limit=self._config.limit)
        except DeltactlError:
            self._scratch.keep_log()
            raise

    def close(self) -> None:
        if self._child is not None:
            self._child.close()
        self._scratch.close()

    def _running(self, job: Job) -> Child:
        """Return the child; start a new one if there is no child, or the last one has ended."""
        if self._child is None or not self._child.is_at_work:
            launch = _launch(job, self._config, self._stores, self._found, self._scratch)
            if self._child is not None:
                self._child.end()
            self._child = Child(launch, self._scratch)
        return self._child


class _Connect:
    """A session on a Spark Connect server, which has Delta, and a JVM that we do not see."""

    def __init__(self, spark_config: SparkConfig, watch: Watch) -> None:
        self._config = spark_config
        self._watch = watch
        self._stores = _stores(spark_config)
        installed_pair()
        check_connect_packages()
        check_reachable(spark_config.master, os.environ)
        self._session: Any = None
        self.place = place(spark_config.master)

    def run(self, job: Job) -> Mapping[str, Any]:
        check_needs_no_jvm(job)
        sessions, began = _sessions(), time.monotonic()
        if self._session is None:
            self._session = sessions.connect(self._config.master)
        sent, limit = sent_job(self._stores.renamed(job)), self._config.limit
        return received(
            sessions.perform(self._session, sent, self._watch, limit=limit, began=began)
        )

    def close(self) -> None:
        if self._session is not None:
            _sessions().stop(self._session)


def _stores(spark_config: SparkConfig) -> Stores:
    return Stores(spark_config.storage_options, os.environ, spark_config.timeout)


def _launch(
    job: Job,
    spark_config: SparkConfig,
    stores: Stores,
    found: Installation,
    scratch_dir: ScratchDir,
) -> Launch:
    reach = stores.reach(job)
    found = found.with_stores(dict.fromkeys((*reach.kinds, *spark_config.stores)))
    conf = spark_conf(
        job,
        master=spark_config.master,
        jars=found.jars,
        scratch=scratch_dir.scratch,
        wanted={**reach.conf, **spark_config.conf},
        site=site_conf(found.home, os.environ),
    )
    scratch_dir.write_settings(properties(conf))
    variables = driver_variables(
        job, master=spark_config.master, log4j=scratch_dir.log4j, environ=os.environ
    )
    own = found.variables(os.environ)
    return Launch(found.home, spark_config.master, scratch_dir.settings, {**own, **variables})


def sent_job(job: Job) -> Job:
    """Return the job with the parameters that another process receives."""
    return job._replace(params=json.loads(json.dumps(job.params)))


def received(result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the result that comes back from another process."""
    found: Mapping[str, Any] = json.loads(json.dumps(result))
    return found


def check_needs_no_jvm(job: Job) -> None:
    """Check that a Spark Connect server can do the job.

    Raises:
        SparkError: it calls the JVM.
    """
    if import_module(f"deltactl.spark.jobs.{job.name}").NEEDS_JVM:
        raise SparkError(
            "JOB_NEEDS_JVM",
            f"the job {job.name} needs the JVM of Spark, which Spark Connect does not give",
            hint="name the cluster with --master instead of --remote (or SPARK_REMOTE), or leave "
            "both out: then Spark runs on this machine",
            details={"job": job.name},
        )


def check_connect_packages() -> None:
    """Look whether the client of Spark Connect can be imported.

    Raises:
        SparkError: a package that it takes is missing.
    """
    missing = [name for name in CONNECT_PACKAGES if not _there(name)]
    if missing:
        raise SparkError(
            "CONNECT_NOT_INSTALLED",
            f"Spark Connect needs Python packages that are not installed: {', '.join(missing)}",
            hint="pip install 'deltactl[spark,connect]'",
            details={"missing": missing},
        )


def _sessions() -> Any:
    """Return the module that imports PySpark, which takes a while, and refers to its own future."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return import_module("deltactl.spark.session")


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
