"""`prune-type-changes --rewrite` killed at each of its phases: nothing is lost, and it goes on."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from local_session import OnSession
from old_files import check, pruning, write

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

TESTS = Path(__file__).parent.parent
PATIENCE = 60.0
FILES = 3  # each a batch, the second of which is that of the kill

# For each point of rewrite_kills.py: how many files are rewritten by then, and whether the columns
# have forgotten their old types.
LEFT = {
    "before a commit": ({1}, False),
    "during a commit": ({1, 2}, False),
    "after a commit": ({2}, False),
    "before the columns forget": ({FILES}, False),
    "after the columns forgot": ({FILES}, True),
}


def wait_for_the_end_of(process: int) -> None:
    """Wait until a process has ended that lost its parent."""
    end = time.monotonic() + PATIENCE
    with suppress(ProcessLookupError):
        while time.monotonic() < end:
            os.kill(process, 0)
            time.sleep(0.05)
        raise AssertionError("it goes on")


@pytest.mark.parametrize("point", LEFT)
def test_killed(on_spark: OnSession, tmp_path: Path, point: str) -> None:
    table, jvm = write(tmp_path / "table", FILES), tmp_path / "jvm"
    paths = [str(TESTS.parent), str(TESTS), os.environ.get("PYTHONPATH", "")]
    words = ["prune-type-changes", table, "--rewrite", "--batch", "1", "--yes"]
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("rewrite_kills.py"), point, jvm, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    wait_for_the_end_of(int(jvm.read_text(encoding="utf-8")))
    expected, forgotten = LEFT[point]
    rewritten = check(table, FILES, done=forgotten)
    assert rewritten in expected
    report = on_spark.change(table, pruning(batch=1))
    assert check(table, FILES, done=True) == FILES
    assert report.committed is not forgotten
    assert (report.rewritten.files if report.rewritten else 0) == FILES - rewritten
