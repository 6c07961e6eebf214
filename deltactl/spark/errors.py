"""One line for what went wrong in Spark: the class, the error condition, and the first line."""

import re
from pathlib import Path
from typing import Any

from deltactl.errors import ConflictError, DeltactlError, SparkError, StorageError

# `[DELTA_CONCURRENT_APPEND]`, `[FAILED_READ_FILE.NO_HINT]`: how Spark and Delta name their errors.
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?:\.[A-Z0-9_]+)*)\]")
_JAVA_CLASS = re.compile(r"(?:Caused by: |: )?((?:[a-z]\w*\.)+[A-Z]\w*): ")
LONGEST = 300


def failure(
    kind: str, text: str, *, condition: str | None = None, log: Path | None = None
) -> DeltactlError:
    """Return the error for an exception of class `kind` that says `text`, which may be a trace."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = _telling(lines)
    if match := _CONDITION.search(line):
        condition = condition or match[1]
    if java := _JAVA_CLASS.match(line):
        kind, line = java[1].rpartition(".")[2], line[java.end() :]
    details: dict[str, Any] = {"class": kind, "cause": condition}
    if log is not None:
        details["log"] = str(log)
    see = f"the whole story is in {log}" if log is not None else "-v tells more"
    said = f"{kind}: {line[:LONGEST]}".rstrip(": ")
    if "No space left on device" in text:
        hint = "make room, or name a folder that has it: --spark-conf spark.local.dir=DIR"
        return StorageError(
            "SPARK_DISK_FULL", f"Spark's disk is full: {said}", hint=hint, details=details
        )
    if (condition or "").startswith("DELTA_CONCURRENT_"):
        said = f"another writer came first: {said}"
        hint = "what the job had not yet committed was not written; run it again"
        return ConflictError("SPARK_LOST_RACE", said, hint=hint, details=details)
    if "OutOfMemoryError" in text:
        hint = "give it more: --spark-conf spark.driver.memory=8g (or spark.executor.memory)"
        return SparkError(
            "SPARK_OUT_OF_MEMORY", f"Spark's memory is full: {said}", hint=hint, details=details
        )
    if "ExecutorLostFailure" in text:
        said = f"Spark lost an executor once too often: {said}"
        return SparkError("SPARK_EXECUTOR_LOST", said, hint=see, details=details)
    return SparkError(
        "SPARK_JOB_FAILED", f"the job failed in Spark: {said}", hint=see, details=details
    )


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


def _telling(lines: list[str]) -> str:
    """The line that says most: one with a condition, else the exception that py4j passes on."""
    for line in lines:
        if _CONDITION.search(line):
            return line
    for line in lines:
        if line.startswith(": "):
            return line
    return lines[0] if lines else ""


def _last_words(log: Path) -> str:
    """The line of the log that says best what went wrong."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    told = [
        line for line in lines if re.search(r"(Exception|Error)\b", line) and "\tat " not in line
    ]
    causes = [line for line in told if line.lstrip().startswith("Caused by:")]
    chosen = (causes or told or [line for line in lines if line.strip()] or [""])[-1]
    return chosen.strip().removeprefix("Caused by: ")[:LONGEST]
