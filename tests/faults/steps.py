"""Operations of the local store, taken apart into their calls of the system.

Run as a program, `steps.py OPERATION ROOT STEP WHEN` carries out the operation and is killed there.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from deltactl.storage.local import local, regular_file
from deltactl.storage.local.local import LocalStorage

NAME = "_delta_log/00000000000000000003.json"
SIDE_FILE = "_delta_log/.00000000000000000003.json.crc"
ASIDE = "_delta_log/00000000000000000003.json.bad"
OLD, NEW = b"the old content\n", b"the new content, every byte of it\n" * 4096
# Those that leave something behind on disk, with `write`; and those that only look.
WRITING = {"makedirs", "fchown", "fsync", "unlink", "link", "replace"}
CALLS = WRITING | {"open", "close", "stat", "fstat", "listdir", "pread"}

NEVER = -1  # the number of no step

At = Callable[[int, str], None]


class Steps:
    """Stands for the module `os`, and tells `before` and `after` of every step."""

    def __init__(self, before: At, after: At) -> None:
        self.taken: list[str] = []
        self._before, self._after = before, after

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        if name not in CALLS:
            return real

        def call(*args: Any, **kwargs: Any) -> Any:
            step = self._take(name)
            self._before(step, name)
            try:
                return real(*args, **kwargs)
            finally:
                self._after(step, name)

        return call

    def write(self, file: BinaryIO, data: bytes) -> None:
        """Write in two halves: between them the file is neither empty nor whole."""
        step = self._take("write")
        self._before(step, "write")
        file.write(data[: len(data) // 2])
        file.flush()
        self._after(step, "write")
        file.write(data[len(data) // 2 :])

    def _take(self, name: str) -> int:
        self.taken.append(name)
        return len(self.taken) - 1


def prepare(operation: str, root: Path) -> None:
    """Lay out what the operation finds."""
    (root / "_delta_log").mkdir(parents=True)
    (root / SIDE_FILE).write_bytes(b"crc\0")
    (root / "source").write_bytes(NEW)
    if operation in ("put", "move"):
        (root / NAME).write_bytes(OLD)


def carry_out(operation: str, root: Path) -> str | None:
    """Carry the operation out; None for one that has no outcome."""
    store = LocalStorage(str(root))
    match operation:
        case "put_if_absent":
            return store.put_if_absent(NAME, NEW)
        case "put_file_if_absent":
            return store.put_file_if_absent(NAME, str(root / "source"))
        case "put":
            store.put(NAME, NEW)
            return None
        case "move":
            return store.move(NAME, ASIDE)
    raise ValueError(operation)


def steps_of(operation: str, root: Path) -> list[str]:
    """The names of the steps that the operation takes."""
    prepare(operation, root)
    steps = Steps(_nothing, _nothing)
    _watched(steps, operation, root)
    return steps.taken


def fail_at(operation: str, root: Path, failing: int, number: int) -> str | None:
    """Carry the operation out while one step fails with the error `number`."""

    def fail(step: int, name: str) -> None:
        if step == failing:
            raise OSError(number, os.strerror(number), name)

    return _watched(Steps(fail, _nothing), operation, root)


def killing(last: int, when: str) -> Steps:
    """Steps of which one is the last that this process takes: it is killed before or after it."""

    def kill(step: int, name: str) -> None:
        if step == last:
            os.kill(os.getpid(), signal.SIGKILL)

    return Steps(kill, _nothing) if when == "before" else Steps(_nothing, kill)


@contextmanager
def watching(steps: Steps) -> Iterator[None]:
    """Have every local store take its steps through `steps`."""
    module, opening = vars(local), vars(regular_file)
    real = {name: module[name] for name in ("os", "_write")}
    module.update(os=steps, _write=steps.write)
    opening.update(os=steps)
    try:
        yield
    finally:
        module.update(real)
        opening.update(os=real["os"])


def _watched(steps: Steps, operation: str, root: Path) -> str | None:
    with watching(steps):
        return carry_out(operation, root)


def _nothing(step: int, name: str) -> None:
    pass


def _main(operation: str, root: str, at: str, when: str) -> None:
    _watched(killing(int(at), when), operation, Path(root))


if __name__ == "__main__":
    _main(*sys.argv[1:])
