"""Every command on every golden table, in each format, against its JSON Schema."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from deltactl.cli.folder import Folder, command_name
from deltactl.cli.reference import contexts

GOLDEN = Path(__file__).parent.parent / "golden"
SCHEMAS = Path(__file__).parent.parent.parent / "deltactl" / "cli" / "schemas"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/expected.json"))

# Each command with its arguments, and the member that is printed one a line.
ON_TABLES: list[tuple[str, list[str], str | None]] = [
    ("show", ["TABLE"], None),
    ("show", ["TABLE", "--at", "0", "--rows"], None),
    ("history", ["TABLE"], "commits"),
    ("files", ["TABLE"], "files"),
    ("files", ["TABLE", "--physical", "id"], "physicalTypes"),
    ("schema show", ["TABLE"], None),
    ("schema diff", ["TABLE", "0"], "changes"),
    ("schema types", ["TABLE", "id"], "targets"),
    ("schema export", ["TABLE"], None),
    ("schema export", ["TABLE", "--as", "json"], None),
    ("schema export", ["TABLE", "--as", "arrow"], None),
    ("protocol show", ["TABLE"], None),
    ("log", ["TABLE"], "files"),
    ("log cat", ["TABLE", "0"], "actions"),
    ("log cat", ["TABLE", "_last_checkpoint"], "actions"),
]
BARE: list[tuple[str, list[str], str | None]] = [
    ("protocol features", [], "features"),
    ("protocol features", ["typeWidening"], "features"),
    ("explain", [], "explanations"),
    ("completion", ["bash"], None),
]
# What they say depends on the format, or they make something.
ELSEWHERE_TESTED = {"config show", "demo"}


def name_of(case: tuple[str, list[str], str | None]) -> str:
    return " ".join([case[0], *case[1][1:]])


def check(run: Any, valid_document: Any, command: str, args: list[str], member: str | None) -> None:
    """Run the command in each format: the formats say the same, and the document is valid."""
    words = [*command.split(), *args]
    result = run(*words, "-o", "json")
    assert result.exit_code != 1, result.stderr
    document = valid_document(command, result.stdout)
    lines = run(*words, "-o", "ndjson")
    text = run(*words)
    assert (lines.exit_code, text.exit_code) == (result.exit_code, result.exit_code)
    said = [json.loads(line) for line in lines.stdout.splitlines()]
    if not document["ok"]:
        assert said == [{"error": document["error"]}]
        assert text.stdout == ""
        assert f"[{document['error']['code']}]" in text.stderr
        return
    assert said == ([document] if member is None else document[member])
    assert text.stdout.endswith("\n")
    for warning in document["warnings"]:
        assert f"[{warning['code']}]\n" in text.stderr


@pytest.mark.parametrize("case", ON_TABLES, ids=name_of)
@pytest.mark.parametrize("name", NAMES)
def test_a_command_on_a_table(run, valid_document, name, case) -> None:
    command, args, member = case
    table = str(GOLDEN / name / "delta")
    check(run, valid_document, command, [table if arg == "TABLE" else arg for arg in args], member)


@pytest.mark.parametrize("case", BARE, ids=lambda case: " ".join([case[0], *case[1]]))
def test_a_command_without_a_table(run, valid_document, case) -> None:
    check(run, valid_document, *case)


def test_golden_tables_are_present() -> None:
    assert NAMES, "an empty glob must not pass"


def test_every_command_is_run() -> None:
    commands = {command_name(ctx) for ctx in contexts() if not isinstance(ctx.command, Folder)}
    run = {command for command, _, _ in [*ON_TABLES, *BARE]}
    assert commands - ELSEWHERE_TESTED == run


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_the_schemas_are_schemas(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


def test_each_schema_belongs_to_a_command() -> None:
    commands = {command_name(ctx).replace(" ", "-") for ctx in contexts()}
    files = {path.stem for path in SCHEMAS.glob("*.json") if not path.stem.startswith("_")}
    assert files <= commands
