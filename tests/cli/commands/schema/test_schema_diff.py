import json
from pathlib import Path

import pytest

MAPPED = """\
tw_colmap_id   v0 → v9    3 widened · 2 renamed · 1 added · 1 dropped

    id                         int
  ~ `old name` → `new, name;`  byte → int     renamed; widened in v4
      typeChanges              + byte → int
  - gone                       string         values stay in the files
    s
  ~   .x                       int → long     widened in v5
        typeChanges            + int → long
  ~   .y → z                   string         renamed
  ~ p                          short → int    widened in v6
      typeChanges              + short → int
  + gone                       long           same name, new id

Readers  open queries must refresh: `new, name;`, gone, s.x, s.z, p
"""
SIDE_BY_SIDE = """\
tw_colmap_id   v0 → v9    3 widened · 2 renamed · 1 added · 1 dropped

VERSION 0         VERSION 9          CHANGE                     READERS
├─ id int         ├─ id int
├─ old name byte  ├─ new, name; int  renamed; widened           must refresh
├─ gone string                       dropped                    must refresh
├─ s struct       ├─ s struct
│  ├─ x int       │  ├─ x long       widened                    must refresh
│  └─ y string    │  └─ z string     renamed                    must refresh
└─ p short        ├─ p int           widened                    must refresh
                  └─ gone long       added — same name, new id  continue
"""
NESTED = """\
tw_nested   v2 → v12    10 widened

    id                 int
    s
      .inner
  ~     .b             short → long                    widened in v3
          typeChanges  + short → long
  ~ arr[]              short → int                     widened in v4
      typeChanges      + short → int
    mk
  ~   .key             byte → short                    widened in v5
        typeChanges    + byte → short
    mv
  ~   .value           float → double                  widened in v6
        typeChanges    + float → double
    mkv
  ~   .key             int → long                      widened in v7
        typeChanges    + int → long
  ~   .value           int → long                      widened in v8
        typeChanges    + int → long
  ~ aa[][]             byte → int                      widened in v9
      typeChanges      + byte → int
    am[]
  ~   .key             short → int                     widened in v10
        typeChanges    + short → int
  ~   .value           decimal(6,2) → decimal(10,4)    widened in v11
        typeChanges    + decimal(6,2) → decimal(10,4)
    ma
  ~   .value[]         int → long                      widened in v12
        typeChanges    + int → long
    sa                 array<struct>
    mm                 map

Readers  open queries must refresh: s.inner.b, arr[], mk.key, mv.value, mkv.key, mkv.value, aa[][], am[].key, am[].value, ma.value[]
"""  # noqa: E501
NESTED_TREES = """\
tw_nested   v2 → v12    10 widened

VERSION 2                    VERSION 12                    CHANGE   READERS
├─ id int                    ├─ id int
├─ s struct                  ├─ s struct
│  ├─ a int                  │  ├─ a int
│  └─ inner struct           │  └─ inner struct
│     └─ b short             │     └─ b long               widened  must refresh
├─ arr array                 ├─ arr array
│  └─ element short          │  └─ element int             widened  must refresh
├─ mk map                    ├─ mk map
│  ├─ key byte               │  ├─ key short               widened  must refresh
│  └─ value string           │  └─ value string
├─ mv map                    ├─ mv map
│  ├─ key string             │  ├─ key string
│  └─ value float            │  └─ value double            widened  must refresh
├─ mkv map                   ├─ mkv map
│  ├─ key int                │  ├─ key long                widened  must refresh
│  └─ value int              │  └─ value long              widened  must refresh
├─ aa array                  ├─ aa array
│  └─ element array          │  └─ element array
│     └─ element byte        │     └─ element int          widened  must refresh
├─ am array                  ├─ am array
│  └─ element map            │  └─ element map
│     ├─ key short           │     ├─ key int              widened  must refresh
│     └─ value decimal(6,2)  │     └─ value decimal(10,4)  widened  must refresh
├─ ma map                    ├─ ma map
│  ├─ key string             │  ├─ key string
│  └─ value array            │  └─ value array
│     └─ element int         │     └─ element long         widened  must refresh
├─ sa array                  ├─ sa array
│  └─ element struct         │  └─ element struct
│     ├─ x int               │     ├─ x int
│     └─ m map               │     └─ m map
│        ├─ key string       │        ├─ key string
│        └─ value short      │        └─ value short
└─ mm map                    └─ mm map
   ├─ key string                ├─ key string
   └─ value map                 └─ value map
      ├─ key byte                  ├─ key byte
      └─ value byte                └─ value byte
"""
SAME = """\
many_ops_history   v5 → v5

The schemas are the same.
"""
METADATA = """\
many_ops_history   v0 → v16    2 added · 1 altered

    id  int
  ~ v   string  comment 'c'
  + w   int
  + z   int

Readers  open queries continue
"""
NULLABLE = """\
check_constraints_invariants   v0 → v5    1 altered

  ~ id  int     nullable
    v   int
    s   struct

Readers  open queries must refresh: id
"""
TWO_TABLES = """\
A  {here}/many_ops_history  v5
B  {here}/crc_good  v4

many_ops_history   A → B    1 dropped

    id  int
  - v   string
"""


def changed(run, *args: str) -> list[tuple[str, str, object, object]]:
    result = run("schema", "diff", *args, "-o", "ndjson")
    assert (result.exit_code, result.stderr) == (0, "")
    found = map(json.loads, result.stdout.splitlines())
    return [(c["kind"], c["path"], c["before"], c["after"]) for c in found]


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        ("tw_colmap_id", ["0"], MAPPED),
        ("tw_colmap_id", ["0", "--side-by-side"], SIDE_BY_SIDE),
        ("tw_nested", ["2", "12"], NESTED),
        ("tw_nested", ["2", "12", "--side-by-side"], NESTED_TREES),
        ("many_ops_history", ["5", "5"], SAME),
        ("many_ops_history", ["0"], METADATA),
        ("check_constraints_invariants", ["0"], NULLABLE),
    ],
)
def test_two_versions(run, golden, name, args, text) -> None:
    result = run("schema", "diff", golden(name), *args)
    assert (result.exit_code, result.stdout, result.stderr) == (0, text, "")


def test_two_tables(run, golden) -> None:
    first, second = golden("many_ops_history"), golden("crc_good")
    result = run("schema", "diff", first, "5", second)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == TWO_TABLES.format(here=Path.cwd())
    document = run("schema", "diff", first, second, "1", "-o", "json").document
    assert document["table"]["uri"] == f"{Path.cwd()}/many_ops_history"
    assert document["from"] == {"uri": f"{Path.cwd()}/many_ops_history", "version": 16}
    assert document["to"] == {"uri": f"{Path.cwd()}/crc_good", "version": 1}
    assert [change["path"] for change in document["changes"]] == ["v", "w", "z"]


def test_on_a_terminal(on_terminal, golden) -> None:
    assert on_terminal("schema", "diff", golden("tw_colmap_id"), "0") == MAPPED.splitlines()


def test_changes_by_column_id(run, golden) -> None:
    assert changed(run, golden("tw_colmap_id"), "0", "9") == [
        ("renamed", "`new, name;`", "`old name`", "`new, name;`"),
        ("widened", "`new, name;`", "byte", "integer"),
        ("dropped", "gone", "string", None),
        ("widened", "s.x", "integer", "long"),
        ("renamed", "s.z", "s.y", "s.z"),
        ("widened", "p", "short", "integer"),
        ("added", "gone", None, "long"),
    ]


def test_ids_of_other_tables_mean_nothing(run, golden) -> None:
    first, second = golden("tw_colmap_id"), golden("tw_kitchen_sink")
    assert changed(run, first, second) == [
        ("metadata", "id", {"nullable": True}, {"nullable": False}),
        ("dropped", "`new, name;`", "integer", None),
        ("dropped", "s", "struct<x:long,z:string>", None),
        ("dropped", "p", "integer", None),
        ("dropped", "gone", "long", None),
        ("added", "v", None, "short"),
        ("added", "`a b`", None, "struct<x:double>"),
    ]


def test_a_copy_of_a_table_is_the_same_table(run, golden) -> None:
    Path(golden("tw_colmap_id")).rename("copy")
    assert ("renamed", "s.z", "s.y", "s.z") in changed(run, golden("tw_colmap_id"), "0", "copy")


def test_rows_of_an_identity_column_change_no_schema(run, golden) -> None:
    assert changed(run, golden("identity_columns"), "0") == []


def test_pruned_type_changes(run, golden) -> None:
    change = {"toType": "long", "fromType": "integer"}
    assert changed(run, golden("tw_dropped_checkpoint_protection"), "5", "6") == [
        ("metadata", "v", {"delta.typeChanges": [change]}, {}),
    ]


@pytest.mark.parametrize(
    ("args", "paths"),
    [
        (["5", "6"], ["w"]),
        (["6", "5"], ["w"]),
        (["2026-01-02T03:05:30Z", "6"], ["w"]),
        (["0", "2026-01-02T03:06:30"], ["w"]),
        (["2026-01-02"], None),
        (["./5", "0"], ["v", "w", "z"]),
    ],
    ids=str,
)
def test_what_is_a_version(run, golden, args, paths) -> None:
    table = golden("many_ops_history")
    Path(golden("crc_good")).rename("5")
    result = run("schema", "diff", table, *args, "-o", "json")
    if paths is None:
        assert (result.exit_code, result.document["error"]["code"]) == (
            3,
            "TIMESTAMP_BEFORE_HISTORY",
        )
    else:
        assert [change["path"] for change in result.document["changes"]] == paths


@pytest.mark.parametrize(
    ("args", "exit_code"), [(["5", "6"], 5), (["5", "5"], 0), (["6", "5"], 5), (["16"], 0)]
)
def test_the_exit_code_tells(run, golden, valid_document, args, exit_code) -> None:
    table = golden("many_ops_history")
    assert run("schema", "diff", table, *args).exit_code == 0
    assert run("schema", "diff", table, *args, "--exit-code").exit_code == exit_code
    result = run("schema", "diff", table, *args, "--exit-code", "-o", "json")
    assert result.exit_code == exit_code
    assert valid_document("schema diff", result.stdout)["ok"] is True


SEE = "hint: see deltactl schema diff --help\n"
NO_TIME = "is neither a version nor a time such as 2024-05-31T12:00:00Z [USAGE]\n"


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        ([], 2, f"error: missing argument 'TABLE' [USAGE]\n{SEE}"),
        (["crc_good"], 2, f"error: missing argument 'A' [USAGE]\n{SEE}"),
        (
            ["crc_good", "2026-13-01"],
            2,
            f"error: invalid value for A or B: '2026-13-01' {NO_TIME}{SEE}",
        ),
        (
            ["crc_good", "crc_good", "crc_good"],
            2,
            f"error: invalid value for A or B: 'crc_good' {NO_TIME}{SEE}",
        ),
        (
            ["crc_good", "0", "./nope"],
            3,
            "error: no table at ./nope: {here}/nope does not exist [TABLE_NOT_FOUND]\n"
            "hint: {here} exists, but has nothing named nope\n",
        ),
        (
            ["nope", "0"],
            3,
            "error: no table at nope: {here}/nope does not exist [TABLE_NOT_FOUND]\n"
            "hint: {here} exists, but has nothing named nope\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("crc_good")
    result = run("schema", "diff", *args)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert result.stderr == stderr.format(here=Path.cwd())


@pytest.mark.parametrize("args", [["99"], ["0", "99"]], ids=str)
def test_no_such_version(run, golden, args) -> None:
    result = run("schema", "diff", golden("crc_good"), *args)
    assert (result.exit_code, result.stdout) == (3, "")
    error, *_ = result.stderr.splitlines()
    assert error == "error: there is no version 99: the newest is 4 [VERSION_NOT_FOUND]"


def test_the_document_says_whether_readers_go_on(run, golden, valid_document) -> None:
    result = run("schema", "diff", golden("tw_colmap_id"), "0", "-o", "json")
    document = valid_document("schema diff", result.stdout)
    found = [(c["kind"], c["path"], c["readersGoOn"]) for c in document["changes"]]
    assert ("added", "gone", True) in found
    assert ("dropped", "gone", False) in found
    assert ("widened", "p", False) in found


def test_two_tables_have_no_readers_in_common(run, golden) -> None:
    result = run("schema", "diff", golden("many_ops_history"), golden("crc_good"))
    assert "Readers" not in result.stdout
    trees = run("schema", "diff", "many_ops_history", "crc_good", "--side-by-side")
    assert "READERS" not in trees.stdout
