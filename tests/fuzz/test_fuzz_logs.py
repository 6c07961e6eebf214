"""Whatever a log holds, a command answers or says what is wrong: no traceback, no hang, no flood.

DELTACTL_FUZZ_CASES: how many logs; DELTACTL_FUZZ_SEED: the first seed (each case has its own).
"""

import json
import os
import random
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from mutations import Files, mutate

pytestmark = pytest.mark.fuzz

TESTS = Path(__file__).parent.parent
GOLDEN = sorted((TESTS / "golden").glob("*/delta/_delta_log"))
CASES = int(os.environ.get("DELTACTL_FUZZ_CASES", "300"))
SEED = int(os.environ.get("DELTACTL_FUZZ_SEED", "1"))
BATCH = 20
SECONDS = 20
PEAK_KILOBYTES = 700_000

COMMANDS = [
    ["show", "TABLE", "--rows"],
    ["show", "TABLE", "--at", "1"],
    ["history", "TABLE"],
    ["schema", "show", "TABLE"],
    ["schema", "diff", "TABLE", "0"],
    ["protocol", "show", "TABLE"],
    ["files", "TABLE"],
    ["log", "TABLE"],
    ["log", "cat", "TABLE", "1"],
]
OUTPUTS = ["json", "json", "text", "ndjson"]


class Worker:
    """A process that runs commands, and is replaced when one of them kills or hangs it."""

    def __init__(self) -> None:
        self._process = self._start()

    def ask(self, args: list[str]) -> str | None:
        """Run `deltactl ARGS`; what is wrong with how it ended, or None."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(args) + "\n")
        self._process.stdin.flush()
        # Not `select`: in a long run of tests the descriptor may be a large number.
        poll = select.poll()
        poll.register(self._process.stdout, select.POLLIN)
        ready = poll.poll(SECONDS * 1000)
        line = self._process.stdout.readline() if ready else ""
        if not line:
            self.stop()
            ended = f"the process died: {self._process.returncode}"
            self._process = self._start()
            return ended if ready else f"no answer in {SECONDS} s"
        answer = json.loads(line)
        if answer["peak"] > PEAK_KILOBYTES:
            self.stop()
            self._process = self._start()
            return f"{answer['peak']} KiB of memory"
        problem: str | None = answer["problem"]
        return problem

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()

    def _start(self) -> subprocess.Popen[str]:
        path = os.pathsep.join([str(TESTS.parent), str(TESTS / "acceptance")])
        return subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "worker.py")],
            env={**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    started = Worker()
    yield started
    started.stop()


def read(log: Path) -> Files:
    paths = (path for path in sorted(log.rglob("*")) if path.is_file())
    return {str(path.relative_to(log)): path.read_bytes() for path in paths}


def write(files: Files, log: Path) -> None:
    """Write the files that can be there together."""
    log.mkdir(parents=True)
    for name, data in files.items():
        path = log / name
        if not any(p.is_file() for p in path.parents) and not path.is_dir():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)


@pytest.fixture(scope="module")
def logs() -> dict[str, Files]:
    return {log.parent.parent.name: read(log) for log in GOLDEN}


@pytest.mark.parametrize("first", range(SEED, SEED + CASES, BATCH))
def test_no_log_makes_a_command_fail_without_a_reason(
    first: int, worker: Worker, logs: dict[str, Files], tmp_path: Path
) -> None:
    problems = []
    for seed in range(first, min(first + BATCH, SEED + CASES)):
        rng = random.Random(seed)
        name = rng.choice(sorted(logs))
        files = dict(logs[name])
        done = mutate(files, rng)
        table = tmp_path / f"{seed}"
        write(files, table / "_delta_log")
        for command in COMMANDS:
            args = [str(table) if word == "TABLE" else word for word in command]
            args += ["-o", rng.choice(OUTPUTS)]
            if problem := worker.ask(args):
                text = f"seed {seed}, {name}, {'; '.join(done)}\n  {' '.join(args)}: {problem}"
                problems.append(text)
    again = "run one again with DELTACTL_FUZZ_CASES=1 DELTACTL_FUZZ_SEED=<its seed>"
    assert not problems, "\n".join([again, *problems])


def test_there_are_logs_to_damage() -> None:
    assert len(GOLDEN) > 20
    assert CASES > 0
