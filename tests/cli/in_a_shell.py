"""Command lines of a real shell, with pipes and redirections."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
# Linux has it, macOS does not.
needs_dev_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="this system has no /dev/full"
)


def shell(command: str) -> subprocess.CompletedProcess[str]:
    """Run the line in bash, in which `deltactl` is the program of this checkout."""
    return subprocess.run(
        ["bash", "-c", f'deltactl() {{ {sys.executable} -m deltactl "$@"; }}; {command}'],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
