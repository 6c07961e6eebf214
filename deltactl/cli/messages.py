"""Messages for people, on stderr: errors, hints, warnings; each on one line."""

import contextlib
import sys
from typing import Literal, TypeAlias

import click

from deltactl.cli.output import is_terminal
from deltactl.cli.render.visible import visible

Kind: TypeAlias = Literal["error", "hint", "warning", "note"]
COLORS = {"error": "red", "hint": "cyan", "warning": "yellow", "note": "cyan"}


def say(kind: Kind, text: str, code: str | None = None, *, color: bool = True) -> None:
    """Print `text`, with the code that `deltactl explain` knows; colours on a terminal only."""
    head = f"{kind}:"
    if color and is_terminal(sys.stderr):
        head = click.style(head, fg=COLORS[kind], bold=True)
    say_raw(f"{head} {visible(text)}{f' [{code}]' if code else ''}")


def say_raw(text: str) -> None:
    """Print `text` as it is. A stderr that is closed or full must not hide the exit code."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
