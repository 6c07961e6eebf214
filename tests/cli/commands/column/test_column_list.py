"""`column list`: paths that other commands take as COLUMN."""

import json


def test_the_list(run, golden) -> None:
    result = run("column", "list", golden("tw_kitchen_sink"))
    assert result.stdout.splitlines() == [
        "COLUMN   TYPE    ABOUT",
        "id       int     not null  in files: col-02541b6f-20ff-4df0-b4e2-815e3430c75c  "
        "checked by pos",
        "v        short   in files: col-c3b352d0-8a92-44d2-81a9-385d7de444f7  default 7",
        "`a b`    struct  in files: col-84f420d0-e855-443a-b78b-910eb4ceb930",
        "`a b`.x  double  in files: col-1de4fc97-39d8-4f8b-ac67-b5a96fae00dd  float → double v5",
    ]


def test_each_path_is_a_column(run, golden) -> None:
    table = golden("tw_nested")
    lines = run("column", "list", table, "-o", "ndjson").stdout.splitlines()
    paths = [json.loads(line)["path"] for line in lines]
    assert paths[:4] == ["id", "s", "s.a", "s.inner"]
    assert "mkv.value" in paths
    for path in paths:
        assert run("schema", "types", table, path).exit_code == 0


def test_the_rows_are_those_of_schema_show(run, golden) -> None:
    table = golden("tw_nested")
    rows = run("column", "list", table, "--at", "3", "-o", "json").document["columns"]
    assert rows == run("schema", "show", table, "--at", "3", "-o", "json").document["columns"]


def test_a_plain_table_has_two_columns(run, golden) -> None:
    lines = run("column", "list", golden("crc_good")).stdout.splitlines()
    assert lines[0].split() == ["COLUMN", "TYPE"]
