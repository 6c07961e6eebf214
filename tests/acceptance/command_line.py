"""The command line as a function: arguments in; exit code, output and document out."""

import contextlib
import io
import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deltactl.cli.app import main

REPOSITORY = Path(__file__).parent.parent.parent
NOBODY = 65534
WITHIN_MEMORY = """
import resource, sys
from deltactl.cli.app import main

resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""
UNPRIVILEGED = f"""
import contextlib, io, os, sys
from deltactl.cli.app import main

def status(*args):
    try:
        return main(list(args))
    except SystemExit as exit_request:
        return exit_request.code

readable, (command, table, *options) = sys.argv[1], sys.argv[2:]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    assert not status(command, readable, *options)
    assert status(command, readable + ".missing", *options)
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid({NOBODY})
    os.setuid({NOBODY})
sys.exit(status(command, table, *options))
"""


@dataclass(frozen=True, slots=True)
class Result:
    """What a run of `deltactl` left behind."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def document(self) -> dict[str, Any]:
        """The JSON document on stdout; there must be exactly one."""
        document = json.loads(self.stdout)
        assert isinstance(document, dict)
        return document

    @property
    def error(self) -> dict[str, Any]:
        """The document's error; there must be one."""
        error = self.document["error"]
        assert isinstance(error, dict)
        return error

    @property
    def warning_codes(self) -> set[str]:
        """The codes of the document's warnings."""
        return {warning["code"] for warning in self.document["warnings"]}


def run(*args: str) -> Result:
    """Run `deltactl ARGS` in this process."""
    stdout, stderr = _text_stream(), _text_stream()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        try:
            status: object = main(list(args))
        except SystemExit as exit_request:
            status = exit_request.code
    assert status is None or isinstance(status, int), f"exit status {status!r}"
    return _no_traceback(Result(status or 0, _text_of(stdout), _text_of(stderr)))


def run_within(memory: int, *args: str) -> Result:
    """Run `deltactl ARGS` in a process that may address no more than `memory` bytes."""
    return _child(WITHIN_MEMORY, str(memory), *args)


def run_unprivileged(*args: str, readable: Path) -> Result:
    """Run `deltactl ARGS` without the rights of root, to which no file is closed.

    The interpreter may lie where only root can read, so the modules are loaded first, by the
    same command on the `readable` table and by one that fails.
    """
    return _child(UNPRIVILEGED, str(readable), *args)


def run_on_terminal(*args: str, width: int = 80) -> Result:
    """Run `deltactl ARGS` on a terminal; `stdout` is all that the terminal was sent."""
    controller, terminal = pty.openpty()
    environment = {**_environment(), "TERM": "xterm-256color", "COLUMNS": str(width)}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "deltactl", *args]
    with subprocess.Popen(
        command, stdin=terminal, stdout=terminal, stderr=terminal, env=environment
    ) as child:
        os.close(terminal)
        sent = b"".join(iter(lambda: _read_terminal(controller), b""))
    os.close(controller)
    return _no_traceback(Result(child.returncode, sent.decode(), sent.decode()))


def _child(script: str, *args: str) -> Result:
    """Run a Python script with these arguments."""
    child = subprocess.run(
        [sys.executable, "-c", script, *args],
        env=_environment(),
        capture_output=True,
        timeout=60,
        check=False,
    )
    return _no_traceback(Result(child.returncode, child.stdout.decode(), child.stderr.decode()))


def _read_terminal(controller: int) -> bytes:
    """The next bytes that the terminal was sent; none when the other end is closed."""
    try:
        return os.read(controller, 65536)
    except OSError:  # Linux reports the closed end as an input/output error
        return b""


def _environment() -> dict[str, str]:
    """This process's environment, with the repository importable from anywhere."""
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


def _text_stream() -> io.TextIOWrapper:
    """A stand-in for a terminal's stream, with the bytes behind it."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)


def _text_of(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


def _no_traceback(result: Result) -> Result:
    """The result, once it is sure that nothing in it is a traceback or a bug report."""
    assert "Traceback" not in result.stderr, result.stderr
    assert result.exit_code != 1, result.stderr or result.stdout
    return result
