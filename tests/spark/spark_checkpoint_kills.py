"""Kills the putting of a checkpoint that Spark has made, at every step that the store takes.

Run as a program, `spark_checkpoint_kills.py ROOT TABLE RECORD` leaves in ROOT what
`kill_at_each_step` says; RECORD is what the job has written, and said.
"""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from kills import kill_at_each_step
from spark_checkpoints import checkpoint

from deltactl.changes.jobs import Job
from deltactl.log.filenames import CheckpointKind
from deltactl.operations.checkpoint.checkpoint import CheckpointRequest


class Replays:
    """Stands for Spark, which takes a second or more for each of many runs."""

    place = "Spark"

    def __init__(self, record: Path) -> None:
        self._record = record

    def run(self, job: Job) -> Any:
        shutil.copytree(self._record / "files", job.params["target"].removeprefix("file://"))
        return json.loads((self._record / "result.json").read_text())


def main(root: Path, table: Path, record: Path) -> None:
    def put(folder: Path) -> None:
        os.environ["TMPDIR"] = str(folder)
        request = CheckpointRequest(CheckpointKind.MULTIPART, parts=3)
        assert checkpoint(folder / "table", request, Replays(record)).error is None

    steps = kill_at_each_step(root, lambda folder: shutil.copytree(table, folder / "table"), put)
    sys.stdout.write(json.dumps(steps))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
