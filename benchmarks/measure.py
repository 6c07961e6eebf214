"""Run commands as whole processes, in turn, and account for the CPU and memory of each.

The operating system counts for a child that has ended: user and system seconds of all its threads,
and the largest memory it held. Nothing here may use much memory itself: Linux counts the parent's
peak at the start of a child as the child's.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

REPOSITORY = Path(__file__).resolve().parent.parent
MAXRSS_PER_MIB = 2**20 if sys.platform == "darwin" else 2**10  # bytes there, KiB elsewhere

Command = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """What one run, or the median of several, has cost."""

    cpu_seconds: float
    mib: float
    wall_seconds: float


def measure(
    commands: Iterable[Command],
    rounds: int,
    afterwards: Mapping[Command, Callable[[], None]] | None = None,
    timed_inside: Container[Command] = (),
) -> dict[Command, Usage]:
    """Return the medians of `rounds` runs of each command.

    Each round runs all commands once, in their order, so that what slows the machine down for a
    while slows all of them. A round before these warms the page cache and is not counted. What
    stands in `afterwards` is called after each run of its command. Those `timed_inside` print the
    seconds that their job took, which count as their wall time.
    """
    distinct = list(dict.fromkeys(commands))
    samples: dict[Command, list[Usage]] = {command: [] for command in distinct}
    for number in range(rounds + 1):
        for command in distinct:
            usage = _run_timed(command) if command in timed_inside else run(command)
            if afterwards is not None and command in afterwards:
                afterwards[command]()
            if number > 0:
                samples[command].append(usage)
        print(f"round {number} of {rounds} done", file=sys.stderr)
    return {command: _median(usages) for command, usages in samples.items()}


def run(command: Command, output: IO[bytes] | int = subprocess.DEVNULL) -> Usage:
    """Run `command` to its end with its stdout going to `output`; end this program if it fails."""
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=_environment()
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            message = errors.read().decode(errors="replace")
            sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{message}")
    return Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / MAXRSS_PER_MIB, wall)


def _run_timed(command: Command) -> Usage:
    with tempfile.TemporaryFile() as output:
        usage = run(command, output)
        output.seek(0)
        return replace(usage, wall_seconds=json.load(output)["seconds"])


def deltactl(*arguments: str) -> Command:
    return (sys.executable, "-m", "deltactl", *arguments)


def script(module: str, *arguments: str) -> Command:
    """Return the command that runs a module of this package."""
    return (sys.executable, "-m", f"benchmarks.{module}", *arguments)


def _environment() -> dict[str, str]:
    """Return this environment with this repository, without the user's settings of deltactl.

    With PYTHONDONTWRITEBYTECODE every run would compile our sources, but not those of others.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("DELTACTL_") and name != "PYTHONDONTWRITEBYTECODE"
    }
    return {**kept, "PYTHONPATH": str(REPOSITORY)}


def _median(usages: list[Usage]) -> Usage:
    return Usage(
        statistics.median(usage.cpu_seconds for usage in usages),
        statistics.median(usage.mib for usage in usages),
        statistics.median(usage.wall_seconds for usage in usages),
    )
