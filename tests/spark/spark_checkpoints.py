"""Checkpoints by Spark and in the process, of copies of one table, and what is in them."""

import json
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.jobs import Engine, JobRunner
from deltactl.changes.log_file_executor import LogFileExecutor
from deltactl.operations.checkpoint.checkpoint import (
    CheckpointReport,
    CheckpointRequest,
    Engines,
    plan_checkpoint,
)
from deltactl.spark.runner import SparkConfig, job_runner
from deltactl.storage.local.local import LocalStorage
from deltactl.table.table import Table

NOW = 1_763_000_000_000


@contextmanager
def local_runner(jars: Path, master: str = "local[2]") -> Iterator[JobRunner]:
    """A runner whose session is there for all that the block does."""
    with (
        job_runner(SparkConfig(master, str(jars)), lambda _: None) as runner,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", FutureWarning)
        yield runner


def checkpoint(
    storage: LocalStorage | Path,
    request: CheckpointRequest,
    runner: JobRunner | None = None,
    at: int | None = None,
    now: int = NOW,
) -> CheckpointReport:
    """Write a checkpoint: on Spark where there is a runner."""
    store = storage if isinstance(storage, LocalStorage) else LocalStorage(str(storage))
    engine = Engine.LOCAL if runner is None else Engine.SPARK
    engines = Engines(engine, lambda: nullcontext(runner))  # type: ignore[arg-type]
    planner = partial(plan_checkpoint, request=request, engines=engines)
    changer = LogFileExecutor(
        Table(store), planner, CommitOptions(), CheckpointReport, at=at, clock=lambda: now
    )
    return changer.execute()


def actions(table: Path, report: CheckpointReport) -> list[str]:
    """All actions of a checkpoint, each as JSON, in order; names that are fresh are left out."""
    there = report.checkpoint
    assert there is not None
    found = [action for part in there.parts for action in _actions_of(table / part.path)]
    return sorted(json.dumps(action, sort_keys=True, default=str) for action in found)


def schemas(table: Path, report: CheckpointReport) -> list[Any]:
    """The schema of each parquet file but for what it says of null."""
    there = report.checkpoint
    assert there is not None
    paths = [table / part.path for part in there.parts if part.path.endswith(".parquet")]
    return [_plain(pa.struct(list(pq.read_schema(path)))) for path in paths]


def log_copy(table: Path, target: Path) -> Path:
    shutil.copytree(table / "_delta_log", target / "_delta_log")
    return target


def _plain(kind: Any) -> Any:
    if pa.types.is_struct(kind):
        return {field.name: _plain(field.type) for field in kind}
    return str(kind).replace(" not null", "").replace("key_value", "entries")


def _actions_of(path: Path) -> Iterator[Mapping[str, Any]]:
    if path.suffix == ".json":
        rows: Sequence[Any] = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        rows = pq.read_table(path).to_pylist()
    for row in rows:
        held = {kind: _body(body) for kind, body in row.items() if body is not None}
        held.pop("sidecar", None)
        if "checkpointMetadata" in held:
            held["checkpointMetadata"]["tags"].pop("sidecarSizeInBytes", None)
        if held:
            yield held


def _body(body: Mapping[str, Any]) -> dict[str, Any]:
    found = {}
    for key, value in body.items():
        if key == "stats" and value is not None:
            found[key] = _parsed(value)
        elif isinstance(value, list) and all(isinstance(item, tuple) for item in value):
            found[key] = dict(value)
        elif key == "partitionValues":
            found[key] = value or {}  # none, and an empty one, are one
        else:
            found[key] = value
    return found


def _parsed(text: str) -> Any:
    with suppress(ValueError):
        return json.loads(text)
    return text
