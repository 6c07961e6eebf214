"""`deltactl ARGS`, which kills itself at a point of `prune-type-changes --rewrite`.

Run as `rewrite_kills.py POINT FILE ARGS...`; FILE gets the id of the JVM's process before.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from pyspark import SparkContext

from deltactl.__main__ import run
from deltactl.spark.jobs import rewrite
from deltactl.storage.local.local import LocalStorage

TABLE = rewrite._Table
DURING = 0.25  # seconds, of the second that Delta takes for a commit
Point = tuple[type, str, int, str]

# What is called for the how manieth time, and whether the kill comes before it or after it.
POINTS: dict[str, Point] = {
    "before a commit": (TABLE, "_metrics", 2, "after"),
    "during a commit": (TABLE, "_metrics", 2, "soon after"),
    "after a commit": (TABLE, "rewrite", 2, "after"),
    "before the columns forget": (LocalStorage, "put_if_absent", 1, "before"),
    "after the columns forgot": (LocalStorage, "put_if_absent", 1, "after"),
}


def kill_at(point: Point, kill: Callable[[], None]) -> None:
    owner, name, number, when = point
    real, calls = getattr(owner, name), count(1)

    def called(*args: Any, **words: Any) -> Any:
        is_now = next(calls) == number
        if is_now and when == "before":
            kill()
        result = real(*args, **words)
        if is_now and when == "after":
            kill()
        if is_now and when == "soon after":
            threading.Timer(DURING, kill).start()
        return result

    setattr(owner, name, called)


def main(point: str, file: str, *words: str) -> None:
    def kill() -> None:
        Path(file).write_text(str(SparkContext._gateway.proc.pid), encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)

    kill_at(POINTS[point], kill)
    sys.argv = ["deltactl", *words]
    run()


if __name__ == "__main__":
    main(*sys.argv[1:])
