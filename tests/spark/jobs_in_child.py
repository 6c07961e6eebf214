"""Runs jobs in a process of their own: two kinds of sessions do not live in one."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CODE = """
import json, sys
from deltactl.cli.process.signals import end_as_by_ctrl_c
from deltactl.errors import DeltactlError
from deltactl.changes.jobs import Job
from deltactl.spark.lines import error_to_json
from deltactl.spark.runner import SparkConfig, job_runner

end_as_by_ctrl_c()
asked = json.loads(sys.argv[1])
reached = []

def watch(now):
    reached.append(now.tasks_done)
    if now.tasks:
        print("BEGUN", file=sys.stderr, flush=True)

def run(runner, name, params):
    try:
        return {"result": runner.run(Job(name, params, ""))}
    except DeltactlError as error:
        return {"error": error_to_json(error)}

try:
    with job_runner(SparkConfig(**asked["config"]), watch) as runner:
        said = {"jobs": [run(runner, *job) for job in asked["jobs"]], "tasks": reached}
except KeyboardInterrupt:
    said = {"interrupted": True}
print(json.dumps(said))
"""
HERE = Path(__file__).parent
# Such a line on stderr: tasks of the job are known.
BEGUN = b"BEGUN\n"

Asked = tuple[str, Mapping[str, Any]]


def start_jobs(*jobs: Asked, **spark_config: Any) -> "subprocess.Popen[bytes]":
    """Start a process that runs the jobs one after the other, in a group of its own."""
    paths = [str(HERE.parent.parent), str(HERE / "more_jobs"), os.environ.get("PYTHONPATH", "")]
    return subprocess.Popen(
        [sys.executable, "-c", CODE, json.dumps({"config": spark_config, "jobs": jobs})],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def outcome(child: "subprocess.Popen[bytes]") -> dict[str, Any]:
    """Wait for what became of the jobs: `jobs` and `tasks`, or `interrupted`."""
    out, err = child.communicate()
    assert err.replace(BEGUN, b"") == b"", err.decode()
    assert out.count(b"\n") == 1, out.decode()
    said: dict[str, Any] = json.loads(out)
    return said


def run_jobs(*jobs: Asked, seen: bool = True, **spark_config: Any) -> list[dict[str, Any]]:
    """Run the jobs, and return the `result` or the `error` of each; tasks are `seen`, or not."""
    said = outcome(start_jobs(*jobs, **spark_config))
    assert (max(said["tasks"], default=0) > 0) is seen
    found: list[dict[str, Any]] = said["jobs"]
    return found
