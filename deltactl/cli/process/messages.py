"""Messages for people, on stderr: errors, hints, warnings.

Each is one line; on a terminal it is wrapped at words.
"""

import contextlib
import os
import sys
from typing import Literal, TypeAlias

import click

from deltactl.cli.process.output import is_terminal
from deltactl.cli.render.visible import visible

Kind: TypeAlias = Literal["error", "hint", "warning", "note"]
LEAST_WIDTH = 40  # on narrower terminals wrapping would only make it worse
COLORS = {"error": "red", "hint": "cyan", "warning": "yellow", "note": "cyan"}


def say(kind: Kind, text: str, code: str | None = None, *, color: str = "auto") -> None:
    """Print `text`, with the code that `deltactl explain` knows.

    It has colours on a terminal, or `always`, or `never`.
    """
    head, said = f"{kind}:", f"{visible(text)}{f' [{code}]' if code else ''}"
    on_terminal = is_terminal(sys.stderr)
    # Commands in a hint can be copied as long as the terminal itself folds them.
    if on_terminal and (kind != "hint" or "deltactl " not in said):
        said = _wrapped(said, len(head) + 1)
    if color == "always" or (on_terminal and color == "auto"):
        head = click.style(head, fg=COLORS[kind], bold=True)
    say_raw(f"{head} {said}")


def _wrapped(text: str, indent: int) -> str:
    """Return the text in lines that fit the terminal, all but the first indented."""
    try:
        width = os.get_terminal_size(sys.stderr.fileno()).columns
    except (OSError, ValueError):
        return text
    if indent + len(text) <= width or width < LEAST_WIDTH:
        return text
    # Few commands have anything as long to say.
    import textwrap

    lines = textwrap.wrap(text, width - indent, break_long_words=False, break_on_hyphens=False)
    return f"\n{' ' * indent}".join(lines)


def say_raw(text: str) -> None:
    """Print `text` as it is. A stderr that is closed or full must not hide the exit code."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
