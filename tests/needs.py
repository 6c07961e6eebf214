"""What tests take that a machine may lack: a test is skipped without it, and fails in CI."""

import importlib.util
import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest


def do_without(said: str) -> NoReturn:
    """End the test for what `said` says is not here."""
    if os.environ.get("CI"):
        pytest.fail(said)
    pytest.skip(said)


def need_spark() -> None:
    """End the test where there is no PySpark, no Delta, or no Java."""
    if any(importlib.util.find_spec(name) is None for name in ("pyspark", "delta")):
        do_without("pyspark and delta-spark are not installed: they are in the extra [spark]")
    home = os.environ.get("JAVA_HOME")
    if not shutil.which("java", path=str(Path(home) / "bin") if home else None):
        do_without("there is no Java: set JAVA_HOME, or put java on the PATH")


def open_to_all(folder: Path) -> None:
    """Let every user enter `folder`, and those above it that pytest has made for this user only."""
    for above in (folder, *folder.parents):
        mode = above.stat().st_mode
        if mode & 0o055 != 0o055:
            above.chmod(mode | 0o055)
