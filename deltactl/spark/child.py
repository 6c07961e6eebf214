"""The other side of `submit`: the driver that spark-submit runs."""

import json
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from deltactl.errors import DeltactlError
from deltactl.operations.jobs import Job, Reached
from deltactl.spark import session as spark
from deltactl.spark.lines import Word, error_to_json, line
from deltactl.spark.progress import Polling

INTERRUPTED = 130
ALONE = 1.0  # seconds between two looks whether whoever asked is still there


def main() -> None:
    """Run the job of the file that the command line names; the answer is lines on stdout."""
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    job = Job(asked["name"], asked["params"], why="")
    session = spark.attach()
    try:
        with Polling(lambda: _end_without(asked["parent"]), ALONE):
            result = spark.perform(session, job, _tell, log=Path(asked["log"]))
        _say(Word.RESULT, result)
    except DeltactlError as error:
        _say(Word.ERROR, error_to_json(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    finally:
        spark.stop(session)


def _tell(reached: Reached) -> None:
    _say(Word.PROGRESS, reached)


def _say(word: Word, value: object) -> None:
    sys.stdout.write(line(word, value))
    sys.stdout.flush()


def _end_without(parent: int) -> None:
    """Interrupt this process where the one that asked for the job was killed."""
    with suppress(PermissionError):
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            os.kill(os.getpid(), signal.SIGINT)
