"""The footers of data files, read by the Python of executors.

Executors get this package from the driver (spark-submit sends it with `--py-files`), and need a
Python like the driver's that has pyarrow: that of PYSPARK_PYTHON or `spark.pyspark.python`. On this
machine it is the one that runs this. They must find the table where this machine does.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any

from deltactl.errors import DeltactlError, SparkError
from deltactl.spark.urls import is_local
from deltactl.storage.locate import locate
from deltactl.table.footers import UnreadableFileError
from deltactl.table.many_footers import types_of_files

# What runs on executors goes there by a SparkContext.
NEEDS_JVM = True

# Files of one task, at most: it takes about a second, and a cluster has that many tasks to share.
EACH = 1_000


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Look which types each of the files `paths` of the `table` has at the `places`.

    Paths are as adds have them; a place is a path in files, and the field ids of its steps or None.
    Returns the different `answers`, and for each file, in order, which of them is `of` it: the
    types at the places, null where nothing is there; or, of a file that cannot be read, `code` and
    `message`.

    Raises:
        SparkError: an executor has no pyarrow, or does not find the table.
    """
    paths, context = params["paths"], spark.sparkContext
    if not paths:
        return {"answers": [], "of": []}
    tasks = max(min(context.defaultParallelism, len(paths)), -(-len(paths) // EACH))
    look = partial(_look, table=params["table"], places=params["places"])
    with _this_python(context):
        found = context.parallelize(paths, tasks).mapPartitions(look).collect()
    numbers: dict[_Answer, int] = {}
    of: list[int] = []
    for fault, answers, own in found:
        if fault is not None:
            raise _unfit(*fault)
        known = [numbers.setdefault(answer, len(numbers)) for answer in answers]
        of.extend(known[number] for number in own)
    return {"answers": [_told(*answer) for answer in numbers], "of": of}


# Whether it could be read, and the types, or the code and the message.
_Answer = tuple[bool, tuple[str | None, ...]]
# What the executor lacks, its host and more; else the different answers, and which each file has.
_Found = tuple[tuple[str, str, str] | None, list[_Answer], list[int]]


def _look(
    paths: Iterable[str], table: str, places: Sequence[tuple[Sequence[str], Any]]
) -> Iterator[_Found]:
    """The answers of the files of one task; it runs on an executor."""
    host = os.uname().nodename
    if find_spec("pyarrow") is None:
        yield ("pyarrow", host, sys.executable), [], []
        return
    try:
        storage = locate(table)
    except DeltactlError as error:
        yield ("table", host, error.message), [], []
        return
    numbers: dict[_Answer, int] = {}
    of = []
    for answer in types_of_files(storage, paths, places):
        if isinstance(answer, UnreadableFileError):
            found: _Answer = False, (answer.code, answer.message)
        else:
            found = True, tuple(answer)
        of.append(numbers.setdefault(found, len(numbers)))
    yield None, list(numbers), of


def _told(is_read: bool, said: Sequence[str | None]) -> Any:
    return list(said) if is_read else {"code": said[0], "message": said[1]}


def _unfit(lacks: str, host: str, said: str) -> SparkError:
    """The error for an executor that cannot read footers."""
    if lacks == "pyarrow":
        return SparkError(
            "NO_PYARROW_ON_EXECUTOR",
            f"the executor on {host} reads no footers: its Python, {said}, has no pyarrow",
            hint="have this machine read them: --engine local; or name a Python that has it: "
            "--spark-conf spark.pyspark.python=PATH",
            details={"host": host, "python": said},
        )
    return SparkError(
        "NO_TABLE_ON_EXECUTOR",
        f"the executor on {host} does not find the table: {said}",
        hint="have this machine read the footers: --engine local; or mount the table there, too",
        details={"host": host},
    )


@contextmanager
def _this_python(context: Any) -> Iterator[None]:
    """On this machine have workers be this Python, with what it can import."""
    if not is_local(context.master):
        yield
        return
    key = "PYTHONPATH"
    program, path = context.pythonExec, context.environment.get(key)
    context.pythonExec = sys.executable
    context.environment[key] = os.pathsep.join(filter(None, sys.path))
    try:
        yield
    finally:
        context.pythonExec = program
        if path is None:
            del context.environment[key]
        else:
            context.environment[key] = path
