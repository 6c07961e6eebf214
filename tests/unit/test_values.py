"""Values are read by their names; that some of them are tuples, which load faster, is not used."""

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from in_process import say

from deltactl.cli import reference
from deltactl.log.filenames import LogFile

REPOSITORY = Path(__file__).parent.parent.parent
PACKAGE = f"{REPOSITORY / 'deltactl'}/"
GOLDEN = REPOSITORY / "tests/golden"
COMMANDS = """
show TABLE
history TABLE
files TABLE
schema show TABLE
schema check TABLE
log TABLE
log cat TABLE 1
protocol show TABLE
property list TABLE
constraint list TABLE
verify-checksum TABLE --all --data
prune-type-changes TABLE --dry-run
widen TABLE id long --dry-run
column drop TABLE id --enable --dry-run
column rename TABLE id other --enable --yes
checkpoint TABLE
verify-checksum TABLE --all
""".strip().splitlines()
# How a tuple is used as one; equality counts with values of other kinds only.
USES = ("__iter__", "__getitem__", "__lt__", "__add__", "__contains__")


def values() -> list[type[tuple[Any, ...]]]:
    """Return the values of the package that are tuples with names."""
    found = {
        member
        for name, module in sys.modules.items()
        if name.startswith("deltactl") and module is not None
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, tuple)
    }
    return [kind for kind in found if hasattr(kind, "_fields") and "deltactl" in kind.__module__]


@contextmanager
def watched() -> Iterator[set[str]]:
    """Note, in the set, where the package uses a value as a tuple."""
    seen: set[str] = set()

    def noting(kind: type[tuple[Any, ...]], use: str) -> Callable[..., Any]:
        own = getattr(tuple, use)

        def used(self: tuple[Any, ...], *args: Any) -> Any:
            is_equal = use in ("__eq__", "__ne__")
            if not is_equal or (isinstance(args[0], tuple) and type(args[0]) is not kind):
                caller = sys._getframe(1).f_code.co_filename
                if caller.startswith(PACKAGE):
                    seen.add(f"{caller.removeprefix(PACKAGE)}: {use} of {kind.__name__}")
            return own(self, *args)

        return used

    with ExitStack() as stack:
        for kind in values():
            for use in (*USES, "__eq__", "__ne__"):
                if use not in vars(kind):
                    stack.enter_context(patch.object(kind, use, noting(kind, use)))
            if "__hash__" not in vars(kind):
                stack.enter_context(patch.object(kind, "__hash__", tuple.__hash__))
        yield seen


def test_the_watch_sees_each_use() -> None:
    file = LogFile("00000000000000000000.json", 1, 2)
    with watched() as seen, patch(f"{__name__}.PACKAGE", f"{Path(__file__).parent}/"):
        name, _, _ = file
        assert (name, file == file._replace(size=1)) == (file.name, True)
        assert file == tuple(file)
    assert seen == {"test_values.py: __iter__ of LogFile", "test_values.py: __eq__ of LogFile"}


@pytest.mark.parametrize("name", ["tw_integers_floats", "v2_checkpoint_parquet_sidecars"])
def test_no_value_is_used_as_a_tuple(name: str, tmp_path: Path) -> None:
    list(reference.contexts())  # imports every command
    table = shutil.copytree(GOLDEN / name / "delta", tmp_path / name)
    with watched() as seen:
        for command in COMMANDS:
            words = (str(table) if word == "TABLE" else word for word in command.split())
            say([*words, "-o", "json"])
    assert sorted(seen) == []
