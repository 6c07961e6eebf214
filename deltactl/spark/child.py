"""The other side of `submit`: the driver that spark-submit runs."""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

from deltactl.changes.jobs import Job, Reached
from deltactl.errors import DeltactlError
from deltactl.spark import session as spark
from deltactl.spark.lines import Word, error_to_json, line
from deltactl.spark.progress import Polling

INTERRUPTED = 130
IDLE = 0.05  # seconds between two looks for the next job
ALONE = 1.0  # seconds between two looks whether whoever asked is still there


def main() -> None:
    """Run the jobs in the folder that the file on the command line names, one after the other.

    The answers are lines on stdout.
    """
    told = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    session = spark.attach()
    try:
        with Polling(lambda: _end_without(told["parent"]), ALONE):
            for job in _jobs(Path(told["jobs"])):
                _do(session, job, Path(told["log"]))
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        spark.stop(session)


def _jobs(folder: Path) -> Iterator[Job]:
    """Yield each job when it is asked for, until no more are to come."""
    for number in count():
        file = folder / f"{number}.json"
        while not file.exists():
            time.sleep(IDLE)
        asked = json.loads(file.read_text(encoding="utf-8"))
        if asked is None:
            return
        yield Job(asked["name"], asked["params"], why="")


def _do(session: Any, job: Job, log: Path) -> None:
    try:
        result = spark.perform(session, job, _tell, log=log)
    except DeltactlError as error:
        _say(Word.ERROR, error_to_json(error))
    else:
        _say(Word.RESULT, result)


def _tell(reached: Reached) -> None:
    _say(Word.PROGRESS, reached)


def _say(word: Word, value: object) -> None:
    sys.stdout.write(line(word, value))
    sys.stdout.flush()


def _end_without(parent: int) -> None:
    """Interrupt this process if the one that asked for the job was killed."""
    with suppress(PermissionError):
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            os.kill(os.getpid(), signal.SIGINT)
