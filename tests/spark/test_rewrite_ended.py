"""`prune-type-changes --rewrite` at the terminal, ended in the middle: what was done, and the rest.

Each file is a batch, so that there is a middle.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import spark_cluster
from full_tables import newest
from old_files import FILES, check, write

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

PATIENCE = 300.0
COMMAND = [sys.executable, "-m", "deltactl", "prune-type-changes"]
COMMAND += ["--rewrite", "--batch", "1", "--yes"]
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "table")


@contextmanager
def running(table: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """The command under way, which is gone when the block is left."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    child = subprocess.Popen(
        [*COMMAND, table, *words],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        if child.poll() is None:
            child.kill()
        child.wait()


def ended(table: Path, after: int, end: Callable[[int], None], *words: str) -> tuple[int, str]:
    """End the command once the table has the version `after`; its exit code, and what it said."""
    with running(table, *words) as child:
        limit = time.monotonic() + PATIENCE
        while newest(table) < after:
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < limit
            time.sleep(0.02)
        end(child.pid)
        _, said = child.communicate(timeout=PATIENCE)
        return child.returncode, said


def interrupt(pid: int) -> None:
    os.kill(pid, signal.SIGINT)


def kill_the_jvm(pid: int) -> None:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=True)
    [jvm] = map(int, found.stdout.split())
    os.kill(jvm, signal.SIGKILL)


def was(number: int) -> str:
    return "was" if number == 1 else "were"


def test_what_was_ended_is_gone_on_with(table: Path) -> None:
    code, said = ended(table, 1, interrupt)
    first = check(table, done=False)
    assert (code, 1 <= first < FILES) == (130, True), said
    versions = "version 1" if first == 1 else f"versions 1 to {first}"
    told = f"{first} of {FILES} files {was(first)} rewritten, as {versions}; run again to continue"
    assert f"error: interrupted; {told} [INTERRUPTED]\n" in said

    code, said = ended(table, newest(table) + 1, kill_the_jvm)
    second = check(table, done=False)
    assert (code, first < second < FILES) == (9, True), said
    more = second - first
    left = "file" if FILES - first == 1 else "files"
    assert f" {more} of {FILES - first} {left} {was(more)} rewritten, as version" in said
    errors = [line for line in said.splitlines() if line.startswith("error:")]
    assert len(errors) == 1

    with running(table) as child:
        out, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 0, said
    assert check(table, done=True) == FILES
    assert f"Rewrote {FILES - second} files. Committed as version {FILES + 1}.\n" in out
    assert f"note: Spark on this machine (local[*]), {FILES - second} files, " in said


def test_on_a_cluster_that_loses_a_worker(cache: Path, table: Path, tmp_path: Path) -> None:
    with spark_cluster.cluster(tmp_path / "cluster") as cluster:
        worker = cluster.workers[0].process

        def kill_a_worker(_: int) -> None:
            worker.kill()
            worker.wait()

        code, said = ended(table, 1, kill_a_worker, "--master", cluster.url)
    assert code == 0, said
    assert check(table, done=True) == FILES
    assert f"note: Spark on {cluster.url}, {FILES} files, " in said
