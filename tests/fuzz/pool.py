"""A worker in a process of its own, replaced when a case kills or hangs it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

TESTS = Path(__file__).parent.parent
PASSED = ("TMPDIR", "DELTACTL_FUZZ_SECONDS")


class Worker:
    """Runs cases, by number or as objects; `errors` gets what the process prints to stderr."""

    def __init__(self, errors: IO[bytes] | None = None) -> None:
        self._errors = errors
        self._process = self._start()

    def ask(self, case: int | dict[str, Any]) -> dict[str, Any]:
        """Run a case: how many commands, and what is wrong with them."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(case) + "\n")
        self._process.stdin.flush()
        # The process ends itself where a command hangs.
        if line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            return answer
        self._process.communicate()
        ended = f"the process ended: {self._process.returncode}"
        self._clear()
        self._process = self._start()
        return {"runs": 1, "cpu": 0.0, "found": [{"command": [], "problem": ended}]}

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()
        self._clear()

    def _clear(self) -> None:
        for place in (Path("/dev/shm"), Path(os.environ.get("TMPDIR", "/tmp"))):
            shutil.rmtree(place / f"deltactl-fuzz-{self._process.pid}", ignore_errors=True)

    def _start(self) -> subprocess.Popen[str]:
        paths = [TESTS.parent, TESTS, TESTS / "acceptance", TESTS / "fuzz"]
        process = subprocess.Popen(
            [sys.executable, str(TESTS / "fuzz" / "worker.py")],
            env={
                # No variable of the user's, and no Java: nothing starts Spark.
                "PYTHONPATH": os.pathsep.join(map(str, paths)),
                "HOME": os.devnull,  # below it nothing can be made
                "NO_COLOR": "1",
                "PATH": "",
                **{name: os.environ[name] for name in PASSED if name in os.environ},
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            raise RuntimeError("the worker did not start")
        return process
