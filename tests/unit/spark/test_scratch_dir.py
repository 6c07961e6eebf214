"""The temporary folder of a run of Spark, and those of runs that were killed."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deltactl.errors import StorageError
from deltactl.spark.scratch_dir import ScratchDir

ROOT = Path(__file__).parent.parent.parent.parent
RUN = """
import sys
from deltactl.errors import StorageError
from deltactl.spark.scratch_dir import ScratchDir

print(ScratchDir().folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@contextmanager
def a_run(temporary: Path) -> Iterator[tuple[Path, "subprocess.Popen[str]"]]:
    """Another process with a folder of its own."""
    child = subprocess.Popen(
        [sys.executable, "-c", RUN],
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with child:
        assert child.stdout is not None
        try:
            yield Path(child.stdout.readline().strip()), child
        finally:
            child.kill()


def test_it_is_gone_at_the_end_but_for_a_log_that_is_kept(temporary: Path) -> None:
    ScratchDir().close()
    assert list(temporary.iterdir()) == []
    kept = ScratchDir()
    kept.settings.write_text("x=y")
    kept.keep_log()
    kept.close()
    assert list(temporary.rglob("*")) == [kept.folder, kept.log]
    ScratchDir().close()
    assert list(temporary.rglob("*")) == [kept.folder, kept.log]


def test_what_a_run_left_that_was_killed_is_cleared_by_the_next(temporary: Path) -> None:
    with a_run(temporary) as (folder, child):
        (folder / "scratch" / "half").write_text("half")
        ScratchDir().close()
        assert (folder / "scratch" / "half").exists(), "the run goes on"
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        assert folder.exists()
    ScratchDir().close()
    assert list(temporary.iterdir()) == []


def test_what_is_not_surely_of_a_dead_run_stays(temporary: Path) -> None:
    (temporary / "other").mkdir()
    (temporary / "other" / "in-use").touch()
    (temporary / "deltactl-spark-link").symlink_to(temporary / "other")
    (temporary / "deltactl-spark-begun").mkdir()
    (temporary / "deltactl-spark-begun" / "in-use.new").touch()
    before = sorted(temporary.rglob("*"))
    ScratchDir().close()
    assert sorted(temporary.rglob("*")) == before


def test_a_log_of_the_users_stays_and_is_added_to(temporary: Path, tmp_path: Path) -> None:
    log = tmp_path / "mine.log"
    log.write_text("before\n", encoding="utf-8")
    place = ScratchDir(str(log))
    assert f"fileName = {log}" in place.log4j.read_text(encoding="utf-8")
    place.keep_log()
    place.close()
    assert log.read_text(encoding="utf-8") == "before\n"
    assert list(tmp_path.glob("deltactl-spark-*")) == []
    with pytest.raises(StorageError) as caught:
        ScratchDir(str(tmp_path / "none" / "mine.log"))
    assert (caught.value.code, caught.value.exit_code) == ("SPARK_LOG_FAILED", 8)
    assert list(tmp_path.glob("deltactl-spark-*")) == []
