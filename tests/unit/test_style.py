"""The rules of the house that no linter knows."""

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
PACKAGE = REPOSITORY / "deltactl"
GOLDEN = REPOSITORY / "tests/golden"
MODULES = sorted(PACKAGE.rglob("*.py"))
PURE = [
    m
    for m in MODULES
    if m.relative_to(PACKAGE).parts[0] in ("errors.py", "findings.py", "text", "spec", "sql", "log")
]

# What the pure floors may not have: the disk, the network, the clock, chance, the terminal.
IMPURE = {
    "asyncio", "click", "fcntl", "ftplib", "getpass", "glob", "http", "io", "locale", "logging",
    "multiprocessing", "obstore", "os", "pathlib", "platform", "random", "requests", "rich",
    "secrets", "shutil", "signal", "socket", "ssl", "subprocess", "sys", "tempfile", "threading",
    "time", "uuid", "pyarrow.csv", "pyarrow.dataset", "pyarrow.feather", "pyarrow.flight",
    "pyarrow.fs", "pyarrow.json", "pyarrow.orc", "pyarrow.parquet", "pyspark", "urllib.request",
}  # fmt: skip
IMPURE_CALLS = {"open", "print", "input", "exec", "eval", "breakpoint"}
CLOCKS = {"now", "today", "utcnow"}

LONGEST_FILE = 420
LONGEST_FUNCTION = 60
# Tables of data, one row each: they are as long as there are rows.
DATA = {"spec/protocol/features.py", "spec/properties/registry.py"}


def name(module: Path) -> str:
    return str(module.relative_to(PACKAGE))


@cache
def tree(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"), str(module))


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports, with the names it takes from them."""
    match node:
        case ast.Import(names):
            return [alias.name for alias in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [module, *(f"{module}.{alias.name}" for alias in names)]
        case _:
            return []


def functions(module: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_the_package_is_found() -> None:
    assert len(MODULES) > 40
    assert len(PURE) > 10


@pytest.mark.parametrize("module", PURE, ids=name)
def test_the_pure_floors_import_nothing_impure(module: Path) -> None:
    found = [name for node in ast.walk(tree(module)) for name in imported(node)]
    parts = {".".join(n.split(".")[:length]) for n in found for length in (1, 2)}
    assert parts & IMPURE == set()


@pytest.mark.parametrize("module", PURE, ids=name)
def test_the_pure_floors_call_nothing_impure(module: Path) -> None:
    calls = [node.func for node in ast.walk(tree(module)) if isinstance(node, ast.Call)]
    names = {call.id for call in calls if isinstance(call, ast.Name)}
    attributes = {call.attr for call in calls if isinstance(call, ast.Attribute)}
    assert names & IMPURE_CALLS == set()
    assert attributes & CLOCKS == set()


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_no_function_imports_our_own_package(module: Path) -> None:
    for function in functions(module):
        found = [name for node in ast.walk(function) for name in imported(node)]
        assert [n for n in found if n.split(".")[0] == "deltactl"] == [], function.name


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_file_fits_in_the_head_and_a_function_on_a_screen(module: Path) -> None:
    if name(module) not in DATA:
        assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE
    for function in functions(module):
        assert function.end_lineno is not None
        assert function.end_lineno - function.lineno < LONGEST_FUNCTION, function.name


def test_the_long_tables_are_still_there() -> None:
    assert {name(m) for m in MODULES} >= DATA


# Where names that Delta reserves are spelt out: once as constants, and in tables of one row each.
SPELT_OUT = {*DATA, "spec/keys.py", "spec/protocol/clients.py"}
RESERVED = re.compile(
    r"['\"]?delta\.[a-z_]|CURRENT_DEFAULT$|__CHAR_VARCHAR_TYPE_STRING$|__COLLATIONS$"
)


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_name_that_delta_reserves_is_spelt_in_one_place(module: Path) -> None:
    if name(module) in SPELT_OUT or name(module).startswith("explanations/"):
        return
    assert [text for text in texts(module) if RESERVED.match(text)] == []


def texts(module: Path) -> Iterator[str]:
    """The strings of a module, bytes among them, without its docstrings."""
    said = {id(node.value) for node in ast.walk(tree(module)) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree(module)):
        if isinstance(node, ast.Constant) and id(node) not in said:
            if isinstance(node.value, str):
                yield node.value
            elif isinstance(node.value, bytes):
                yield node.value.decode("latin-1")


def test_a_second_spelling_is_found(tmp_path: Path) -> None:
    module = tmp_path / "second.py"
    module.write_text(
        '"""delta.appendOnly"""\nA = "delta.appendOnly is true"\nB = b\'"delta.typeChanges"\'\n'
        'C = f"delta.enableIcebergCompatV{1}"\nD = "CURRENT_DEFAULT"\nE = f"delta.`{A}`"\n'
    )
    assert [text for text in texts(module) if RESERVED.match(text)] == [
        "delta.appendOnly is true",
        '"delta.typeChanges"',
        "CURRENT_DEFAULT",
        "delta.enableIcebergCompatV",
    ]


def test_each_floor_knows_the_floors_below_only() -> None:
    linter = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert linter is not None, "import-linter is not installed: pip install '.[dev]'"
    found = subprocess.run(
        [linter, "--no-cache"],
        cwd=REPOSITORY,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPOSITORY)}


LOADED = """
import sys
from deltactl.cli.app import main

code = main(sys.argv[2:])
loaded = set(sys.argv[1].split(",")) & set(sys.modules)
print(*sorted(loaded), file=sys.stderr)
sys.exit(code)
"""


def loaded_by(*args: str, among: str) -> list[str]:
    """Those of the modules `among` that a run of `deltactl ARGS` loads."""
    child = subprocess.run(
        [sys.executable, "-c", LOADED, among, *args],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    return child.stderr.splitlines()[-1].split()


def test_history_loads_none_of_the_heavy_packages() -> None:
    table = str(GOLDEN / "many_ops_history/delta")
    heavy = "pyspark,delta,pyarrow,rich,obstore,sqlglot,deltalake,urllib.parse"
    assert loaded_by("history", table, "-o", "json", among=heavy) == []


@pytest.mark.parametrize("command", [["schema", "show"], ["protocol", "show"]], ids=" ".join)
def test_a_table_without_a_checkpoint_is_read_without_arrow(command: list[str]) -> None:
    table = str(GOLDEN / "crc_good/delta")
    heavy = "pyspark,pyarrow,rich,obstore,sqlglot"
    assert loaded_by(*command, table, "-o", "json", among=heavy) == []


def test_tables_with_checksums_are_listed_without_arrow() -> None:
    folder = str(GOLDEN / "crc_good")
    heavy = "pyspark,pyarrow,rich,obstore,sqlglot"
    assert loaded_by("tables", folder, "-o", "json", among=heavy) == []


def test_show_makes_no_python_functions_of_all_that_arrow_has() -> None:
    table = str(GOLDEN / "tw_integers_floats/delta")
    assert loaded_by("show", table, "-o", "json", among="pyarrow,pyarrow.compute") == ["pyarrow"]


def test_the_check_of_what_is_loaded_finds_what_is_loaded() -> None:
    table = str(GOLDEN / "crc_good/delta")
    assert loaded_by("files", table, "-o", "json", among="pyarrow,pyspark") == ["pyarrow"]
