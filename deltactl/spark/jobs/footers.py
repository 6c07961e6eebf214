"""The footers of data files, read by the Python of executors.

Executors get this package from the driver (spark-submit sends it with `--py-files`), and need a
Python like the driver's that has pyarrow: that of PYSPARK_PYTHON or `spark.pyspark.python`. On this
machine it is the one that runs this. They must find a folder where this machine does; what leads
this machine to another store they are told, and for an object store they need obstore, too.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from typing import Any

from deltactl.errors import DeltactlError, SparkError
from deltactl.spark.install.urls import is_local
from deltactl.spark.lines import error_from_json, error_to_json
from deltactl.spark.settings.store_settings import of_session
from deltactl.storage.base import Storage
from deltactl.storage.locate import locate
from deltactl.storage.options.settings import StoreSettings
from deltactl.storage.urls import is_remote, kind_of
from deltactl.table.parquet.footers import UnreadableFileError
from deltactl.table.parquet.many_footers import types_of_files

# What runs on executors goes there by a SparkContext.
NEEDS_JVM = True

# Files of one task, at most: it takes about a second, and a cluster has that many tasks to share.
EACH = 1_000


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Look which types each of the files `paths` of the `table` has at the `places`.

    Paths are as adds have them; a place is a path in files, and the field ids of its steps or None.
    Returns the different `answers`, and for each file, in order, which of them is `of` it: the
    types at the places, null if nothing is there; or, of a file that cannot be read, `code` and
    `message`.

    Raises:
        SparkError: an executor lacks a package, or does not find the table.
        StorageError: the store does not let an executor read.
    """
    paths, context = params["paths"], spark.sparkContext
    if not paths:
        return {"answers": [], "of": []}
    tasks = max(min(context.defaultParallelism, len(paths)), -(-len(paths) // EACH))
    settings = of_session(spark)
    look = partial(_read_footers, table=params["table"], places=params["places"], settings=settings)
    with _this_python(context):
        found = context.parallelize(paths, tasks).mapPartitions(look).collect()
    numbers: dict[_Answer, int] = {}
    of: list[int] = []
    for fault, answers, own in found:
        if fault is not None:
            raise error_from_json(fault)
        known = [numbers.setdefault(answer, len(numbers)) for answer in answers]
        of.extend(known[number] for number in own)
    return {"answers": [_to_json(*answer) for answer in numbers], "of": of}


# Whether it could be read, and the types, or the code and the message.
_Answer = tuple[bool, tuple[str | None, ...]]
# Why there is no answer, as an error in JSON; else the different answers, and which each file has.
_Found = tuple[Mapping[str, Any] | None, list[_Answer], list[int]]
_Places = Sequence[tuple[Sequence[str], Any]]


def _read_footers(
    paths: Iterable[str], table: str, places: _Places, settings: StoreSettings
) -> Iterator[_Found]:
    """Yield the answers of the files of one task; it runs on an executor."""
    try:
        _check_packages(table)
        numbers, of = _answers(_located(table, settings), paths, places)
    except DeltactlError as error:
        yield _fault(error, os.uname().nodename), [], []
    else:
        yield None, list(numbers), of


def _answers(
    storage: Storage, paths: Iterable[str], places: _Places
) -> tuple[dict[_Answer, int], list[int]]:
    numbers: dict[_Answer, int] = {}
    of = []
    for answer in types_of_files(storage, paths, places):
        if isinstance(answer, UnreadableFileError):
            found: _Answer = False, (answer.code, answer.message)
        else:
            found = True, tuple(answer)
        of.append(numbers.setdefault(found, len(numbers)))
    return numbers, of


def _to_json(is_read: bool, said: Sequence[str | None]) -> Any:
    return list(said) if is_read else {"code": said[0], "message": said[1]}


def _check_packages(table: str) -> None:
    """Raise SparkError if this Python lacks what reads footers, or speaks to the store."""
    for package, code, is_needed in (
        ("pyarrow", "NO_PYARROW_ON_EXECUTOR", True),
        ("obstore", "NO_OBSTORE_ON_EXECUTOR", kind_of(table) is not None),
    ):
        if is_needed and find_spec(package) is None:
            raise SparkError(
                code,
                f"its Python, {sys.executable}, has no {package}",
                hint="have this machine read them: --engine local; or name a Python that has it: "
                "--spark-conf spark.pyspark.python=PATH",
                details={"python": sys.executable},
            )


def _located(table: str, settings: StoreSettings) -> Storage:
    try:
        return locate(table, settings)
    except DeltactlError as error:
        raise SparkError(
            "NO_TABLE_ON_EXECUTOR",
            f"it does not find the table: {error.message}",
            hint="have this machine read them: --engine local"
            + ("" if is_remote(table) else "; or mount the table there, too"),
        ) from error


def _fault(error: DeltactlError, host: str) -> dict[str, Any]:
    """Return an error of the executor on `host`, which says so, in JSON."""
    said = f"the executor on {host} reads no footers: {error.message}"
    return {**error_to_json(error), "message": said, "details": {**error.details, "host": host}}


@contextmanager
def _this_python(context: Any) -> Iterator[None]:
    """Provide on this machine have workers be this Python, with what it can import."""
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
