"""`schema check`: the forms of a file, the answers as text, as a document, and as an exit code."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

CHECKED = """\
Table    {table}  version 5
Against  data.sql  ddl

WRITE                                      ANSWER    CHANGES
append  (asked for)                        refused
append with mergeSchema                    refused
append with mergeSchema and type widening  accepted  2
overwrite with overwriteSchema             accepted  4

Why not: append
  id is int in the table and long in the data
  the table has no s.y

Why not: append with mergeSchema
  id is int in the table and long in the data

What would change: append with mergeSchema and type widening
  id int → long
  + s.y date
  1 of these changes: open readers must refresh

What would change: overwrite with overwriteSchema
  id int → long
  s.x renamed s.X
  s.X: nullable
  + s.y date
  3 of these changes: open readers must refresh

On condition: append with mergeSchema and type widening
  the write sets the option mergeSchema
  the property delta.enableTypeWidening is true, which it is not today

On condition: overwrite with overwriteSchema
  the write overwrites the table and sets overwriteSchema
  it has no replaceWhere, which keeps the schema

To know
  X of the data is taken for s.x
  rows with NULL in s.x are refused when they are written
"""
TAKEN = """\
Table    {table}  version 5
Against  data.sql  ddl

WRITE                                      ANSWER    CHANGES
append  (asked for)                        accepted
append with mergeSchema                    accepted
append with mergeSchema and type widening  accepted
overwrite with overwriteSchema             accepted  1
"""


@pytest.fixture
def table(golden) -> str:
    return golden("check_constraints_invariants")


def check(run, table: str, content: str, *args: str):
    Path("data.sql").write_text(content)
    return run("schema", "check", table, "data.sql", *args)


def test_what_is_refused_and_why(run, table) -> None:
    result = check(run, table, "id BIGINT, v INT, s STRUCT<X: INT, y: DATE>")
    assert (result.exit_code, result.stdout, result.stderr) == (
        5,
        CHECKED.format(table=Path(table).absolute()),
        "",
    )


def test_what_is_accepted(run, table) -> None:
    result = check(run, table, "id INT, v INT, s STRUCT<x: INT NOT NULL>")
    assert result.exit_code == 0
    assert result.stdout.startswith(TAKEN.format(table=Path(table).absolute()))


@pytest.mark.parametrize(
    ("mode", "exit_code"),
    [("append", 5), ("mergeSchema", 5), ("typeWidening", 0), ("overwriteschema", 0)],
)
def test_the_mode_that_was_asked_for_decides(run, table, mode, exit_code) -> None:
    columns = "id BIGINT, v INT, s STRUCT<x: INT>"
    result = check(run, table, columns, "--mode", mode, "-o", "json")
    assert result.exit_code == exit_code
    assert result.document["accepted"] is (exit_code == 0)
    assert result.document["mode"].lower() == mode.lower()


def test_the_document(run, table, valid_document) -> None:
    columns = "id BIGINT, s STRUCT<x: INT NOT NULL>"
    result = check(run, table, columns, "-o", "json")
    document = valid_document("schema check", result.stdout)
    assert document["ok"] is True
    assert document["against"] == {
        "file": "data.sql",
        "format": "ddl",
        "schema": {
            "type": "struct",
            "fields": [
                {"name": "id", "type": "long", "nullable": True, "metadata": {}},
                {
                    "name": "s",
                    "type": {
                        "type": "struct",
                        "fields": [
                            {"name": "x", "type": "integer", "nullable": False, "metadata": {}}
                        ],
                    },
                    "nullable": True,
                    "metadata": {},
                },
            ],
        },
    }
    assert [(a["mode"], a["accepted"]) for a in document["answers"]] == [
        ("append", False),
        ("mergeSchema", False),
        ("typeWidening", True),
        ("overwriteSchema", True),
    ]
    widening = document["answers"][2]
    assert [notice["code"] for notice in widening["conditions"]] == [
        "MERGE_SCHEMA_SET",
        "TYPE_WIDENING_NOT_ENABLED",
    ]
    assert widening["changes"] == [
        {
            "kind": "widened",
            "path": "id",
            "before": "integer",
            "after": "long",
            "typeChanges": {"before": [], "after": []},
            "readersGoOn": False,
        }
    ]
    assert document["answers"][0]["clashes"] == [
        {
            "code": "TYPES_CLASH",
            "path": "id",
            "message": "id is int in the table and long in the data",
            "table": "integer",
            "data": "long",
        }
    ]
    assert [(r["code"], r["path"]) for r in document["remarks"]] == [
        ("COLUMN_LEFT_OUT", "v"),
        ("CHECKED_AS_NULL", "v"),
    ]


def test_partitioned_tables_name_their_columns(run, golden) -> None:
    result = check(run, golden("tw_partitioned"), "x INT", "-o", "json")
    overwrite = result.document["answers"][3]
    assert "PARTITIONING_GIVEN" in {notice["code"] for notice in overwrite["conditions"]}


def test_widening_to_another_family_rests_on_a_setting(run, golden) -> None:
    result = check(run, golden("many_ops_history"), "id DOUBLE", "-o", "json")
    conditions = result.document["answers"][2]["conditions"]
    assert conditions[-1] == {
        "code": "AUTOMATIC_WIDENING_ALWAYS",
        "message": "for id spark.databricks.delta.typeWidening.allowAutomaticWidening is always, "
        "its default",
    }


ARROW = pa.schema(
    [
        pa.field("id", pa.int32()),
        pa.field("v", pa.int32()),
        pa.field("s", pa.struct([pa.field("x", pa.int32(), nullable=False)])),
    ]
)
DELTA = (
    '{"type":"struct","fields":[{"name":"id","type":"integer","nullable":true,"metadata":{}},'
    '{"name":"v","type":"integer"},{"name":"s","type":{"type":"struct","fields":'
    '[{"name":"x","type":"integer","nullable":false}]}}]}'
)


def write_parquet(path: Path) -> None:
    pq.write_table(ARROW.empty_table(), path)


def write_arrow_file(path: Path) -> None:
    with pa.ipc.new_file(path, ARROW):
        pass


def write_arrow_stream(path: Path) -> None:
    path.write_bytes(ARROW.serialize().to_pybytes())


@pytest.mark.parametrize(
    ("form", "write"),
    [
        ("parquet", write_parquet),
        ("arrow", write_arrow_file),
        ("arrow", write_arrow_stream),
        ("arrow", lambda path: path.write_text(ARROW.to_string())),
        ("json", lambda path: path.write_text(DELTA)),
        ("ddl", lambda path: path.write_text("id INT, v INT, s STRUCT<x: INT NOT NULL>")),
        ("ddl", lambda path: path.write_text("CREATE TABLE t (id INT, v INT, s STRUCT<x: INT>);")),
    ],
)
def test_the_forms_of_a_file(run, table, form, write) -> None:
    write(Path("data"))
    result = run("schema", "check", table, "data", "-o", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.document["against"]["format"] == form


@pytest.mark.parametrize("form", ["ddl", "json", "arrow"])
@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("name", ["all_types", "tw_kitchen_sink", "column_defaults"])
def test_a_table_takes_what_it_exports(run, golden, name, form, output) -> None:
    table = golden(name)
    exported = run("schema", "export", table, "--as", form, "-o", output)
    Path("schema").write_text(exported.stdout)
    result = run("schema", "check", table, "schema")
    assert result.exit_code == 0, result.stdout


@pytest.mark.parametrize(
    ("content", "exit_code", "code"),
    [
        (b"", 2, "NOT_A_SCHEMA"),
        (b"\xff\xfe\x00\x01", 2, "NOT_A_SCHEMA"),
        (b"{}", 2, "NOT_A_SCHEMA"),
        (b'{"type":"struct","fields":[{"name":"a"}]}', 2, "NOT_A_SCHEMA"),
        (b'{"type":', 2, "NOT_A_SCHEMA"),
        (b"PAR1 and nothing else", 8, "SCHEMA_FILE_UNREADABLE"),
        (b"ARROW1\x00\x00 and nothing else", 8, "SCHEMA_FILE_UNREADABLE"),
        (b"a INT b INT", 2, "DDL_SYNTAX"),
        (b"a TIME", 4, "TYPE_NOT_IN_DELTA"),
        (b"t: time64[us]", 4, "TYPE_NOT_IN_DELTA"),
    ],
)
def test_what_has_no_schema(run, table, content, exit_code, code) -> None:
    Path("data").write_bytes(content)
    result = run("schema", "check", table, "data", "-o", "json")
    assert result.exit_code == exit_code
    assert result.document["error"]["code"] == code


def test_a_file_that_is_not_there(run, table) -> None:
    result = run("schema", "check", table, "nothing", "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (3, "SCHEMA_FILE_NOT_FOUND")


def test_a_folder(run, table, tmp_path) -> None:
    result = run("schema", "check", table, str(tmp_path), "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (2, "NOT_A_FILE")


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        ({"type": "struct", "fields": [{"name": "t", "type": "timestamp"}]}, "timestamp"),
        ({"type": "struct"}, "timestamp_ntz"),
    ],
)
def test_what_spark_noted_in_a_file_counts(run, table, noted, expected) -> None:
    schema = pa.schema([("t", pa.timestamp("us"))]).with_metadata(
        {"org.apache.spark.sql.parquet.row.metadata": json.dumps(noted)}
    )
    pq.write_table(schema.empty_table(), "data")
    result = run("schema", "check", table, "data", "-o", "json")
    assert result.document["against"]["schema"]["fields"][0]["type"] == expected


def test_int96_means_an_instant(run, table) -> None:
    times = pa.table({"t": pa.array([0], pa.timestamp("us"))})
    pq.write_table(times, "data", use_deprecated_int96_timestamps=True)
    result = run("schema", "check", table, "data", "-o", "json")
    assert result.document["against"]["schema"]["fields"][0]["type"] == "timestamp"


COLUMNS = "id INT, v INT, s STRUCT<x: INT NOT NULL>"


def test_columns_that_are_typed_or_come_from_stdin(run, table, monkeypatch) -> None:
    typed = run("schema", "check", table, COLUMNS, "-o", "json").document
    assert (typed["against"]["format"], typed["accepted"]) == ("ddl", True)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(COLUMNS.encode())))
    piped = run("schema", "check", table, "-", "-o", "json").document
    assert piped["answers"] == typed["answers"]


def test_what_else_a_word_may_have_meant(run, table) -> None:
    result = run("schema", "check", table, "nofile")
    assert result.exit_code == 3
    assert result.stderr.endswith(
        "hint: columns can also be given as they are: 'id int, name string'\n"
    )


def test_a_condition_is_told_once(run, golden) -> None:
    shown = run("schema", "check", golden("tw_nested"), "x INT, w INT").stdout
    assert shown.count("the write sets the option mergeSchema") == 1
    assert (
        "On condition: append with mergeSchema; append with mergeSchema and type widening\n"
        in shown
    )


def test_the_modes_are_listed_as_they_are_spelled(run, golden) -> None:
    table = golden("tw_nested")
    result = run("schema", "check", table, "id int", "--mode", "upsert")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0] == (
        "error: invalid value for '--mode': 'upsert' is not one of append, mergeSchema, "
        "typeWidening, overwriteSchema [USAGE]"
    )
    words = ("schema", "check", table, "id int", "--mode")
    assert run(*words, "MERGESCHEMA").stdout == run(*words, "mergeSchema").stdout
