"""Whatever a log holds, a command answers or says what is wrong: no bug, no hang, no flood.

Its answer is that of a replay that shares no code with it. What it writes changes no file that is
in the log. DELTACTL_FUZZ_CASES: how many logs; DELTACTL_FUZZ_SEED: the
first seed (each case has its own). `soak.py` makes a million runs; `corpus/` has the cases that
once failed.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from pool import Worker

pytestmark = pytest.mark.fuzz

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.json"))
CASES = int(os.environ.get("DELTACTL_FUZZ_CASES", "200"))
SEED = int(os.environ.get("DELTACTL_FUZZ_SEED", "1"))
BATCH = 20


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    started = Worker()
    yield started
    started.stop()


@pytest.mark.parametrize("first", range(SEED, SEED + CASES, BATCH))
def test_no_log_makes_a_command_fail_without_a_reason(first: int, worker: Worker) -> None:
    problems = []
    for seed in range(first, min(first + BATCH, SEED + CASES)):
        answer = worker.ask(seed)
        assert answer["runs"] > 0
        if answer["found"]:
            problems.append(json.dumps({"seed": seed, **answer})[:4000])
    again = "run one again with DELTACTL_FUZZ_CASES=1 DELTACTL_FUZZ_SEED=<its seed>"
    assert not problems, "\n".join([again, *problems])


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_what_failed_once(file: Path, worker: Worker) -> None:
    answer = worker.ask(json.loads(file.read_text()))
    assert answer["runs"] > 0
    assert answer["found"] == []


def test_there_are_cases() -> None:
    assert CORPUS
    assert CASES > 0
