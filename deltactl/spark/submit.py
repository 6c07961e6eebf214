"""Jobs in a child process of spark-submit: its input, its answers, and its end."""

import json
import os
import shutil
import signal
import subprocess
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import deltactl
from deltactl.changes.jobs import Job, Reached, Watch
from deltactl.errors import DeltactlError
from deltactl.spark.errors import child_failure, timed_out
from deltactl.spark.lines import Word, error_from_json, parsed
from deltactl.spark.scratch_dir import ScratchDir
from deltactl.spark.settings.conf import REMOTE, Launch

# What spark-submit runs: a module of a package cannot be named, and one of ours would have its
# folder on the path, where our `jobs` and `errors` would hide others.
MAIN = "from deltactl.spark.child import main\n\nmain()\n"
JOBS = "jobs"  # the folder of what it is asked for, one file a job
GRACE = 15.0  # seconds that a child has to end after it was asked to
GOODBYE = 60.0  # seconds that it has to end its session when there is no more to do


class Child:
    """One run of spark-submit, in a process group of its own, whose session does job after job."""

    def __init__(self, launch: Launch, scratch_dir: ScratchDir) -> None:
        self._log = scratch_dir.log
        self._jobs = scratch_dir.scratch / JOBS
        self._asked = 0
        words = _words(launch, scratch_dir)
        self._noise = open(scratch_dir.log, "ab")  # noqa: SIM115 - it is open as long as the child
        self._process = subprocess.Popen(
            words,
            env=_without_remote({**os.environ, **launch.variables}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._noise,
            start_new_session=True,
        )

    @property
    def is_at_work(self) -> bool:
        """Whether it can be given a job."""
        return self._process.poll() is None

    def run(self, job: Job, watch: Watch, *, limit: float | None = None) -> Mapping[str, Any]:
        """Run the job and return its result.

        Raises:
            DeltactlError: what the job raised, or that there was no result.
            KeyboardInterrupt: the user ended it, and the child with it.
        """
        self._ask({"name": job.name, "params": job.params})
        answer = _Answer(watch)
        try:
            with _ended_after(limit, self._process) as late:
                self._listen(answer)
        except KeyboardInterrupt:
            self.end()
            raise
        if answer.error is not None:
            raise answer.error
        if late.is_set():
            raise timed_out(limit, self._log)
        if answer.result is None:
            raise child_failure(self._process.wait(), self._log)
        return answer.result

    def close(self) -> None:
        """Let the child end its session, and see that it is gone."""
        if self.is_at_work:
            self._ask(None)
            with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
                self._process.wait(GOODBYE)
        self.end()

    def end(self) -> None:
        """End the child, whatever it does."""
        if self._noise.closed:
            return
        _end(self._process)
        self._noise.close()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _ask(self, told: Mapping[str, Any] | None) -> None:
        """Put the next job where the child looks for it, whole at once; None is the end."""
        new = self._jobs / "new"
        new.write_text(json.dumps(told), encoding="utf-8")
        new.rename(self._jobs / f"{self._asked}.json")
        self._asked += 1

    def _listen(self, answer: "_Answer") -> None:
        """Read lines of the child until its answer, or until its output ends."""
        assert self._process.stdout is not None
        for said in self._process.stdout:
            if not answer.read_line(said):
                self._noise.write(said)
                self._noise.flush()
            if answer.is_there:
                return


def _words(launch: Launch, scratch_dir: ScratchDir) -> list[str]:
    """Write the files that the command line names, and return it."""
    names = ("child.json", "deltactl_job.py", "deltactl.zip")
    told, main, package = (scratch_dir.folder / name for name in names)
    jobs = scratch_dir.scratch / JOBS
    shutil.rmtree(jobs, ignore_errors=True)  # of a child that is gone
    jobs.mkdir()
    mine = {"jobs": str(jobs), "log": str(scratch_dir.log), "parent": os.getpid()}
    told.write_text(json.dumps(mine), encoding="utf-8")
    main.write_text(MAIN, encoding="utf-8")
    _pack(package)
    program = str(launch.home / "bin" / "spark-submit")
    return [program, *launch.options(), "--py-files", str(package), str(main), str(told)]


class _Answer:
    """What the child said so far."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.result: Mapping[str, Any] | None = None
        self.error: DeltactlError | None = None

    @property
    def is_there(self) -> bool:
        """Whether the answer is complete."""
        return self.result is not None or self.error is not None

    def read_line(self, said: bytes) -> bool:
        """Return whether the line is one of ours; all others are Spark's, for its log."""
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
    """Ask the child and all that it started to end, and make them if they do not."""
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
