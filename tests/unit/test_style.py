"""The rules of the house that no linter knows."""

import ast
import dataclasses
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from deltactl.report import Report

REPOSITORY = Path(__file__).parent.parent.parent
PACKAGE = REPOSITORY / "deltactl"
GOLDEN = REPOSITORY / "tests/golden"
MODULES = sorted(PACKAGE.rglob("*.py"))
TESTS = sorted((REPOSITORY / "tests").rglob("test_*.py"))
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
    inside = (node for function in functions(module) for node in ast.walk(function))
    found = [name for node in inside for name in imported(node)]
    assert [name for name in found if name.split(".")[0] == "deltactl"] == []


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_a_file_fits_in_the_head_and_a_function_on_a_screen(module: Path) -> None:
    if name(module) not in DATA:
        assert len(module.read_text(encoding="utf-8").splitlines()) <= LONGEST_FILE
    lengths = [(f.name, (f.end_lineno or 0) - f.lineno) for f in functions(module)]
    assert [name for name, lines in lengths if lines >= LONGEST_FUNCTION] == []


@pytest.mark.parametrize("module", sorted((PACKAGE / "cli").rglob("*.py")), ids=name)
def test_the_command_line_composes_no_planner(module: Path) -> None:
    found = [name for node in ast.walk(tree(module)) for name in imported(node)]
    assert [n for n in found if re.match(r"deltactl\.operations\..*\.plan_\w+$", n)] == []


# What commands may import of the floors below `api` beside frozen values, which they render.
TAKEN = {
    "deltactl.operations.domains.list.is_system": "whose domain it is, by its name",
    "deltactl.operations.schema.export.Form": "a type: the names of forms",
    "deltactl.storage.options.option_rows.NAMES": "the names of stores, for help",
    "deltactl.storage.options.options.variables_beside": "names of variables, for `config show`",
    "deltactl.storage.urls.StoreKind": "a type: the names of stores",
    "deltactl.storage.urls.is_remote": "a URL as it is typed",
    "deltactl.storage.urls.kind_of": "a URL as it is typed",
    "deltactl.storage.urls.named_host": "a URL as it is typed",
    "deltactl.storage.user_cache.cache_folder": "where jars are, for `spark install`",
    "deltactl.table.commit_times.rfc3339": "a time in words",
    "deltactl.table.table.Table": "a type: what `apply` gives the API to change",
    "deltactl.verify.findings.Check": "a line of the report: counts, which end with the run",
}
BELOW = ("operations", "verify", "table", "storage")
COMMANDS = sorted((PACKAGE / "cli/commands").rglob("*.py"))


def taken_from_below(module: Path) -> Iterator[str]:
    """The names that a command imports of the floors below `api`, but for those it may."""
    for node in ast.walk(tree(module)):
        match node:
            case ast.Import(names):
                yield from (n.name for n in names if n.name.startswith("deltactl."))
            case ast.ImportFrom(module=str(source), names=names):
                if source.startswith("deltactl.") and source.split(".")[1] in BELOW:
                    found = (f"{source}.{alias.name}" for alias in names)
                    yield from (n for n in found if n not in TAKEN and not is_shown(n))


def is_shown(name: str) -> bool:
    """Whether the name is that of a class of values, which a command renders."""
    module, _, own = name.rpartition(".")
    found = getattr(import_module(module), own, None)
    if not isinstance(found, type):
        return False
    is_frozen = dataclasses.is_dataclass(found) and vars(found)["__dataclass_params__"].frozen
    return is_frozen or issubclass(found, Report | tuple | Enum)


@pytest.mark.parametrize("module", COMMANDS, ids=name)
def test_a_command_looks_at_tables_through_the_api(module: Path) -> None:
    assert list(taken_from_below(module)) == []


def test_what_a_command_may_not_take_is_found(tmp_path: Path) -> None:
    module = tmp_path / "look.py"
    module.write_text(
        "from deltactl.operations.inspect.show import ShowReport, report_show\n"
        "from deltactl.verify import quick\n"
        "from deltactl.table.table import Table, open_table\n"
        "from deltactl.table.commit_times import rfc3339\n"
        "import deltactl.storage.locate\n"
    )
    assert list(taken_from_below(module)) == [
        "deltactl.operations.inspect.show.report_show",
        "deltactl.verify.quick",
        "deltactl.table.table.open_table",
        "deltactl.storage.locate",
    ]


def test_what_a_command_may_take_is_taken() -> None:
    taken = {
        f"{node.module}.{alias.name}"
        for module in COMMANDS
        for node in ast.walk(tree(module))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert TAKEN.keys() <= taken


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
    heavy = "pyspark,delta,pyarrow,rich,obstore,sqlglot,deltalake,urllib.parse,logging,shutil"
    assert loaded_by("history", table, "-o", "json", among=heavy) == []
    assert loaded_by("history", table, among=heavy) == []


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


def runs(loop: ast.expr, known: dict[str, ast.expr]) -> bool:
    """Whether the source itself says that there is something to loop over."""
    match loop:
        case ast.Tuple(elts) | ast.List(elts) | ast.Set(elts):
            return any(not isinstance(e, ast.Starred) or runs(e.value, known) for e in elts)
        case ast.Dict(keys):
            return bool(keys)
        case ast.Call(ast.Name("range"), [ast.Constant(int(stop))]):
            return stop > 0
        case ast.Call(ast.Name("range"), [ast.Constant(int(first)), ast.Constant(int(stop))]):
            return stop > first
        case ast.Call(ast.Name("enumerate" | "sorted" | "reversed"), [over, *_]):
            return runs(over, known)
        case ast.Call(ast.Name("zip"), args):
            return all(runs(arg, known) for arg in args)
        case ast.Call(ast.Attribute(value, "items" | "keys" | "values"), []):
            return runs(value, known)
        case ast.ListComp(generators=[ast.comprehension(iter=over, ifs=[])]):
            return runs(over, known)
        case ast.Name(name):
            return name in known and runs(known[name], {})
        case _:
            return False


def asserts(body: Sequence[ast.stmt], known: dict[str, ast.expr]) -> bool:
    """Whether the statements assert something on every way through them."""
    for statement in body:
        match statement:
            case ast.Assert():
                return True
            case ast.Expr(ast.Call(ast.Name(name))) if name.startswith("assert_"):
                return True
            case ast.With(items, inner):
                raises = any("raises" in ast.unparse(item.context_expr) for item in items)
                if raises or asserts(inner, known):
                    return True
            case ast.For(iter=loop, body=inner) if runs(loop, known) and asserts(inner, known):
                return True
            case ast.If(body=inner, orelse=other) | ast.Try(body=inner, finalbody=other):
                needed = (inner, other) if isinstance(statement, ast.If) else (inner + other,)
                if all(asserts(part, known) for part in needed):
                    return True
            case ast.Match(cases=cases) if all(asserts(case.body, known) for case in cases):
                return True
    return False


def constants(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """The values that are assigned to names."""
    found = {}
    for node in nodes:
        match node:
            case ast.Assign([ast.Name(name)], value):
                found[name] = value
            case ast.AnnAssign(ast.Name(name), value=ast.expr() as value):
                found[name] = value
    return found


@pytest.mark.parametrize("module", TESTS, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_no_test_asserts_only_in_what_may_never_run(module: Path) -> None:
    known = constants(tree(module).body)
    doubtful = [
        test.name
        for test in functions(module)
        if test.name.startswith("test_")
        and any(isinstance(node, ast.Assert) for node in ast.walk(test))
        and not asserts(test.body, {**known, **constants(ast.walk(test))})
    ]
    assert doubtful == [], "assert before the loop that there is something in it"
