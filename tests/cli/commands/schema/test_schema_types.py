import json

import pytest

FREE = """\
id is int and can become:

TYPE                           RULE                ICEBERG
long                           integer widening    safe
double                         integer to double   not possible
decimal(p,s) with p - s >= 10  integer to decimal  not possible

Nothing blocks these changes today.
"""
BLOCKED = """\
v is int and can become:

TYPE                           RULE                ICEBERG
long                           integer widening    safe
double                         integer to double   not possible
decimal(p,s) with p - s >= 10  integer to decimal  not possible

In the way today
  the table does not have the feature typeWidening
  the property delta.enableTypeWidening is not true
  it is used by the CHECK constraint positive: v > 0
"""
BLOCKED_IN_PART = """\
id is int and can become:

TYPE                           RULE                ICEBERG
long                           integer widening    safe
double                         integer to double   not possible
decimal(p,s) with p - s >= 10  integer to decimal  not possible

In the way today
  the table does not have the feature typeWidening
  the property delta.enableTypeWidening is not true
  double, decimal(p,s) with p - s >= 10: Iceberg has no such change, and \
delta.enableIcebergCompatV2 is true
"""


@pytest.mark.parametrize(
    ("name", "column", "text"),
    [
        ("tw_nested", "id", FREE),
        ("check_constraints_invariants", "v", BLOCKED),
        ("iceberg_compat_v2", "id", BLOCKED_IN_PART),
        (
            "all_types",
            "st",
            "st is struct<a:string,n:struct<b:binary>> and cannot be widened.\n",
        ),
        ("all_types", "dec", "dec is decimal(38,18) and cannot be widened.\n"),
    ],
)
def test_the_targets(run, golden, name, column, text) -> None:
    result = run("schema", "types", golden(name), column)
    assert (result.exit_code, result.stdout, result.stderr) == (0, text, "")


def test_on_a_terminal(on_terminal, golden) -> None:
    lines = on_terminal("schema", "types", golden("check_constraints_invariants"), "v")
    assert lines == BLOCKED.splitlines()


def targets(run, table: str, column: str, *args: str) -> list[dict[str, object]]:
    result = run("schema", "types", table, column, *args, "-o", "ndjson")
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("tw_nested", "mk.key", ["long", "double", "decimal(10,0)"]),
        ("tw_nested", "MM.value.KEY", ["integer", "long", "double", "decimal(10,0)"]),
        ("tw_nested", "am.element.value", ["decimal(11,4)", "decimal(11,5)"]),
        ("all_types", "b", ["short", "integer", "long", "double", "decimal(10,0)"]),
        ("all_types", "l", ["decimal(20,0)"]),
        ("all_types", "f", ["double"]),
        ("all_types", "dt", ["timestamp_ntz"]),
        ("all_types", "str", []),
    ],
)
def test_a_type_that_can_be_typed_for_each(run, golden, name, column, expected) -> None:
    assert [target["example"] for target in targets(run, golden(name), column)] == expected


def test_families_of_decimals(run, golden) -> None:
    whole = targets(run, golden("tw_nested"), "id")[2]
    assert whole["decimal"] == {"minWholeDigits": 10, "minScale": 0, "maxScale": 28}
    same, more = targets(run, "tw_nested", "am.element.value")
    assert same["decimal"] == {"minWholeDigits": 7, "minScale": 4, "maxScale": 4}
    assert more["decimal"] == {"minWholeDigits": 6, "minScale": 5, "maxScale": 32}


def test_what_stands_in_the_way(run, golden) -> None:
    codes = [
        [notice["code"] for notice in target["blockedBy"]]
        for target in targets(run, golden("identity_columns"), "id")
    ]
    assert codes == [
        ["TYPE_WIDENING_NOT_SUPPORTED", "TYPE_WIDENING_NOT_ENABLED", "IDENTITY_COLUMN"]
    ]
    (date,) = targets(run, golden("all_types"), "dt")
    assert [notice["code"] for notice in date["blockedBy"]] == [
        "TYPE_WIDENING_NOT_SUPPORTED",
        "TYPE_WIDENING_NOT_ENABLED",
        "TIMESTAMP_NTZ_NOT_SUPPORTED",
    ]


def test_an_older_version(run, golden) -> None:
    document = run(
        "schema", "types", golden("tw_nested"), "s.inner.b", "--at", "0", "-o", "json"
    ).document
    assert document["version"] == 0
    assert document["column"] == {"path": "s.inner.b", "type": "short"}


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        (
            [],
            2,
            "error: missing argument 'TABLE' [USAGE]\nhint: see deltactl schema types --help\n",
        ),
        (
            ["tw_nested"],
            2,
            "error: missing argument 'COLUMN' [USAGE]\nhint: see deltactl schema types --help\n",
        ),
        (
            ["tw_nested", "nope"],
            3,
            "error: no column nope [COLUMN_NOT_FOUND]\n"
            "hint: columns: id, s, arr, mk, mv, mkv, aa, am, ma, sa, …\n",
        ),
        (
            ["tw_nested", "mk.vlue"],
            3,
            "error: no column mk.vlue: mk has no vlue [COLUMN_NOT_FOUND]\n"
            "hint: did you mean mk.value?\n",
        ),
        (
            ["tw_nested", "id", "--at", "99"],
            3,
            "error: there is no version 99: the newest is 18 [VERSION_NOT_FOUND]\n"
            "hint: deltactl history tw_nested lists the versions that there are\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("tw_nested")
    result = run("schema", "types", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)
