"""Make the picture of the README: what deltactl really prints on a terminal.

Each command runs in a pseudo-terminal, on a fresh demo table, and rich draws what it printed.

    python docs/make_picture.py
"""

import fcntl
import io
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).resolve().parent
PICTURE = DOCS / "terminal.svg"
WIDTH, HEIGHT = 112, 60
HOME = "/lake"  # what stands for the folder in which the commands run
COMMANDS = (
    "history ./deltactl-demo",
    "diff ./deltactl-demo 0",
    "widen ./deltactl-demo id decimal(20,0) --dry-run",
    "files ./deltactl-demo --physical amount",
)


def main() -> None:
    """Draw the commands and their output, one below the other."""
    canvas = Console(
        record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, highlight=False
    )
    with TemporaryDirectory() as made:
        folder = str(Path(made).resolve())
        printed("demo -o json", folder)
        for position, command in enumerate(COMMANDS):
            line = Text.assemble(("$ ", "dim"), (f"deltactl {_quoted(command)}", "bold green"))
            canvas.print(Text("\n") + line if position else line)
            canvas.print(Text.from_ansi(printed(command, folder)))
    # A fixed id: the picture changes only where the output does.
    canvas.save_svg(str(PICTURE), title="deltactl", unique_id="deltactl")


def printed(command: str, folder: str) -> str:
    """Return what the command prints on a terminal, colours and all."""
    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(DOCS.parent),
        "HOME": folder,
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "deltactl", *command.split()],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=terminal,
        cwd=folder,
        env=environment,
    )
    os.close(terminal)
    output = b"".join(iter(lambda: _read(controller), b""))
    os.close(controller)
    if child.wait() != 0:
        raise RuntimeError(f"deltactl {command}: {output.decode()}")
    return output.decode().replace("\r\n", "\n").replace(folder, HOME).rstrip("\n")


def _quoted(command: str) -> str:
    """Return the command as a shell wants it."""
    return " ".join(f'"{word}"' if "(" in word else word for word in command.split())


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:
        return b""  # Linux says EIO where the other side is closed.


if __name__ == "__main__":
    main()
