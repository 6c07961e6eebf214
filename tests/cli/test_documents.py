"""Every command on every golden table, in each format, against its JSON Schema."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from deltactl.cli.command_tree import Folder, command_name
from deltactl.cli.reference import contexts

GOLDEN = Path(__file__).parent.parent / "golden"
SCHEMAS = Path(__file__).parent.parent.parent / "deltactl" / "cli" / "schemas"
NAMES = sorted(path.parent.name for path in GOLDEN.glob("*/expected.json"))

PARQUET = str(min((GOLDEN / "all_types" / "delta").glob("*.parquet")))

# Each command with its arguments, and the member that is printed one a line.
ON_TABLES: list[tuple[str, list[str], str | None]] = [
    ("show", ["TABLE"], None),
    ("history", ["TABLE"], "commits"),
    ("files", ["TABLE"], "files"),
    ("schema show", ["TABLE"], None),
    ("diff", ["TABLE", "0"], None),
    ("schema diff", ["TABLE", "0"], "changes"),
    ("schema types", ["TABLE", "id"], "targets"),
    ("schema check", ["TABLE", PARQUET], "answers"),
    ("schema export", ["TABLE"], None),
    ("protocol show", ["TABLE"], None),
    ("property list", ["TABLE"], "properties"),
    ("property get", ["TABLE", "delta.appendOnly"], None),
    ("column list", ["TABLE"], "columns"),
    ("constraint list", ["TABLE"], "constraints"),
    ("domain list", ["TABLE"], "domains"),
    ("verify-checksum", ["TABLE"], "findings"),
    ("log", ["TABLE"], "files"),
    ("log cat", ["TABLE", "0"], "actions"),
]
# The same with options, of which a few tables are enough to tell that the document is valid.
WITH_OPTIONS: list[tuple[str, list[str], str | None]] = [
    ("files", ["TABLE", "--physical", "id"], "physicalTypes"),
    ("log cat", ["TABLE", "_last_checkpoint"], "actions"),
    ("property list", ["TABLE", "--all", "--at", "0"], "properties"),
    ("schema export", ["TABLE", "--as", "arrow"], None),
    ("schema export", ["TABLE", "--as", "json"], None),
    ("show", ["TABLE", "--at", "0", "--rows"], None),
    ("verify-checksum", ["TABLE", "--all", "--data"], "findings"),
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
    ("column set-not-null", ["id"]),
    ("column apply", [VERBS, "--enable"]),
    ("table comment", ["for people"]),
    ("table set-name", ["people"]),
    ("protocol drop", ["rowTracking"]),
    ("protocol drop", ["typeWidening"]),
    ("protocol drop", ["checkpointProtection", "--truncate-history"]),
    ("prune-type-changes", ["--rewrite"]),
    ("prune-type-changes", []),
    ("prune-type-changes", ["--column", "id", "--column", "nothing"]),
    ("checkpoint", []),
    ("checkpoint", ["--kind", "v2", "--repair"]),
    ("checkpoint", ["--parts", "2"]),
]
# Checkpoints and removed files; a gap.
WITH_PASTS = ("many_ops_history", "tw_dropped_checkpoint_protection", "inv_gap_in_log")
# Nested; plain; with most features. Lines are the elements of a document whatever the table.
VARIED = ("tw_nested", "all_types", "tw_kitchen_sink")
CHANGED = [(name, case) for name in VARIED for case in CHANGES]
READ = [(name, case) for name in NAMES for case in ON_TABLES]
READ += [(name, case) for name in (*VARIED, *WITH_PASTS) for case in WITH_OPTIONS]
CHANGED.append(("tw_rowtracking_prunable", ("prune-type-changes", [])))
# Not writable; not readable: whatever the command, they are refused.
CHANGED += [(name, CHANGES[0]) for name in ("unknown_writer_feature", "inv_gap_in_log")]
BARE: list[tuple[str, list[str], str | None]] = [
    ("protocol features", [], "features"),
    ("protocol features", ["typeWidening"], "features"),
    ("explain", [], "explanations"),
    ("completion", ["bash"], None),
    ("help", ["schema", "diff"], None),
    ("help", ["settings"], None),
    ("tables", [], "tables"),
    ("tables", [str(GOLDEN)], "tables"),
]
# What they say depends on the format, or they make something.
ELSEWHERE_TESTED = {
    "apply", "config show", "config trust", "config untrust", "demo",
    "spark check", "spark install",
}  # fmt: skip


def name_of(case: tuple[str, list[str], str | None]) -> str:
    return " ".join([case[0], *case[1][1:]])


def check(run: Any, valid_document: Any, command: str, args: list[str]) -> dict[str, Any]:
    """Run the command in two formats: the document is valid, and the text says the same."""
    words = [*command.split(), *args]
    result = run(*words, "-o", "json")
    assert result.exit_code != 1, result.stderr
    document: dict[str, Any] = valid_document(command, result.stdout)
    text = run(*words)
    assert text.exit_code == result.exit_code
    if not document["ok"]:
        assert text.stdout == ""
        assert f"[{document['error']['code']}]" in text.stderr
        return document
    assert text.stdout.endswith("\n")
    for warning in document["warnings"]:
        assert f"[{warning['code']}]\n" in text.stderr
    return document


def check_lines(
    run: Any, document: dict[str, Any], command: str, args: list[str], member: str | None
) -> None:
    """Run the command line by line: the lines are the elements of its document."""
    said = [
        json.loads(line)
        for line in run(*command.split(), *args, "-o", "ndjson").stdout.splitlines()
    ]
    if document["ok"]:
        assert said == ([document] if member is None else document[member])
    else:
        assert said == [{"error": document["error"]}]


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(
            *row,
            id=f"{row[0]}-{name_of(row[1])}",
            marks=() if row[0] in (*VARIED, *WITH_PASTS) else pytest.mark.sweep,
        )
        for row in READ
    ],
)
def test_a_command_on_a_table(run, valid_document, name, case) -> None:
    command, args, member = case
    table = str(GOLDEN / name / "delta")
    words = [table if arg == "TABLE" else arg for arg in args]
    document = check(run, valid_document, command, words)
    if name in VARIED or not document["ok"]:
        check_lines(run, document, command, words, member)


@pytest.mark.parametrize("case", BARE, ids=lambda case: " ".join([case[0], *case[1]]))
def test_a_command_without_a_table(run, valid_document, case) -> None:
    command, args, member = case
    check_lines(run, check(run, valid_document, command, args), command, args, member)


@pytest.mark.parametrize(
    ("name", "case"),
    [
        pytest.param(
            name,
            case,
            id=f"{name}-{' '.join([case[0], *case[1]])}",
            marks=pytest.mark.sweep if name == "all_types" else (),
        )
        for name, case in CHANGED
    ],
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
    if "job" in document["plan"] or (document["plan"]["rewrites"] or {}).get("comeFirst"):
        return  # Spark carries these out, in tests/spark.
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
    run = {command for command, *_ in [*ON_TABLES, *WITH_OPTIONS, *CHANGES, *BARE]}
    assert commands - ELSEWHERE_TESTED == run


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_the_schemas_are_schemas(path: Path) -> None:
    jsonschema.Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))


def test_each_schema_belongs_to_a_command() -> None:
    commands = {command_name(ctx).replace(" ", "-") for ctx in contexts()}
    files = {path.stem for path in SCHEMAS.glob("*.json") if not path.stem.startswith("_")}
    # The former name of `table set-name` still works, and its documents are as before.
    assert files <= commands | {"table-rename"}
