"""Runs one job in a process of its own: two kinds of sessions do not live in one."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CODE = """
import json, sys
from deltactl.errors import DeltactlError
from deltactl.operations.jobs import Job
from deltactl.spark.lines import error_to_json
from deltactl.spark.runner import Wishes, job_runner

asked = json.loads(sys.argv[1])
reached = []
try:
    with job_runner(Wishes(**asked["wishes"]), reached.append) as runner:
        found = [runner.run(Job(name, params, "")) for name, params in asked["jobs"]]
    said = {"results": found, "tasks": [r.tasks_done for r in reached]}
except DeltactlError as error:
    said = {"error": error_to_json(error)}
print(json.dumps(said))
"""


def run_jobs(
    *jobs: tuple[str, Mapping[str, Any]], environ: Mapping[str, str] | None = None, **wishes: Any
) -> dict[str, Any]:
    """Run the jobs one after the other; `results` and the tasks that were seen, or `error`."""
    root = Path(__file__).parent.parent.parent
    paths = [str(root), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, "-c", CODE, json.dumps({"wishes": wishes, "jobs": jobs})],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(environ or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "", done.stderr
    assert done.stdout.count("\n") == 1, done.stdout
    said: dict[str, Any] = json.loads(done.stdout)
    return said
