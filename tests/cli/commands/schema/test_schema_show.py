from pathlib import Path

import pytest

NESTED = """\
{here}/tw_nested  version 18
├─ id int
├─ s struct
│  ├─ a int  byte → int v2
│  └─ inner struct
│     └─ b long  short → long v3
├─ arr array
│  └─ element int  short → int v4
├─ mk map
│  ├─ key int  byte → short v5  short → int v17
│  └─ value string
├─ mv map
│  ├─ key string
│  └─ value double  float → double v6
├─ mkv map
│  ├─ key long  int → long v7
│  └─ value long  int → long v8
├─ aa array
│  └─ element array
│     └─ element int  byte → int v9
├─ am array
│  └─ element map
│     ├─ key int  short → int v10
│     └─ value decimal(10,4)  decimal(6,2) → decimal(10,4) v11
├─ ma map
│  ├─ key string
│  └─ value array
│     └─ element long  int → long v12
├─ sa array
│  └─ element struct
│     ├─ x long  int → long v13
│     └─ m map
│        ├─ key string
│        └─ value int  short → int v14
└─ mm map
   ├─ key string
   └─ value map
      ├─ key short  byte → short v15
      └─ value int  byte → int v16
"""
MAPPED = """\
{here}/tw_kitchen_sink  version 9
├─ id int not null  in files: col-02541b6f-20ff-4df0-b4e2-815e3430c75c  checked by pos
├─ v short  in files: col-c3b352d0-8a92-44d2-81a9-385d7de444f7  default 7
└─ a b struct  in files: col-84f420d0-e855-443a-b78b-910eb4ceb930
   └─ x double  in files: col-1de4fc97-39d8-4f8b-ac67-b5a96fae00dd  float → double v5

Constraints
  pos  id > 0
"""
PARTITIONED = """\
{here}/tw_partitioned  version 5
├─ id int
├─ v int  byte → int v3
├─ p long  partition column  int → long v2
└─ d timestamp_ntz  partition column  date → timestamp_ntz v4
"""
IDENTITY = """\
{here}/identity_columns  version 2
├─ id long  identity from 10 by 5, used up to 20
├─ k long  identity from -1 by -1, used up to -2
└─ v string
"""
PREVIEW = """\
{here}/tw_preview_checkpointed  version 8
├─ id int
├─ e long  short → int v2  int → long v6
├─ m map
│  ├─ key double  float → double v4
│  └─ value int
├─ am array
│  └─ element map
│     ├─ key string
│     └─ value decimal(10,4)  decimal(6,2) → decimal(10,4) v5
└─ other int
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tw_nested", NESTED),
        ("tw_kitchen_sink", MAPPED),
        ("tw_partitioned", PARTITIONED),
        ("identity_columns", IDENTITY),
        ("tw_preview_checkpointed", PREVIEW),
    ],
)
def test_the_tree(run, golden, name, text) -> None:
    result = run("schema", "show", golden(name))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == text.format(here=Path.cwd())


def lines(run, table: str, *args: str) -> list[str]:
    return run("schema", "show", table, *args).stdout.splitlines()[1:]


def test_char_varchar_and_comments(run, golden) -> None:
    shown = lines(run, golden("all_types"))
    assert {"├─ ch char(5)", "├─ vc varchar(7)", "├─ dec decimal(38,18)"} <= set(shown)
    assert lines(run, golden("column_defaults"))[1:] == [
        "├─ s string  default 'it''s'",
        "├─ d date",
        "└─ n int  default 43",
    ]
    assert lines(run, golden("unicode_schema"))[0].endswith("  — コメント")


def test_not_null_and_checks(run, golden) -> None:
    assert lines(run, golden("check_constraints_invariants")) == [
        "├─ id int",
        "├─ v int  checked by positive",
        "└─ s struct",
        "   └─ x int not null",
        "",
        "Constraints",
        "  positive  v > 0",
    ]


def test_on_a_terminal(on_terminal, golden) -> None:
    assert on_terminal("schema", "show", golden("tw_kitchen_sink"))[-9:] == [
        "├─ id int not null  in files: col-02541b6f-20ff-4df0-b4e2-815e3430c75c",
        "│     checked by pos",
        "├─ v short  in files: col-c3b352d0-8a92-44d2-81a9-385d7de444f7  default 7",
        "└─ a b struct  in files: col-84f420d0-e855-443a-b78b-910eb4ceb930",
        "   └─ x double  in files: col-1de4fc97-39d8-4f8b-ac67-b5a96fae00dd  float →",
        "         double v5",
        "",
        "Constraints",
        "  pos  id > 0",
    ]


def test_an_older_version(run, golden) -> None:
    table = golden("tw_partitioned")
    assert lines(run, table, "--at", "2") == [
        "├─ id int",
        "├─ v byte",
        "├─ p long  partition column  int → long v2",
        "└─ d date  partition column",
    ]
    assert lines(run, golden("zero_column_table"), "--at", "0") == []


def test_the_document(run, golden, valid_document) -> None:
    stdout = run("schema", "show", golden("tw_nested"), "-o", "json").stdout
    columns = valid_document("schema show", stdout)["columns"]
    assert [column["path"] for column in columns[:6]] == [
        "id", "s", "s.a", "s.inner", "s.inner.b", "arr",
    ]  # fmt: skip
    key = next(column for column in columns if column["path"] == "mk.key")
    change = {"fieldPath": "key", "tableVersion": None, "beforeVersion": None}
    assert key == {
        "path": "mk.key",
        "type": "integer",
        "nullable": False,
        "typeChanges": [
            {"fromType": "byte", "toType": "short", "sinceVersion": 5, **change},
            {"fromType": "short", "toType": "integer", "sinceVersion": 17, **change},
        ],
    }


def test_facts_of_a_field(run, golden) -> None:
    columns = run("schema", "show", golden("tw_kitchen_sink"), "-o", "json").document["columns"]
    assert columns[0] == {
        "path": "id",
        "type": "integer",
        "nullable": False,
        "typeChanges": [],
        "comment": None,
        "id": 1,
        "physicalName": "col-02541b6f-20ff-4df0-b4e2-815e3430c75c",
        "default": None,
        "generation": None,
        "identity": None,
        "invariant": None,
        "charVarchar": None,
        "partition": False,
        "constraints": ["pos"],
    }
    columns = run("schema", "show", golden("identity_columns"), "-o", "json").document["columns"]
    assert columns[0]["identity"] == {
        "start": 10,
        "step": 5,
        "allowExplicitInsert": False,
        "highWaterMark": 20,
    }


def test_type_changes_without_their_feature(run, golden) -> None:
    result = run("schema", "show", golden("inv_tw_changes_without_feature"))
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: column v has type changes, but the protocol has no typeWidening "
        "[TYPE_CHANGES_WITHOUT_FEATURE]\n"
    )


def test_a_table_that_cannot_be_read(run, golden) -> None:
    result = run("schema", "show", golden("inv_unknown_reader_feature"))
    assert result.exit_code == 0
    assert result.stderr.endswith(" [SNAPSHOT_UNREADABLE]\n")


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        ([], 2, "error: missing argument 'TABLE' [USAGE]\nhint: see deltactl schema show --help\n"),
        (
            ["tw_nested", "--at", "99"],
            3,
            "error: there is no version 99: the newest is 18 [VERSION_NOT_FOUND]\n"
            "hint: deltactl history tw_nested lists the versions that there are\n",
        ),
        (
            ["inv_bad_schema_json"],
            5,
            "error: the table's schemaString is not JSON: Expecting value: line 1 column 36 "
            "(char 35) [SCHEMA_NOT_JSON]\nhint: deltactl verify-checksum inv_bad_schema_json\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("tw_nested")
    golden("inv_bad_schema_json")
    result = run("schema", "show", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)
