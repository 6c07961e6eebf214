"""The map of the code is true: its names exist, and its walks are what the commands do."""

import re
import shutil
import sys
import threading
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType

import pytest
from in_process import say

REPOSITORY = Path(__file__).parent.parent.parent
PACKAGE = REPOSITORY / "deltactl"
MAP = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
GOLDEN = REPOSITORY / "tests/golden"

NAME = re.compile(r"`([a-z_]+(?:\.[a-z_0-9]+)*):([A-Za-z_]+(?:\.[A-Za-z_]+)*)`")
PLACE = re.compile(r"`((?:deltactl|tests|docs)/[^` ]+)`")
# Folders with more modules than this have a reason on the page.
DOZEN = 12


def section(title: str) -> str:
    """The text below a heading, up to the next one of its kind."""
    level = title.split(" ")[0]
    _, found, rest = MAP.partition(f"\n{title}\n")
    assert found, f"no section {title!r}"
    return re.split(rf"\n#{{1,{len(level)}}} ", rest)[0]


def rows(title: str) -> list[str]:
    """The first column of the section's table, without backticks."""
    lines = [line for line in section(title).splitlines() if line.startswith("| ")]
    return [line.split("|")[1].strip().strip("`") for line in lines[1:]]


def names(text: str) -> list[tuple[str, str]]:
    found = NAME.findall(text)
    assert found
    return found


@pytest.mark.parametrize(("module", "name"), sorted(set(names(MAP))))
def test_each_name_exists(module: str, name: str) -> None:
    found = import_module(f"deltactl.{module}")
    for part in name.split("."):
        found = getattr(found, part)


@pytest.mark.parametrize("place", sorted(set(PLACE.findall(MAP))))
def test_each_file_and_folder_exists(place: str) -> None:
    assert (REPOSITORY / place).exists()


def test_the_floors_are_those_of_the_contract() -> None:
    contracts = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [part for line in contracts["contracts"][0]["layers"] for part in line.split(" | ")]
    assert rows("## Floors")[: len(layers)] == [layer.removeprefix("deltactl.") for layer in layers]


def test_folders_with_more_than_a_dozen_modules_have_a_reason() -> None:
    folders = [PACKAGE, *(path for path in PACKAGE.rglob("*") if path.is_dir())]
    modules = {
        str(folder.relative_to(REPOSITORY)): [m for m in folder.glob("*.py") if m.stem[0] != "_"]
        for folder in folders
    }
    large = [folder for folder, found in sorted(modules.items()) if len(found) > DOZEN]
    assert rows("### Folders with more than a dozen modules") == large


@pytest.mark.parametrize(("room", "product", "least"), [("unit", ".", 30), ("cli", "cli", 12)])
def test_the_folders_of_tests_are_those_of_the_product(room: str, product: str, least: int) -> None:
    tests = REPOSITORY / "tests" / room
    folders = {path.parent.relative_to(tests) for path in tests.rglob("test_*.py")}
    assert len(folders) > least
    assert [str(f) for f in sorted(folders) if not (PACKAGE / product / f).is_dir()] == []


@contextmanager
def calls() -> Iterator[set[tuple[str, str]]]:
    """The functions of the package that are called meanwhile, by module and qualified name."""
    found: set[tuple[str, str]] = set()
    root = f"{PACKAGE}/"

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(root):
            module = code.co_filename.removeprefix(root).removesuffix(".py").replace("/", ".")
            found.add((module, code.co_qualname))

    before: Callable[..., object] | None = sys.getprofile()
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("title", "table", "arguments"),
    [
        ("widen", "crc_good", ["widen", "TABLE", "id", "long", "--enable", "--yes"]),
        ("show", "tw_kitchen_sink", ["show", "TABLE"]),
        ("verify-checksum", "tw_kitchen_sink", ["verify-checksum", "TABLE", "--data"]),
    ],
)
def test_a_command_calls_what_its_walk_names(
    tmp_path: Path, title: str, table: str, arguments: list[str]
) -> None:
    own = str(tmp_path / "t")
    shutil.copytree(GOLDEN / table / "delta", own)
    with calls() as found:
        said = say([own if word == "TABLE" else word for word in [*arguments, "-o", "json"]])
    assert "error" not in said.document
    walk = section(f"## Walk: `deltactl {title}`").partition("\nWith `--repair`")[0]
    # A class is called by the name of its `__init__`, if it has one.
    made = {(module, name.removesuffix(".__init__")) for module, name in found}
    assert [name for name in names(walk) if name not in found | made] == []


def test_prune_type_changes_with_rewrite_is_walked() -> None:
    walk = section("## Walk: `deltactl prune-type-changes --rewrite`")
    assert ("spark.jobs.rewrite", "run") in names(walk)
