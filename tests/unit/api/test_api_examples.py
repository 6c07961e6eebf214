"""What docstrings of the public API show is what a program gets."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest
from small_tables import LEGACY, commit_info, field, metadata, write_log

import deltactl

PACKAGE = Path(deltactl.__file__).parent
FILES = [f for f in PACKAGE.glob("api/**/*.py") if f.stem != "__init__"]
MODULES = [".".join(f.relative_to(PACKAGE.parent).with_suffix("").parts) for f in FILES]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
EXAMPLES = [
    found
    for module in sorted({"deltactl", *MODULES})
    for found in doctest.DocTestFinder(exclude_empty=True).find(import_module(module))
    if found.examples
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_does_what_it_shows(
    example: doctest.DocTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "events").mkdir()
    columns = field("id", "integer"), field("amount", "integer")
    write_log(tmp_path / "events", [[commit_info(), LEGACY, metadata(*columns)]])
    example.globs = {"deltactl": deltactl}
    said: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=said.append)
    assert tried > 0
    assert not failed, "".join(said)


def test_examples_are_found() -> None:
    assert {example.name.rpartition(".")[2] for example in EXAMPLES} >= {
        "DeltaTable",
        "Reports",
        "apply",
        "find_tables",
        "open",
    }
