"""The examples of the README: each `$` line of a console block, and what it prints.

Run as a program, it writes what the commands print now into the README:

    python tests/cli/readme_examples.py
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent.parent
README = REPOSITORY / "README.md"
HOME = "/home/ada"  # where the README's reader is
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What differs from run to run, from machine to machine, or with the version of pyarrow.
VARYING = [
    (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z"), "TIME"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "ID"),
    (re.compile(r'"bytes":\d+'), '"bytes":0'),
    (re.compile(r"\d[\d.]* [KM]?i?B\b"), "SIZE"),
    (re.compile(r"deltactl/\d+\.\d+\.\d+\S*"), "deltactl/VERSION"),
    (re.compile(r" {2,}"), "  "),
]


class Example(NamedTuple):
    """A line that a reader can type, and the lines that follow it."""

    command: str
    output: str


def examples(text: str) -> list[Example]:
    """Return the examples of a README, in order."""
    return [example for block in BLOCK.findall(text) for example in _of_block(block)]


def output_of(command: str, folder: Path) -> str:
    """Return what bash prints for `command` in `folder`, which stands for the reader's home."""
    done = subprocess.run(
        ["bash", "-c", f'deltactl() {{ "{sys.executable}" -m deltactl "$@"; }}; {command}'],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(REPOSITORY),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
        },
    )
    return done.stdout.replace(str(folder), HOME)


def normalised(output: str) -> list[str]:
    """Return the lines of `output` without what varies."""
    for varying, word in VARYING:
        output = varying.sub(word, output)
    return [line.rstrip() for line in output.splitlines()]


def _of_block(block: str) -> Iterator[Example]:
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield Example(command, output)


def _current(text: str, folder: Path) -> str:
    def rewritten(block: re.Match[str]) -> str:
        parts = (f"$ {e.command}\n{output_of(e.command, folder)}" for e in _of_block(block[1]))
        return f"```console\n{''.join(parts)}```"

    return BLOCK.sub(rewritten, text)


def main() -> None:
    """Write the README again, with a demo table of its own."""
    with TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        output_of("deltactl demo", home)
        README.write_text(_current(README.read_text("utf-8"), home), "utf-8")


if __name__ == "__main__":
    main()
