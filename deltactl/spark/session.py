"""Sessions of Spark: the only module that imports it.

Whoever loads this module has seen to it that the versions, Java and the jars are there.
"""

import logging
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any
from uuid import uuid4

from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from deltactl.operations.jobs import Job, Watch
from deltactl.spark.conf import Launch
from deltactl.spark.errors import failure, start_failure
from deltactl.spark.progress import Polling, Stages, handler

# PySpark prints whole stack traces through these, whoever handles the error.
LOUD = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
PATIENCE = 10.0  # seconds for a JVM to end by itself
_ENGINE_ERRORS = (PySparkException, Py4JError)


def start(launch: Launch, log: Path) -> SparkSession:
    """Start Spark in a JVM of its own, whose every word goes to `log`.

    Raises:
        SparkError: it did not start.
    """
    _silence()
    submit = shlex.join([*launch.options(), "pyspark-shell"])
    variables = {**launch.variables, "PYSPARK_SUBMIT_ARGS": submit}
    with _environment(variables), open(log, "ab") as words:
        try:
            gateway = launch_gateway(popen_kwargs={"stdout": words, "stderr": words})
            return SparkSession(SparkContext(gateway=gateway))
        except _ENGINE_ERRORS as error:
            _forget_the_gateway()
            raise start_failure(log) from error


def attach() -> SparkSession:
    """Return the session of the process that spark-submit started."""
    _silence()
    return SparkSession.builder.getOrCreate()


def connect(url: str) -> SparkSession:
    """Open a session on a Spark Connect server.

    Raises:
        SparkError: it does not answer as one.
    """
    _silence()
    try:
        session = SparkSession.builder.remote(url).getOrCreate()
        session.range(0).count()  # the session itself asks the server nothing
    except PySparkException as error:
        raise _failed(error) from error
    return session


def stop(session: SparkSession) -> None:
    """End the session, and the JVM that `start` made for it."""
    gateway = SparkContext._gateway if isinstance(session, SparkSession) else None
    with suppress(*_ENGINE_ERRORS, OSError):
        session.stop()
    if gateway is None or gateway.proc is None:
        return
    with suppress(Py4JError, OSError):
        gateway.shutdown()
    _forget_the_gateway()
    # The JVM ends with its stdin.
    gateway.proc.stdin.close()
    try:
        gateway.proc.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        gateway.proc.kill()
        gateway.proc.wait()


def perform(
    session: SparkSession, job: Job, watch: Watch, log: Path | None = None
) -> Mapping[str, Any]:
    """Run `job` in the session, and return its result.

    Raises:
        DeltactlError: it failed in Spark, or by what it found.
        KeyboardInterrupt: the user ended it; what it had begun in Spark is cancelled.
    """
    run: Callable[..., Mapping[str, Any]] = import_module(f"deltactl.spark.jobs.{job.name}").run
    watched = _watched if isinstance(session, SparkSession) else _watched_remotely
    with watched(session, watch):
        try:
            return run(session, job.params)
        except _ENGINE_ERRORS as error:
            raise _failed(error, log) from error


@contextmanager
def _watched(session: SparkSession, watch: Watch) -> Iterator[None]:
    """Tell of the block's stages, and cancel what it began if the user ends it."""
    context, group = session.sparkContext, f"deltactl-{uuid4()}"
    context.setJobGroup(group, "deltactl", interruptOnCancel=True)
    stages = Stages(context.statusTracker(), group)

    def look() -> None:
        with suppress(Py4JError, OSError):  # a session that ends under it has no more to tell
            watch(stages.reached())

    try:
        with Polling(look):
            yield
    except KeyboardInterrupt:
        with suppress(Py4JError, OSError):
            context.cancelJobGroup(group)
        raise


@contextmanager
def _watched_remotely(session: Any, watch: Watch) -> Iterator[None]:
    told = handler(watch)
    session.registerProgressHandler(told)
    try:
        yield
    except KeyboardInterrupt:
        with suppress(PySparkException):
            session.interruptAll()
        raise
    finally:
        session.removeProgressHandler(told)


def _failed(error: BaseException, log: Path | None = None) -> BaseException:
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    return failure(type(error).__name__, str(error), condition=condition, log=log)


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set variables that PySpark reads and hands on while it starts a JVM."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _silence() -> None:
    for name in LOUD:
        PySparkLogger.getLogger(name).disabled = True
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)


def _forget_the_gateway() -> None:
    SparkContext._gateway = SparkContext._jvm = None
