"""`verify-checksum` of what takes long: a bar on a terminal, and Ctrl-C at any moment."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import LEGACY, commit_info, field, metadata, write_log

import deltactl

pytestmark = pytest.mark.faults

REPOSITORY = Path(deltactl.__file__).parent.parent
ENOUGH = 60.0
AT_ONCE = 3.0  # a second, and what a machine with other things to do makes of that
CTRL_C = b"\x03"


def add(name: str, size: int) -> dict[str, object]:
    body = {"path": name, "partitionValues": {}, "size": size, "modificationTime": 1767322800000}
    return {"add": {**body, "dataChange": True}}


@pytest.fixture(scope="module")
def long_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 6,000 commits, all but the first of which are one file with many names."""
    root = tmp_path_factory.mktemp("long") / "table"
    root.mkdir()
    adds = [add(f"part-{number}.parquet", 1) for number in range(20)]
    write_log(root, [[commit_info(), LEGACY, metadata(field("id", "long"))], adds])
    log = root / "_delta_log"
    for version in range(2, 6_000):
        os.link(log / f"{1:020d}.json", log / f"{version:020d}.json")
    return root


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of 30,000 data files, which are one file with many names."""
    root = tmp_path_factory.mktemp("many") / "table"
    root.mkdir()
    one = root / "part-0.parquet"
    pq.write_table(pa.table({"id": pa.array([1], pa.int64())}), one)
    names = ["part-0.parquet", *(f"part-{number}.parquet" for number in range(1, 30_000))]
    for name in names[1:]:
        os.link(one, root / name)
    size = one.stat().st_size
    heads = [commit_info(), LEGACY, metadata(field("id", "long"))]
    write_log(root, [heads, [add(name, size) for name in names]])
    return root


def interrupted(table: Path, option: str, after: bytes | float) -> tuple[int, str, float]:
    """Run it on a terminal, and press Ctrl-C once it has shown `after`, or after so many seconds.

    The exit code, what it showed, and how long it went on.
    """
    controller, terminal = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "deltactl", "verify-checksum", str(table), option],
        stdin=terminal,
        stdout=subprocess.DEVNULL,
        stderr=terminal,
        start_new_session=True,
        preexec_fn=_take_terminal,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "TERM": "xterm", "NO_COLOR": "1"},
    ) as child:
        os.close(terminal)
        shown, start, pressed = b"", time.monotonic(), 0.0
        while (now := time.monotonic()) < start + ENOUGH:
            is_time = after in shown if isinstance(after, bytes) else now - start >= after
            if is_time and not pressed:
                pressed = now
                os.write(controller, CTRL_C)
            if select.select([controller], [], [], 0.05)[0]:
                try:
                    shown += os.read(controller, 65536)
                except OSError:  # Linux says so of a terminal that nobody writes to any more
                    break
        else:
            child.kill()
    took = time.monotonic() - pressed
    os.close(controller)
    assert pressed, shown
    return child.returncode, shown.decode(), took


def _take_terminal() -> None:
    """Have the terminal send its Ctrl-C to this process."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.parametrize("option", ["--all", "--data"])
@pytest.mark.parametrize("after", [b"verifying", 0.5, 2.0], ids=["bar", "early", "later"])
def test_ctrl_c(option: str, after: bytes | float, long_log: Path, many_files: Path) -> None:
    table = long_log if option == "--all" else many_files
    code, shown, took = interrupted(table, option, after)
    assert code == 130, shown
    # What was there before it was the bar, which is gone.
    assert (
        shown.rpartition("\x1b[2K")[2].removeprefix("^C") == "error: interrupted [INTERRUPTED]\r\n"
    )
    assert shown.count("error") == 1
    assert took < AT_ONCE
