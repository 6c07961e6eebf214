"""Sessions of Spark: the only module that imports it.

Whoever loads this module has seen to it that the versions, Java and the jars are there.
"""

import logging
import os
import shlex
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeVar
from uuid import uuid4

from py4j.java_gateway import JavaGateway
from py4j.protocol import Py4JError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from deltactl.changes.jobs import Job, Watch
from deltactl.errors import SparkError
from deltactl.spark.errors import failure, start_failure, timed_out
from deltactl.spark.install.urls import shown
from deltactl.spark.progress import Polling, Stages, handler
from deltactl.spark.settings.conf import REMOTE, SUBMIT_ARGS, Launch

# PySpark prints whole stack traces through these, whoever handles the error.
LOUD = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")
PATIENCE = 10.0  # seconds for a job that was cancelled, or a JVM, to end by itself
FIRST_ANSWER = 60.0  # seconds for a Connect server to answer the first question
R = TypeVar("R")
_ENGINE_ERRORS = (PySparkException, Py4JError)


def start(launch: Launch, log: Path) -> SparkSession:
    """Start Spark in a JVM of its own, whose every word goes to `log`.

    Raises:
        SparkError: it did not start.
    """
    _silence()
    submit = shlex.join([*launch.options(), "pyspark-shell"])
    variables = {**launch.variables, SUBMIT_ARGS: submit, REMOTE: None}
    with _environment(variables), open(log, "ab") as words:
        try:
            gateway = _launched(words)
            with _own_ctrl_c():
                return SparkSession(SparkContext(gateway=gateway))
        # A JVM that ends itself while Spark starts is a connection that is not there any more.
        except (*_ENGINE_ERRORS, ConnectionError) as error:
            _forget_the_gateway()
            raise start_failure(log) from error


def _launched(words: IO[bytes]) -> JavaGateway:
    """Return the way into a new JVM, which writes to `words`; one that Ctrl-C forestalls is ended.

    A JVM that cannot say its port to its parent would never end.
    """
    launching = _begin(lambda: launch_gateway(popen_kwargs={"stdout": words, "stderr": words}))
    try:
        return launching.result()
    except KeyboardInterrupt:
        with suppress(*_ENGINE_ERRORS):
            launching.result().proc.kill()
        raise


def attach() -> SparkSession:
    """Return the session of the process that spark-submit started."""
    _silence()
    with _own_ctrl_c():
        return SparkSession.builder.getOrCreate()


def connect(url: str) -> SparkSession:
    """Open a session on a Spark Connect server.

    Raises:
        SparkError: it does not answer as one, or not soon.
    """
    _silence()

    def ask() -> SparkSession:
        with _environment({REMOTE: None}):
            session = SparkSession.builder.remote(url).getOrCreate()
        session.range(0).count()  # the session itself asks the server nothing
        return session

    # The client would continue trying for ten minutes.
    opening = _begin(ask)
    if not wait([opening], FIRST_ANSWER).done:
        raise SparkError(
            "MASTER_UNREACHABLE",
            f"what takes connections at {shown(url)} does not answer as Spark Connect does",
            hint="is it the port of the Connect server, by default 15002?",
            details={"master": shown(url)},
        )
    try:
        return opening.result()
    except PySparkException as error:
        raise _failed(error) from error


def clone(session: SparkSession) -> SparkSession:
    """Return a session with the settings of another one, which change apart from those."""
    return SparkSession(session.sparkContext, session._jsparkSession.cloneSession())


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
        with suppress(subprocess.TimeoutExpired):
            gateway.proc.wait(PATIENCE)
    finally:  # also if Ctrl-C ends the wait
        gateway.proc.kill()
        gateway.proc.wait()


def perform(
    session: SparkSession,
    job: Job,
    watch: Watch,
    *,
    limit: float | None = None,
    began: float | None = None,
    log: Path | None = None,
) -> Mapping[str, Any]:
    """Run `job` in the session, and return its result.

    It may take `limit` seconds since `began`, by the monotonic clock; without that since now.

    Raises:
        DeltactlError: it failed in Spark, or by what it found, or took too long.
        KeyboardInterrupt: the user ended it; what it had begun in Spark is cancelled.
    """
    run: Callable[..., Mapping[str, Any]] = import_module(f"deltactl.spark.jobs.{job.name}").run
    watched = (_Classic if isinstance(session, SparkSession) else _Remote)(session, watch)

    def work() -> Mapping[str, Any]:
        watched.begin()
        return run(session, job.params)

    with watched.progress():
        # In a thread of its own: Ctrl-C in the middle of a call to the JVM would break the
        # connection that is needed to cancel the job.
        running = _begin(work)
        try:
            if not wait([running], _left(limit, began)).done:
                watched.cancel()
                # What it is committing it may still finish.
                wait([running], PATIENCE)
                raise timed_out(limit, log)
            return running.result()
        except KeyboardInterrupt:
            watched.cancel()
            wait([running], PATIENCE)
            raise
        except (*_ENGINE_ERRORS, ConnectionError) as error:
            # Without a connection there is no JVM any more.
            raise _failed(error, log) from error


def _left(limit: float | None, began: float | None) -> float | None:
    """Return how many seconds of `limit` are left; None without a limit."""
    if limit is None or began is None:
        return limit
    return max(0.0, limit - (time.monotonic() - began))


def _begin(work: Callable[[], R]) -> "Future[R]":
    thread = ThreadPoolExecutor(1, thread_name_prefix="deltactl-job")
    try:
        return thread.submit(work)
    finally:
        thread.shutdown(wait=False)


class _Classic:
    """A job group in the JVM of the session."""

    def __init__(self, session: SparkSession, watch: Watch) -> None:
        self._session = session
        self._context = session.sparkContext
        self._watch = watch
        self._group = f"deltactl-{uuid4()}"

    def begin(self) -> None:
        """Make what this thread does from here on part of the group."""
        self._context.setJobGroup(self._group, "deltactl", interruptOnCancel=True)
        # Delta looks for the session of the thread that calls it.
        jvm: Any = self._session._jvm
        jvm.org.apache.spark.sql.classic.SparkSession.setActiveSession(self._session._jsparkSession)

    @contextmanager
    def progress(self) -> Iterator[None]:
        stages = Stages(self._context.statusTracker(), self._group)

        def read() -> None:
            with suppress(Py4JError, OSError):  # a session that ends under it has no more to tell
                self._watch(stages.reached())

        with Polling(read):
            yield

    def cancel(self) -> None:
        with suppress(Py4JError, OSError):
            self._context._jsc.sc().cancelJobGroupAndFutureJobs(self._group)


class _Remote:
    """All that a session of Spark Connect does."""

    def __init__(self, session: Any, watch: Watch) -> None:
        self._session = session
        self._told = handler(watch)

    def begin(self) -> None:
        pass

    @contextmanager
    def progress(self) -> Iterator[None]:
        self._session.registerProgressHandler(self._told)
        try:
            yield
        finally:
            self._session.removeProgressHandler(self._told)

    def cancel(self) -> None:
        with suppress(PySparkException):
            self._session.interruptAll()


def _failed(error: BaseException, log: Path | None = None) -> BaseException:
    condition = error.getCondition() if isinstance(error, PySparkException) else None
    return failure(type(error).__name__, str(error), condition=condition, log=log)


@contextmanager
def _own_ctrl_c() -> Iterator[None]:
    """Keep our handler of Ctrl-C: PySpark's calls the JVM, and fails after that has ended."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if handler is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


@contextmanager
def _environment(values: Mapping[str, str | None]) -> Iterator[None]:
    """Set variables that PySpark reads and hands on while it starts; None removes one."""
    before = {name: os.environ.get(name) for name in values}
    _set_variables(values)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _silence() -> None:
    for name in LOUD:
        PySparkLogger.getLogger(name).disabled = True
    # py4j logs what it raises, too; without any handler that would go to stderr.
    if not logging.root.handlers:
        logging.root.addHandler(logging.NullHandler())


def _forget_the_gateway() -> None:
    SparkContext._gateway = SparkContext._jvm = None
