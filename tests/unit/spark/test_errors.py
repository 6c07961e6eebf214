"""What is made of errors in the form in which PySpark and py4j pass them on.

That real ones have it is for tests/spark to show.
"""

from pathlib import Path

import pytest

from deltactl.spark.errors import child_failure, failure, start_failure

LOG = Path("/t/spark.log")
ANALYSIS = """\
[TABLE_OR_VIEW_NOT_FOUND] The table or view `nowhere` cannot be found. Verify the spelling.
If you did not qualify the name with a schema, verify the current_schema() output; line 1 pos 14;
'Project [*]
"""
PY4J = """\
An error occurred while calling z:java.lang.Integer.parseInt.
: java.lang.NumberFormatException: For input string: "x"
\tat java.base/java.lang.NumberFormatException.forInputString(NumberFormatException.java:67)
"""
CANCELLED = """\
An error occurred while calling o51.count.
: org.apache.spark.SparkException: Job aborted due to stage failure
\tat org.apache.spark.sql.Dataset.count(Dataset.scala:1500)
Caused by: org.apache.spark.SparkException: [SPARK_JOB_CANCELLED] Job 0 cancelled
"""
CONCURRENT = """\
An error occurred while calling o60.run.
: io.delta.exceptions.ConcurrentAppendException: [DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Files were \
added to the root of the table by a concurrent update.
\tat org.apache.spark.sql.delta.DeltaErrorsBase.concurrentAppendException(DeltaErrors.scala:2400)
"""
FULL = """\
An error occurred while calling o51.count.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 1 in stage 0.0 failed 1 \
times, most recent failure: Lost task 1.0: java.io.IOException: No space left on device
"""
LOST = """\
An error occurred while calling o51.count.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 \
times, most recent failure: Lost task 0.3 in stage 0.0 (TID 7) (127.0.0.1 executor 4): \
ExecutorLostFailure (executor 4 exited caused by one of the running tasks) Reason: worker lost
"""
UNREADABLE = """\
An error occurred while calling o88.writeFiles.
: org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/t.
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailedWhileWritingRowsError(Q.scala:777)
Caused by: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while \
reading file file:///t/a.parquet. SQLSTATE: KD001
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(Q.scala:856)
"""
MEMORY = """\
An error occurred while calling o51.count.
: java.lang.OutOfMemoryError: Java heap space
"""


@pytest.mark.parametrize(
    ("kind", "text", "exit_code", "code", "cause", "message"),
    [
        (
            "AnalysisException",
            ANALYSIS,
            9,
            "SPARK_JOB_FAILED",
            "TABLE_OR_VIEW_NOT_FOUND",
            "the job failed in Spark: AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] The table or "
            "view `nowhere` cannot be found. Verify the spelling.",
        ),
        (
            "Py4JJavaError",
            PY4J,
            9,
            "SPARK_JOB_FAILED",
            None,
            'the job failed in Spark: NumberFormatException: For input string: "x"',
        ),
        (
            "Py4JJavaError",
            CANCELLED,
            9,
            "SPARK_JOB_FAILED",
            "SPARK_JOB_CANCELLED",
            "the job failed in Spark: SparkException: [SPARK_JOB_CANCELLED] Job 0 cancelled",
        ),
        (
            "Py4JJavaError",
            CONCURRENT,
            6,
            "SPARK_LOST_RACE",
            "DELTA_CONCURRENT_APPEND.WITHOUT_HINT",
            "another writer came first: ConcurrentAppendException: "
            "[DELTA_CONCURRENT_APPEND.WITHOUT_HINT] Files were added to the root of the table by a "
            "concurrent update.",
        ),
        (
            "Py4JJavaError",
            FULL,
            8,
            "SPARK_DISK_FULL",
            None,
            "Spark's disk is full: SparkException: Job aborted due to stage failure: Task 1 in "
            "stage 0.0 failed 1 times, most recent failure: Lost task 1.0: java.io.IOException: "
            "No space left on device",
        ),
        (
            "Py4JJavaError",
            UNREADABLE,
            8,
            "SPARK_FILE_UNREADABLE",
            "FAILED_READ_FILE.NO_HINT",
            "Spark cannot read a file: SparkException: [FAILED_READ_FILE.NO_HINT] Encountered "
            "error while reading file file:///t/a.parquet. SQLSTATE: KD001",
        ),
        (
            "Py4JJavaError",
            LOST,
            9,
            "SPARK_EXECUTOR_LOST",
            None,
            "Spark lost executors, more often than it tries again: SparkException: Job aborted due "
            "to stage failure: Task 0 in stage 0.0 failed 4 times, most recent failure: Lost task "
            "0.3 in stage 0.0 (TID 7) (127.0.0.1 executor 4): ExecutorLostFailure (executor 4 "
            "exited caused by one of the running tasks) Reason: worker lost",
        ),
        (
            "Py4JJavaError",
            MEMORY,
            9,
            "SPARK_OUT_OF_MEMORY",
            None,
            "Spark's memory is full: OutOfMemoryError: Java heap space",
        ),
        (
            "Py4JNetworkError",
            "Answer from Java side is empty",
            9,
            "SPARK_JOB_FAILED",
            None,
            "the job failed in Spark: Py4JNetworkError: Answer from Java side is empty",
        ),
        (
            "Py4JError",
            "",
            9,
            "SPARK_JOB_FAILED",
            None,
            "the job failed in Spark: Py4JError",
        ),
    ],
)
def test_one_line_with_class_and_condition(kind, text, exit_code, code, cause, message) -> None:
    found = failure(kind, text, log=LOG)
    assert (found.exit_code, found.code, found.message) == (exit_code, code, message)
    assert (found.details["cause"], found.details["log"]) == (cause, "/t/spark.log")


def test_a_condition_that_is_known_is_kept() -> None:
    found = failure("ParseException", "mismatched input", condition="PARSE_SYNTAX_ERROR")
    assert found.details == {
        "class": "ParseException",
        "cause": "PARSE_SYNTAX_ERROR",
        "log": None,
    }


# In the form in which the JVM and Spark write their logs.
COLLECTORS = """\
WARNING: Using incubator modules: jdk.incubator.vector
Error occurred during initialization of VM
Multiple garbage collectors selected
"""
LITTLE = """\
2026-11-21T10:00:00,000 ERROR org.apache.spark.SparkContext: Error initializing SparkContext.
org.apache.spark.SparkIllegalArgumentException: [INVALID_DRIVER_MEMORY] System memory 101 must be \
at least 471859200. Please increase heap size using the --driver-memory option.
\tat org.apache.spark.memory.UnifiedMemoryManager$.getMaxMemory(UnifiedMemoryManager.scala:233)
2026-11-21T10:00:00,100 WARN org.apache.spark.metrics.MetricsSystem: Stopping a MetricsSystem
"""
BOUND = """\
2026-11-21T10:00:00,000 ERROR org.apache.spark.SparkContext: Error initializing SparkContext.
java.lang.RuntimeException: it does not start
\tat x.y.Z.start(Z.scala:1)
Caused by: java.net.BindException: Address already in use
\tat java.base/sun.nio.ch.Net.bind0(Native Method)
"""


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (
            COLLECTORS,
            ": Multiple garbage collectors selected",
        ),
        (
            LITTLE,
            ": org.apache.spark.SparkIllegalArgumentException: [INVALID_DRIVER_MEMORY] System "
            "memory 101 must be at least 471859200. Please increase heap size using the "
            "--driver-memory option.",
        ),
        (BOUND, ": java.net.BindException: Address already in use"),
        ("", ""),
        (None, ""),
    ],
)
def test_why_spark_did_not_start(tmp_path: Path, log: str | None, said: str) -> None:
    path = tmp_path / "spark.log"
    if log is not None:
        path.write_text(log, encoding="utf-8")
    started, child = start_failure(path), child_failure(1, path)
    assert started.message == f"Spark did not start{said}"
    assert started.hint == f"its log is {path}; deltactl spark check looks at each part"
    assert child.message == f"spark-submit ended without a result{said}"
    assert child.details == {"log": str(path), "exitCode": 1}


def test_a_child_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "spark.log"
    assert child_failure(-9, path).message == (
        "spark-submit ended without a result: signal 9 ended it"
    )
