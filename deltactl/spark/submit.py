"""A job in a child of spark-submit: what it is told, what it says, and how it is ended."""

import json
import os
import signal
import subprocess
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import deltactl
from deltactl.errors import DeltactlError
from deltactl.operations.jobs import Job, Reached, Watch
from deltactl.spark.conf import REMOTE, Launch
from deltactl.spark.errors import child_failure, timed_out
from deltactl.spark.lines import Word, error_from_json, parsed
from deltactl.spark.workplace import Workplace

# What spark-submit runs: a module of a package cannot be named, and one of ours would have its
# folder on the path, where our `jobs` and `errors` would hide others.
MAIN = "from deltactl.spark.child import main\n\nmain()\n"
GRACE = 15.0  # seconds that a child has to end after it was asked to


class Child:
    """One run of spark-submit, in a process group of its own."""

    def __init__(self, launch: Launch, workplace: Workplace) -> None:
        self._launch = launch
        self._workplace = workplace

    def run(self, job: Job, watch: Watch, *, limit: float | None = None) -> Mapping[str, Any]:
        """Run the job and return its result.

        Raises:
            DeltactlError: what the job raised, or that there was no result.
            KeyboardInterrupt: the user ended it, and the child with it.
        """
        words, log = self._words(job), self._workplace.log
        answer = _Answer(watch)
        with (
            open(log, "ab") as noise,
            self._process(words, noise) as child,
            _ended_after(limit, child) as late,
        ):
            assert child.stdout is not None
            for said in child.stdout:
                if not answer.take(said):
                    noise.write(said)
                    noise.flush()
            code = child.wait()
        if answer.error is not None:
            raise answer.error
        if late.is_set():
            raise timed_out(limit, log)
        if answer.result is None:
            raise child_failure(code, log)
        return answer.result

    def _words(self, job: Job) -> list[str]:
        """The command line, once the files are there that it names."""
        folder = self._workplace.folder
        asked, main, package = (folder / n for n in ("job.json", "deltactl_job.py", "deltactl.zip"))
        told = {"name": job.name, "params": job.params, "log": str(self._workplace.log)}
        asked.write_text(json.dumps({**told, "parent": os.getpid()}), encoding="utf-8")
        main.write_text(MAIN, encoding="utf-8")
        _pack(package)
        program = str(self._launch.home / "bin" / "spark-submit")
        options = [*self._launch.options(), "--py-files", str(package)]
        return [program, *options, str(main), str(asked)]

    @contextmanager
    def _process(self, words: list[str], noise: Any) -> "Iterator[subprocess.Popen[bytes]]":
        """The child, which is gone when the block is left, however that is."""
        child = subprocess.Popen(
            words,
            env=_without_remote({**os.environ, **self._launch.variables}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=noise,
            start_new_session=True,
        )
        try:
            yield child
        finally:
            _end(child)
            assert child.stdout is not None
            child.stdout.close()


class _Answer:
    """What the child said so far."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.result: Mapping[str, Any] | None = None
        self.error: DeltactlError | None = None

    def take(self, said: bytes) -> bool:
        """Whether the line is one of ours; all others are Spark's, for its log."""
        match parsed(said):
            case (Word.RESULT, value):
                self.result = value
            case (Word.ERROR, value):
                self.error = error_from_json(value)
            case (Word.PROGRESS, value):
                self._watch(Reached(*value))
            case _:
                return False
        return True


@contextmanager
def _ended_after(
    limit: float | None, child: "subprocess.Popen[bytes]"
) -> Iterator[threading.Event]:
    """End the child if the block takes longer than that; the event tells whether it did."""
    late = threading.Event()

    def end() -> None:
        late.set()
        _end(child)

    timer = threading.Timer(limit, end) if limit is not None else None
    if timer is not None:
        timer.daemon = True
        timer.start()
    try:
        yield late
    finally:
        if timer is not None:
            timer.cancel()


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Ask the child and all that it started to end, and make them where they do not."""
    if child.poll() is None:
        _signal(child, signal.SIGINT)
        # Unread output would keep it from ending.
        drained = threading.Thread(target=_drain, args=(child,), daemon=True)
        drained.start()
        with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            child.wait(GRACE)
    # The JVM or the driver may outlive the other.
    _signal(child, signal.SIGKILL)
    child.wait()


def _without_remote(environ: dict[str, str]) -> dict[str, str]:
    environ.pop(REMOTE, None)
    return environ


def _drain(child: "subprocess.Popen[bytes]") -> None:
    with suppress(OSError, ValueError):
        while child.stdout is not None and child.stdout.read(1 << 16):
            pass


def _signal(child: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


def _pack(path: Path) -> None:
    """Write this package to a file that Python can import it from."""
    root = Path(deltactl.__file__).parent
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(root.rglob("*.py")):
            archive.write(file, file.relative_to(root.parent))
