"""Every command on every golden table, in each format, against its JSON Schema."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from deltactl.cli.folder import Folder, command_name
from deltactl.cli.reference import contexts

GOLDEN = Path(__file__).parent.parent / "golden"
SCHEMAS = Path(__file__).parent.parent.parent / "deltactl" / "cli" / "schemas"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/expected.json"))

PARQUET = str(min((GOLDEN / "all_types" / "delta").glob("*.parquet")))

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
    ("schema check", ["TABLE", "--against", PARQUET], "answers"),
    ("schema export", ["TABLE"], None),
    ("schema export", ["TABLE", "--as", "json"], None),
    ("schema export", ["TABLE", "--as", "arrow"], None),
    ("protocol show", ["TABLE"], None),
    ("property list", ["TABLE"], "properties"),
    ("property list", ["TABLE", "--all", "--at", "0"], "properties"),
    ("constraint list", ["TABLE"], "constraints"),
    ("domain list", ["TABLE"], "domains"),
    ("verify-checksum", ["TABLE"], "findings"),
    ("verify-checksum", ["TABLE", "--all", "--data"], "findings"),
    ("log", ["TABLE"], "files"),
    ("log cat", ["TABLE", "0"], "actions"),
    ("log cat", ["TABLE", "_last_checkpoint"], "actions"),
]
VERBS = str(Path(__file__).parent / "column_verbs.txt")
# Each command that changes a table, with its arguments; run on copies of the tables below.
CHANGES: list[tuple[str, list[str]]] = [
    ("widen", ["id", "long", "--enable"]),
    ("widen", ["id", "long", "f", "double", "--enable", "--fix-stats", "--count"]),
    ("widen", ["id", "string", "nothing", "long"]),
    ("protocol enable", ["rowTracking", "columnMapping", "inCommitTimestamp"]),
    ("protocol enable", ["clustering", "--columns", "id"]),
    ("protocol enable", ["catalogManaged", "nothing"]),
    ("protocol upgrade", ["--writer", "4"]),
    ("property set", ["delta.enableChangeDataFeed=true", "team=billing"]),
    ("property set", ["delta.nothing=1", "delta.checkpointInterval=0"]),
    ("property unset", ["delta.nothing", "--if-exists"]),
    ("property unset", ["delta.columnMapping.mode"]),
    ("domain set", ["app.lineage", "{}", "--enable"]),
    ("domain set", ["delta.rowTracking", "{}"]),
    ("domain unset", ["app.lineage"]),
    ("constraint add", ["known", "id IS NULL OR id IS NOT NULL"]),
    ("constraint add", ["long", "length(id) > 3"]),
    ("constraint drop", ["known"]),
    ("column add", ["n", "array<struct<a: timestamp_ntz>>", "--first", "--enable"]),
    ("column add", ["id", "long"]),
    ("column add", ["a b", "int", "--default", "now()"]),
    ("column drop", ["id", "nothing", "--enable", "--if-exists"]),
    ("column drop", ["nothing"]),
    ("column rename", ["id", "key", "--enable", "--if-exists"]),
    ("column comment", ["id", "it's"]),
    ("column set-default", ["id", "1", "--enable"]),
    ("column drop-default", ["id"]),
    ("column drop-not-null", ["id"]),
    ("column apply", [VERBS, "--enable"]),
    ("table comment", ["for people"]),
    ("table rename", ["people"]),
    ("protocol drop", ["rowTracking"]),
    ("protocol drop", ["typeWidening"]),
    ("checkpoint", []),
    ("checkpoint", ["--kind", "v2", "--repair"]),
    ("checkpoint", ["--parts", "2"]),
]
# Plain; nested; with most features.
CHANGED = [
    (name, case) for name in ("tw_nested", "all_types", "tw_kitchen_sink") for case in CHANGES
]
# Not writable; not readable: whatever the command, they are refused.
CHANGED += [(name, CHANGES[0]) for name in ("unknown_writer_feature", "inv_gap_in_log")]
BARE: list[tuple[str, list[str], str | None]] = [
    ("protocol features", [], "features"),
    ("protocol features", ["typeWidening"], "features"),
    ("explain", [], "explanations"),
    ("completion", ["bash"], None),
]
# What they say depends on the format, or they make something.
ELSEWHERE_TESTED = {"apply", "config show", "demo", "spark check", "spark install"}


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


@pytest.mark.parametrize(
    ("name", "case"), CHANGED, ids=[f"{name}-{' '.join([c, *args])}" for name, (c, args) in CHANGED]
)
def test_a_command_that_changes_a_table(run, golden, valid_document, name, case) -> None:
    command, (*args,) = case
    table = golden(name)
    words = [*command.split(), table, *args, "--yes"]
    log = sorted(path.name for path in Path(table, "_delta_log").iterdir())
    planned = run(*words, "--dry-run", "-o", "json")
    document = valid_document(command, planned.stdout)
    lines, text = run(*words, "--dry-run", "-o", "ndjson"), run(*words, "--dry-run")
    assert {planned.exit_code, lines.exit_code, text.exit_code} == {planned.exit_code}
    assert sorted(path.name for path in Path(table, "_delta_log").iterdir()) == log
    if "plan" in document:
        said = json.loads(lines.stdout)
        assert _timeless(said) == _timeless(document)
        for refusal in document["plan"]["refusals"]:
            assert f"[{refusal['code']}]\n" in text.stderr
    if not document["ok"]:
        assert (text.stdout, run(*words).stdout) == ("", "")
        assert sorted(path.name for path in Path(table, "_delta_log").iterdir()) == log
        return
    for warning in document["warnings"]:
        assert f"[{warning['code']}]\n" in text.stderr
    done = valid_document(command, run(*words, "-o", "json").stdout)
    actions = document["plan"]["actions"]
    wanted = [actions[kind] for kind in ("metaData", "protocol", "domains")]
    assert done["committed"] is (any(wanted) or actions["fileActions"]["count"] > 0)
    again = valid_document(command, run(*words, "-o", "json").stdout)
    assert (again["committed"], again["plan"]["changes"]) == (False, [])
    assert run(*words).stdout.startswith("Nothing to do: ")


def _timeless(document: dict[str, Any]) -> str:
    """The document without the times and the ids that differ from run to run."""
    text = json.dumps(document, sort_keys=True)
    return re.sub(r"\d{13}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "*", text)


def test_golden_tables_are_present() -> None:
    assert NAMES, "an empty glob must not pass"


def test_every_command_is_run() -> None:
    commands = {command_name(ctx) for ctx in contexts() if not isinstance(ctx.command, Folder)}
    run = {command for command, *_ in [*ON_TABLES, *CHANGES, *BARE]}
    assert commands - ELSEWHERE_TESTED == run


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_the_schemas_are_schemas(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


def test_each_schema_belongs_to_a_command() -> None:
    commands = {command_name(ctx).replace(" ", "-") for ctx in contexts()}
    files = {path.stem for path in SCHEMAS.glob("*.json") if not path.stem.startswith("_")}
    assert files <= commands
