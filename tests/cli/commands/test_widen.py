"""`deltactl widen`, as people type it."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_tables import field, metadata, protocol, write_log

STREAMS = (
    "warning: streams that read the table stop at the change: restart them; one with a "
    "schema tracking log first needs allowSourceColumnTypeChange "
    "[STREAMS_RESTART]\n"
)
BOUNDS = '{"numRecords":1,"minValues":{"f":%s},"maxValues":{"f":%s}}'


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def last(table: str, version: int) -> list[dict[str, Any]]:
    text = Path(table, "_delta_log", f"{version:020d}.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_plain_change_says_what_it_did(run, golden) -> None:
    table = golden("tw_nested")
    uri = Path(table).absolute()
    result = run("widen", table, "s.inner.b", "decimal(20,0)", "mk.key", "bigint")
    assert (result.exit_code, result.stderr) == (0, STREAMS)
    assert lines(result.stdout) == [
        f"{uri}   v18 → v19   CHANGE COLUMNS    2 widened",
        "",
        "    s",
        "      .inner",
        "  ~     .b             long → decimal(20,0)    widened",
        "          typeChanges  + long → decimal(20,0)",
        "    mk",
        "  ~   .key             int → long              widened",
        "        typeChanges    + int → long",
        "",
        "Data files  0 of 2 files rewritten",
        "Readers     open queries must refresh: s.inner.b, mk.key",
        f"To go back  RESTORE TABLE delta.`{uri}` TO VERSION AS OF 18",
        "            Spark SQL only; also discards rows written after version 18; "
        "types cannot be narrowed",
        "",
        "Committed as version 19.",
    ]
    info, meta = last(table, 19)
    assert info["commitInfo"]["operation"] == "CHANGE COLUMNS"
    # The metadata from before, beside the new type; that of a key or element is empty, as Spark's.
    assert json.loads(info["commitInfo"]["operationParameters"]["columns"]) == [
        {
            "name": "s.inner.b",
            "type": "decimal(20,0)",
            "nullable": True,
            "metadata": {"delta.typeChanges": [{"toType": "long", "fromType": "short"}]},
        },
        {"name": "mk.key", "type": "long", "nullable": False, "metadata": {}},
    ]
    assert list(meta) == ["metaData"]


def test_a_name_with_a_dot_is_quoted_for_spark_and_one_with_a_space_is_not(run, golden) -> None:
    table = golden("tw_kitchen_sink")
    result = run("widen", table, "v", "int", "-o", "json")
    assert result.exit_code == 0
    own = {"metaData": metadata(field("a.b", "byte"), field("c d", "byte"))["metaData"]}
    own["metaData"]["configuration"] = {"delta.enableTypeWidening": "true"}
    Path("dots").mkdir()
    uri = write_log(Path("dots"), [[protocol(reader=["typeWidening"]), own]])
    run("widen", uri, "`a.b`", "short", "`c d`", "short")
    columns = json.loads(last(uri, 1)[0]["commitInfo"]["operationParameters"]["columns"])
    assert [column["name"] for column in columns] == ["`a.b`", "c d"]


def test_again_there_is_nothing_to_do(run, golden) -> None:
    table = golden("tw_integers_floats")
    result = run("widen", table, "f", "double", "b", "long")
    said = "Nothing to do: already up to date (version 13).\n"
    assert (result.exit_code, result.stdout, result.stderr) == (0, said, "")


def test_every_reason_is_named_at_once(run, golden) -> None:
    table = golden("all_types")
    words = ["i", "uint8", "l", "int8", "nope", "long", "st", "long", "vc", "char(9)", "d", "float"]
    result = run("widen", table, *words, "-o", "json")
    assert result.exit_code == 4
    assert [refusal["code"] for refusal in result.document["plan"]["refusals"]] == [
        "UNSIGNED_TYPE",
        "AMBIGUOUS_TYPE",
        "COLUMN_NOT_FOUND",
        "NOT_A_SINGLE_VALUE",
        "ILLEGAL_WIDENING",
        "ILLEGAL_WIDENING",
    ]
    assert not Path(table, "_delta_log", f"{3:020d}.json").exists()


@pytest.mark.parametrize(
    ("args", "code", "exit_code"),
    [
        (["nope", "long"], "COLUMN_NOT_FOUND", 3),
        (["i", "long", "I", "long"], "COLUMN_NAMED_TWICE", 4),
        (["i.x", "long"], "COLUMN_NOT_FOUND", 3),
        (["`i", "long"], "BAD_COLUMN_PATH", 4),
        (["i", "frob"], "NOT_A_TYPE", 4),
        (["i", "decimal(39,0)"], "NOT_A_TYPE", 4),
        (["i", "short"], "ILLEGAL_WIDENING", 4),
        (["i", "long"], "TYPE_WIDENING_NOT_SUPPORTED", 4),
    ],
)
def test_what_cannot_be_done(run, golden, args, code, exit_code) -> None:
    result = run("widen", golden("all_types"), *args, "-o", "json")
    assert (result.document["error"]["code"], result.exit_code) == (code, exit_code)


def test_a_column_without_a_type_is_a_mistake(run, golden) -> None:
    result = run("widen", golden("all_types"), "i", "long", "f")
    assert result.exit_code == 2
    assert "missing TYPE for the column 'f'" in result.stderr


def test_what_cuts_clients_off_needs_a_yes(run, golden) -> None:
    table = golden("all_types")
    refused = run("widen", table, "i", "long", "--enable", "-o", "json")
    assert (refused.exit_code, refused.document["error"]["code"]) == (4, "CONSENT_NEEDED")
    result = run("widen", table, "i", "long", "--enable", "--yes", "-o", "json")
    assert (result.exit_code, result.document["version"]) == (0, 3)
    assert [next(iter(action)) for action in last(table, 3)] == [
        "commitInfo",
        "protocol",
        "metaData",
    ]
    assert result.document["plan"]["undo"] == {
        "commands": [f"RESTORE TABLE delta.`{Path(table).absolute()}` TO VERSION AS OF 2"],
        "note": "Spark SQL only; also discards rows written after version 2; types "
        "cannot be narrowed, and the protocol keeps typeWidening",
    }


def test_files_are_counted_by_what_they_hold(run, golden) -> None:
    table = golden("tw_kitchen_sink")
    args = ["v", "int", "`a b`.x", "double", "--count", "--dry-run"]
    result = run("widen", table, *args, "-o", "json")
    assert result.document["plan"]["dataFiles"]["physicalTypes"] == [
        {"path": "v", "type": "short", "files": 3, "bytes": 5973},
        {"path": "`a b`.x", "type": "float", "files": 2, "bytes": 3958},
        {"path": "`a b`.x", "type": "double", "files": 1, "bytes": 2015},
    ]
    assert run("widen", table, *args, "--exit-code").exit_code == 5


def test_a_file_that_is_gone_is_not_counted(run, golden) -> None:
    table = golden("tw_nested")
    file = sorted(Path(table).glob("*.parquet"))[0]
    file.unlink()
    result = run("widen", table, "id", "long", "--count", "--dry-run", "-o", "json")
    assert result.document["plan"]["dataFiles"]["physicalTypes"][0]["files"] == 1
    assert result.document["warnings"][0] == {
        "code": "DATA_FILE_MISSING",
        "message": f"{file.name} is missing; it is not counted",
    }


@pytest.fixture
def floats() -> str:
    """A table with a float of 1.1 in its statistics."""
    settings = {"enableTypeWidening": "true"}
    add = {
        "path": "a.parquet",
        "partitionValues": {},
        "size": 9,
        "modificationTime": 5,
        "dataChange": True,
        "stats": BOUNDS % (1.1, 1.1),
    }
    head = [protocol(reader=["typeWidening"]), metadata(field("f", "float"), **settings)]
    Path("floats").mkdir()
    return write_log(Path("floats"), [[*head, {"add": add}]])


def test_statistics_are_fixed_with_the_change(run, floats) -> None:
    result = run("widen", floats, "f", "double", "--fix-stats")
    assert (result.exit_code, result.stderr) == (0, STREAMS)
    expected = "Data files  1 file committed again with right bounds, none rewritten"
    assert expected in lines(result.stdout)
    *_, add = last(floats, 1)
    assert add["add"]["stats"] == BOUNDS % (1.100000023841858, 1.100000023841858)
    assert add["add"]["dataChange"] is False


def test_without_that_a_warning_says_what_is_wrong(run, floats) -> None:
    result = run("widen", floats, "f", "double", "--dry-run")
    assert result.stderr.startswith(STREAMS)
    assert result.stderr.endswith(
        "warning: the statistics of f keep floats as short texts, which Spark then reads as "
        "double: filters on f can miss rows of old files until these are corrected (--fix-stats) "
        "[FLOAT_STATISTICS]\n"
    )


def test_a_preview_gets_the_stable_feature(run, golden) -> None:
    table = golden("tw_preview_checkpointed")
    result = run("widen", table, "e", "long", "--migrate-preview", "--yes", "-o", "json")
    assert result.exit_code == 0
    info, protocol = last(table, 9)
    assert info["commitInfo"]["operation"] == "UPGRADE PROTOCOL"
    asked = info["commitInfo"]["operationParameters"]["newProtocol"]
    assert json.loads(asked) == protocol["protocol"]
    assert protocol["protocol"]["readerFeatures"] == ["typeWidening-preview", "typeWidening"]
    again = run("widen", table, "e", "long", "--migrate-preview", "-o", "json")
    assert (again.exit_code, again.document["committed"]) == (0, False)


def test_on_a_terminal(on_terminal, golden) -> None:
    shown = on_terminal("widen", golden("all_types"), "vc", "varchar(9)", "--dry-run")
    assert "  ~ vc  varchar(7) → varchar(9)" in [line.rstrip() for line in shown]


def test_a_constraint_is_in_the_way_for_the_while(run, golden) -> None:
    table = golden("check_constraints_invariants")
    result = run("widen", table, "v", "long", "--enable")
    assert result.exit_code == 4
    assert (
        f"hint: without the constraint for the while: deltactl constraint drop {table} positive && "
        f"deltactl widen {table} v long --enable && "
        f"deltactl constraint add {table} positive 'v > 0'\n"
    ) in result.stderr


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (
            ["widen", "g", "a", "long", "--enable"],
            "only without b it can be widened: deltactl column drop g b; no command makes a "
            "generated column again",
        ),
        (
            ["widen", "g", "b", "long", "--enable"],
            "its type stays: only a rewrite of the table gives it another",
        ),
        (
            ["column", "rename", "g", "a", "z", "--enable"],
            "only without b it can be renamed: deltactl column drop g b; no command makes a "
            "generated column again",
        ),
        (["column", "drop", "g", "a", "--enable"], "drop the column b as well"),
    ],
    ids=["what it is made of", "itself", "rename", "drop"],
)
def test_a_generated_column_is_in_the_way(run, args, hint) -> None:
    generated = field("b", "integer", **{"delta.generationExpression": "a + 1"})
    Path("g").mkdir()
    own = metadata(field("a", "integer"), generated, field("c", "integer"))
    write_log(Path("g"), [[protocol(writer=["generatedColumns"]), own]])
    result = run(*args)
    assert (result.exit_code, f"hint: {hint}\n" in result.stderr) == (4, True), result.stderr
