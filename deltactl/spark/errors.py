"""One line for what went wrong in Spark: the class, the error condition, and the first line."""

import re
from pathlib import Path
from typing import NamedTuple

from deltactl.errors import ConflictError, DeltactlError, SparkError, StorageError
from deltactl.text.hints import Command, Words

# `[DELTA_CONCURRENT_APPEND]`, `[FAILED_READ_FILE.NO_HINT]`: how Spark and Delta name their errors.
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:\.[A-Z0-9_]+)*)\]")
# What a JVM that does not start prints beside the reason.
_EMPTY_WORDS = (
    "Error occurred during initialization of VM",
    "Error: Could not create the Java Virtual Machine.",
    "Error: A fatal exception has occurred. Program will exit.",
)
_TELLS = re.compile(r"(?:Exception|Error)\b")
_JAVA_CLASS = re.compile(r"(?:Caused by: |: )?((?:[a-z]\w*\.)+[A-Z]\w*): ")
LONGEST = 300


class _Known(NamedTuple):
    """A failure that has a code of its own, told by a piece of its text."""

    sign: str
    kind: type[DeltactlError]
    code: str
    said: str
    hint: str | Words


_PYTHON = (
    SparkError,
    "NO_PYTHON_ON_EXECUTOR",
    "executors have no Python like the one of this machine",
    "have this machine do it: --engine local; or name one: --spark-conf spark.pyspark.python=PATH",
)
_KNOWN = (
    _Known(
        "No space left on device",
        StorageError,
        "SPARK_DISK_FULL",
        "Spark's disk is full",
        "make room, or name a folder that has it: --spark-conf spark.local.dir=DIR",
    ),
    _Known(
        "[DELTA_CONCURRENT_",
        ConflictError,
        "SPARK_LOST_RACE",
        "another writer came first",
        "run it again: what had been committed before stays",
    ),
    _Known(
        "[FAILED_READ_FILE",
        StorageError,
        "SPARK_FILE_UNREADABLE",
        "Spark cannot read a file",
        "bring it back from a copy, or RESTORE to a version without it; "
        + Command("verify-checksum", "--data", "--engine", "spark")
        + " names all such files",
    ),
    _Known(
        "OutOfMemoryError",
        SparkError,
        "SPARK_OUT_OF_MEMORY",
        "Spark's memory is full",
        "give it more: --spark-conf spark.driver.memory=8g, or spark.executor.memory",
    ),
    _Known(
        "ExecutorLostFailure",
        SparkError,
        "SPARK_EXECUTOR_LOST",
        "Spark lost executors, more often than it tries again",
        "look at the cluster, and run it again",
    ),
    _Known("Cannot run program", *_PYTHON),
    _Known("[PYTHON_VERSION_MISMATCH]", *_PYTHON),
)


def failure(
    kind: str, text: str, *, condition: str | None = None, log: Path | None = None
) -> DeltactlError:
    """Return the error for an exception of class `kind` that says `text`, which may be a trace."""
    known = next((known for known in _KNOWN if known.sign in text), None)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    # What is known is often the cause of something that says less.
    line = _telling([line for line in lines if known.sign in line] if known else lines)
    if match := _CONDITION.search(line):
        condition = match[1] if known else condition or match[1]
    if java := _JAVA_CLASS.match(line):
        kind, line = java[1].rpartition(".")[2], line[java.end() :]
    details = {"class": kind, "cause": condition, "log": None if log is None else str(log)}
    said = f"{kind}: {line[:LONGEST]}".rstrip(": ")
    if known is not None:
        message = f"{known.said}: {said}"
        return known.kind(known.code, message, hint=known.hint, details=details)
    hint = "-v tells more" if log is None else f"the whole story is in {log}"
    message = f"the job failed in Spark: {said}"
    return SparkError("SPARK_JOB_FAILED", message, hint=hint, details=details)


def start_failure(log: Path) -> SparkError:
    """Return the error for a Spark that did not start, from what it left in its log."""
    said = _last_words(log)
    return SparkError(
        "SPARK_START_FAILED",
        f"Spark did not start{f': {said}' if said else ''}",
        hint=f"its log is {log}; deltactl spark check looks at each part",
        details={"log": str(log)},
    )


def child_failure(exit_code: int, log: Path) -> SparkError:
    """Return the error for a child that ended without a result."""
    said = _last_words(log)
    if exit_code < 0:
        said = f"signal {-exit_code} ended it" + (f"; its last words: {said}" if said else "")
    return SparkError(
        "SPARK_CHILD_DIED",
        f"spark-submit ended without a result{f': {said}' if said else ''}",
        hint=f"its log is {log}",
        details={"log": str(log), "exitCode": exit_code},
    )


def timed_out(limit: float | None, log: Path | None) -> SparkError:
    """Return the error for a job that did not end in time."""
    return SparkError(
        "SPARK_TIMED_OUT",
        f"Spark did not finish the job in {limit:g} seconds",
        hint="give it more with --timeout-job; a cluster needs workers with free cores and memory",
        details={"log": None if log is None else str(log)},
    )


def _telling(lines: list[str]) -> str:
    """Return the most telling line: one with a condition, or py4j's exception."""
    for line in lines:
        if _CONDITION.search(line):
            return line
    for line in lines:
        if line.startswith(": "):
            return line
    return lines[0] if lines else ""


def _last_words(log: Path) -> str:
    """Return the line of the log that says best what went wrong."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and line not in _EMPTY_WORDS and line[:3] != "at "]
    told = [line for line in lines if _TELLS.search(line)]
    causes = [line for line in told if line.startswith("Caused by:")]
    return (causes or told or lines or [""])[-1].removeprefix("Caused by: ")[:LONGEST]
