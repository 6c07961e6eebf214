import json
import sys
from pathlib import Path

import pytest

from deltactl.cli.process import output

LIVE = """\
   SIZE  ROWS  DELETED  PATH
2.0 KiB     1        -  CJ/part-00000-fc4aa13c-23bc-4994-96d5-485715d8cc9a-c000.snappy.parquet
1.9 KiB     1        -  Y5/part-00000-f226224d-7a4d-490f-946f-0300cc71d2b3-c000.snappy.parquet
2.0 KiB     3        1  qh/part-00000-77b18d47-b2b2-433c-8878-f62ac703b3e6-c000.snappy.parquet
"""
WITH_CHANGE_FILES = """\
   SIZE  ROWS  DELETED  PATH
1.1 KiB     3        -  part-00000-1a5b764a-1e21-44f1-8771-28154000970a.c000.snappy.parquet

and 3 files of the change data feed, 3.5 KiB, written since version 0
"""
PARTITIONS = {
    ". / k", " lead / k", "%20 / k", "{}[] / k", "100% / k", "null / e", "null / n", "a/b / k",
    "a=b / k", "a&b;c / k", "a+b / k", 'dq"dq / k', "h#h / k", "it's / k", "q?q / k", "s*s / k",
    "x:y / k", "ünïcödé / k", "日本語 / k", "😀 / k",
}  # fmt: skip


def physical(run, table: str, column: str, *args: str) -> list[tuple[str | None, int, int]]:
    result = run("files", table, "--physical", column, *args, "-o", "ndjson")
    assert (result.exit_code, result.stderr) == (0, "")
    found = map(json.loads, result.stdout.splitlines())
    return [(held["type"], held["files"], held["bytes"]) for held in found]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tw_kitchen_sink", LIVE),
        ("cdf", WITH_CHANGE_FILES),
        ("empty_table", "Version 0 has no files.\n"),
    ],
)
def test_the_live_files(run, golden, name, text) -> None:
    result = run("files", golden(name))
    assert (result.exit_code, result.stdout, result.stderr) == (0, text, "")


@pytest.mark.parametrize("prepare", [None, "checkpoint"])
def test_partitions_have_the_names_of_their_columns(run, golden, prepare: str | None) -> None:
    table = golden("tw_colmap_id")
    if prepare is not None:
        assert run(prepare, table).exit_code == 0
    rows = [line.split() for line in run("files", table).stdout.splitlines()]
    assert [row[-2] for row in rows] == ["PARTITION", "p=7", "p=70000"]
    for form in ("json", "ndjson"):
        lines = run("files", table, "-o", form).stdout.splitlines()
        values = [line.partition('"partitionValues":')[2].partition("}")[0] for line in lines]
        assert values == ['{"p":"7"', '{"p":"70000"']


def test_an_empty_table(run, golden, on_terminal) -> None:
    table = golden("empty_table")
    assert on_terminal("files", table) == ["Version 0 has no files."]
    assert run("files", table, "-o", "json").document["files"] == []
    result = run("files", table, "-o", "ndjson")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")


def test_on_a_terminal(on_terminal, golden) -> None:
    assert on_terminal("files", golden("tw_kitchen_sink"), "-n", "1", "-v") == [
        "   SIZE  ROWS  DELETED",
        "2.0 KiB     1        -",
        "         PATH  CJ/part-00000-fc4aa13c-23bc-4994-96d5-485715d8cc9a-c000.snappy.parquet",
    ]


def paths(text: str) -> list[str]:
    return [word for word in text.split() if word.endswith(".parquet")]


def test_a_terminal_gets_the_first(run, golden, monkeypatch: pytest.MonkeyPatch) -> None:
    table = golden("special_partition_paths")
    log = Path(table, "_delta_log")
    add = json.dumps(
        {
            "add": {
                "path": "p=z/q=k/last.parquet",
                "partitionValues": {"p": "z", "q": "k"},
                "size": 9,
                "modificationTime": 1767322800000,
                "dataChange": True,
            }
        }
    )
    everything = paths(run("files", table).stdout)
    monkeypatch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
    monkeypatch.setenv("COLUMNS", "200")

    result = run("files", table)
    assert (len(everything), paths(result.stdout), result.stderr) == (20, everything, "")

    (log / "00000000000000000003.json").write_text(f"{add}\n")
    result = run("files", table)
    assert (result.exit_code, len(paths(result.stdout))) == (0, 20)
    assert result.stderr == "note: the first 20 files; -n 0 shows all\n"
    assert run("files", table, "-q").stderr == ""
    for args, count in ((["-n", "0"], 21), (["-n", "2"], 2), (["-n", "99"], 21)):
        result = run("files", table, *args)
        assert (len(paths(result.stdout)), result.stderr) == (count, "")
    assert len(run("files", table, "-o", "ndjson").stdout.splitlines()) == 21


def test_one_file(run, golden) -> None:
    result = run("files", golden("tw_kitchen_sink"), "-o", "ndjson")
    assert json.loads(result.stdout.splitlines()[2]) == {
        "path": "qh/part-00000-77b18d47-b2b2-433c-8878-f62ac703b3e6-c000.snappy.parquet",
        "size": 2005,
        "partitionValues": {},
        "modificationTime": "2026-11-21T06:08:30.313Z",
        "records": 3,
        "deletionVector": {
            "storageType": "u",
            "pathOrInlineDv": "Q#/tC(E[=QLTKuc=b71)",
            "offset": 1,
            "sizeInBytes": 34,
            "cardinality": 1,
        },
        "baseRowId": 0,
        "defaultRowCommitVersion": 1,
    }


def test_partition_values(run, golden) -> None:
    table = golden("special_partition_paths")
    files = json.loads(run("files", table, "-o", "json").stdout)["files"]
    values = [file["partitionValues"] for file in files]
    assert {f"{'null' if v['p'] is None else v['p']} / {v['q']}" for v in values} == PARTITIONS
    first, second, *_ = run("files", table).stdout.splitlines()
    assert first.split() == ["SIZE", "ROWS", "DELETED", "PARTITION", "PATH"]
    assert second == (
        "903 B     1        -  p= lead, q=k    "
        "p=%20lead/q=k/part-00000-0db5ca08-f615-473e-9ca6-86639f303b29.c000.snappy.parquet"
    )


@pytest.mark.parametrize(
    ("args", "count"), [([], 3), (["-n", "2"], 2), (["-n", "9"], 3), (["-n", "0"], 3)]
)
def test_a_limit(run, golden, args, count) -> None:
    table = golden("tw_kitchen_sink")
    assert len(run("files", table, *args, "-o", "ndjson").stdout.splitlines()) == count


def test_an_older_version(run, golden) -> None:
    result = run("files", golden("tw_kitchen_sink"), "--at", "4", "-o", "json")
    document = json.loads(result.stdout)
    assert document["version"] == 4
    assert [file["path"][:2] for file in document["files"]] == ["Y5", "qh"]


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("tw_integers_floats", "b", [("byte", 1, 2250), ("long", 1, 2059), ("short", 1, 2326)]),
        ("tw_integers_floats", "F", [("double", 2, 4385), ("float", 1, 2250)]),
        ("tw_nested", "arr.element", [("integer", 1, 7075), ("short", 1, 6952)]),
        ("tw_nested", "mkv.key", [("integer", 1, 6952), ("long", 1, 7075)]),
        ("tw_nested", "am.element.value", [("decimal(10,4)", 1, 7075), ("decimal(6,2)", 1, 6952)]),
        ("tw_colmap_id", "s.x", [("integer", 1, 3393), ("long", 1, 3651)]),
        ("tw_colmap_id", "`new, name;`", [("byte", 1, 3393), ("integer", 1, 3651)]),
        ("tw_colmap_id", "gone", [(None, 1, 3393), ("long", 1, 3651)]),
        ("tw_kitchen_sink", "`a b`.x", [("float", 2, 3958), ("double", 1, 2015)]),
        ("unicode_schema", "`UPPER lower`.`x.y`", [("integer", 1, 2439)]),
        ("all_types", "m.value.x", [("integer", 2, 9612)]),
        ("all_types", "st", [("struct", 2, 9612)]),
        ("empty_table", "id", []),
    ],
)
def test_physical_types(run, golden, name, column, expected) -> None:
    assert physical(run, golden(name), column) == expected


def test_physical_types_of_an_older_version(run, golden) -> None:
    table = golden("tw_integers_floats")
    assert physical(run, table, "b", "--at", "5") == [("byte", 1, 2250)]


def test_physical_types_as_text(run, golden) -> None:
    result = run("files", golden("tw_colmap_id"), "--physical", "gone")
    assert result.stdout == (
        "gone is long\n"
        "\n"
        "IN THE FILES     FILES     SIZE\n"
        "not in the file      1  3.3 KiB\n"
        "long                 1  3.6 KiB\n"
    )
    result = run("files", "tw_colmap_id", "--physical", "`new, name;`")
    assert result.stdout.startswith("`new, name;` is int\n")
    assert "\nint               1  3.6 KiB\n" in result.stdout


def test_a_file_that_is_gone(run, golden) -> None:
    table = golden("inv_data_file_missing")
    assert run("files", table).exit_code == 0
    document = run("files", table, "--physical", "id", "-o", "json").document
    assert document["physicalTypes"] == [{"type": "integer", "files": 2, "bytes": 1346}]
    assert document["unreadableFiles"] == 1
    gone = "part-00000-52540371-9773-4ae2-b25f-7d4d9da29953-c000.snappy.parquet"
    assert document["warnings"] == [{"code": "DATA_FILE_MISSING", "message": f"{gone} is missing"}]
    result = run("files", table, "--physical", "id")
    assert result.stderr == f"warning: {gone} is missing [DATA_FILE_MISSING]\n"


def test_a_file_that_is_no_parquet(run, golden) -> None:
    table = golden("crc_good")
    live = json.loads(run("files", table, "-o", "json").stdout)["files"][0]["path"]
    (Path(table) / live).write_bytes(b"PAR1 this is none")
    document = run("files", table, "--physical", "id", "-o", "json").document
    assert document["unreadableFiles"] == 1
    assert [warning["code"] for warning in document["warnings"]] == ["DATA_FILE_UNREADABLE"]


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        ([], 2, "error: missing argument 'TABLE' [USAGE]\nhint: see deltactl files --help\n"),
        (
            ["tw_nested", "-n", "-1"],
            2,
            "error: invalid value for '-n' / '--limit': '-1' is not a whole number from 0 on "
            "[USAGE]\n"
            "hint: see deltactl files --help\n",
        ),
        (
            ["tw_nested", "--physical", "nope"],
            3,
            "error: no column nope [COLUMN_NOT_FOUND]\n"
            "hint: columns: id, s, arr, mk, mv, mkv, aa, am, ma, sa, …\n",
        ),
        (
            ["tw_nested", "--physical", "arr.elment"],
            3,
            "error: no column arr.elment: arr has no elment [COLUMN_NOT_FOUND]\n"
            "hint: did you mean arr.element?\n",
        ),
        (
            ["tw_nested", "--physical", "a..b"],
            2,
            "error: 'a..b' is not a column path [BAD_COLUMN_PATH]\n"
            "hint: write s.x, ar.element, m.value.x; backticks round a name that has a dot: "
            "`a.b`.c\n",
        ),
        (
            ["tw_nested", "--at", "99"],
            3,
            "error: there is no version 99: the newest is 18 [VERSION_NOT_FOUND]\n"
            "hint: deltactl history tw_nested lists the versions that there are\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("tw_nested")
    result = run("files", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)
