"""The answers that Spark gave, and what else is told of data that a table is to take."""

import pytest
from append_cases import CASES, MODES, Case

from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.write_compat import Mode, WriteTarget, remarks, write_verdict
from deltactl.sql.parser import parse_columns

# What Spark puts into the protocol of a table that is made with the property.
FEATURES = {
    "delta.feature.timestampNtz": "timestampNtz",
    "delta.enableTypeWidening": "typeWidening",
    "delta.columnMapping.mode": "columnMapping",
}


def receiver(case: Case) -> WriteTarget:
    kept = {k: v for k, v in case.properties.items() if not k.startswith("delta.feature.")}
    checks = {} if case.check is None else {"delta.constraints.c": case.check}
    return WriteTarget(
        schema=parse_columns(case.table),
        partition_columns=() if case.partition is None else (case.partition,),
        features={FEATURES[key] for key in case.properties if key in FEATURES},
        configuration=kept | checks,
    )


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_answer_is_that_of_spark(case: Case, mode: str) -> None:
    expected = case.answers[MODES.index(mode)]
    data = parse_schema(case.data) if case.data.startswith("{") else parse_columns(case.data)
    found = write_verdict(receiver(case), data, Mode(mode))
    if isinstance(expected, str):
        assert (found.clashes, str(found.schema)) == ((), expected)
    else:
        assert expected.code in {clash.code for clash in found.clashes}


def simple(table: str, **more) -> WriteTarget:
    return receiver(Case("", table, "", ("",) * 4, **more))


def test_every_clash_is_told_at_once() -> None:
    table = simple("a INT, b STRING, c DECIMAL(5,2), s STRUCT<x: DATE>, n INT NOT NULL")
    data = parse_columns("a STRING, B INT, c DECIMAL(5,2), s STRUCT<X: TIMESTAMP, y: INT>, z INT")
    found = write_verdict(table, data, Mode.APPEND)
    assert [clash.message for clash in found.clashes] == [
        "a is int in the table and string in the data",
        "b is string in the table and int in the data",
        "s.x is date in the table and timestamp in the data",
        "the data has no n, which may not be null",
        "the table has no s.y",
        "the table has no z",
    ]
    assert found.clashes[2].to_json() == {
        "code": "TYPES_CLASH",
        "path": "s.x",
        "message": "s.x is date in the table and timestamp in the data",
        "table": "date",
        "data": "timestamp",
    }


def test_changes_are_those_of_a_diff() -> None:
    data = parse_columns("a BIGINT, s STRUCT<y: INT>, d DATE COMMENT 'when'")
    found = write_verdict(simple("a INT, s STRUCT<x: INT>"), data, Mode.TYPE_WIDENING)
    assert [str(change) for change in found.changes] == [
        "a int → long",
        "+ s.y int",
        "+ d date — when",
    ]
    assert [change.readers_can_continue for change in found.changes] == [False, True, True]


def test_an_overwrite_loses_what_the_data_does_not_have() -> None:
    table = simple("a INT NOT NULL COMMENT 'x', b INT")
    found = write_verdict(table, parse_columns("a INT NOT NULL"), Mode.OVERWRITE_SCHEMA)
    assert [str(change) for change in found.changes] == [
        "a: nullable, comment 'x' removed",
        "- b int",
    ]


def test_iceberg_lets_less_be_widened() -> None:
    table = simple("a INT, b INT", properties={"delta.enableIcebergCompatV2": "true"})
    found = write_verdict(table, parse_columns("a BIGINT, b DOUBLE"), Mode.TYPE_WIDENING)
    assert [(clash.code, clash.path) for clash in found.clashes] == [("ICEBERG_COMPAT", "b")]


@pytest.mark.parametrize("mode", MODES)
def test_types_that_delta_does_not_have(mode: str) -> None:
    data = parse_schema('{"type":"struct","fields":[{"name":"i","type":"interval day to second"}]}')
    (clash,) = write_verdict(simple("a INT"), data, Mode(mode)).clashes
    assert (clash.code, clash.path) == ("TYPE_NOT_IN_DELTA", "i")


@pytest.mark.parametrize("mode", MODES)
def test_only_void(mode: str) -> None:
    found = write_verdict(simple("a INT"), parse_columns("a VOID"), Mode(mode))
    assert "ALL_VOID" in {clash.code for clash in found.clashes}


@pytest.mark.parametrize(
    ("table", "data", "expected"),
    [
        ("a INT", "a INT", []),
        ("Abc INT", "aBC INT", ["aBC of the data is taken for Abc"]),
        ("a INT, b INT", "a INT", ["the data has no b: NULL"]),
        ("a INT, b INT DEFAULT 5", "a INT",
         ["the data has no b: the default 5, or NULL, as the writer does it"]),
        ("a INT, g INT GENERATED ALWAYS AS (a + 1)", "a INT",
         ["the data has no g: it is computed"]),
        ("a INT, i BIGINT GENERATED ALWAYS AS IDENTITY", "a INT",
         ["the data has no i: it is numbered"]),
        ("a INT NOT NULL", "a INT", ["rows with NULL in a are refused when they are written"]),
        ("a INT NOT NULL", "a INT NOT NULL", []),
        ("s STRUCT<x: INT NOT NULL>", "S STRUCT<X: INT>",
         ["S of the data is taken for s", "X of the data is taken for s.x",
          "rows with NULL in s.x are refused when they are written"]),
        ("a VARCHAR(5)", "a STRING",
         ["texts too long for varchar(5) are refused when they are written"]),
    ],
)  # fmt: skip
def test_remarks(table: str, data: str, expected: list[str]) -> None:
    found = remarks(simple(table), parse_columns(data))
    assert [remark.message for remark in found] == expected


def test_a_check_on_a_column_that_is_left_out() -> None:
    table = simple("a INT, b INT", check="a > 0")
    assert [remark.to_json() for remark in remarks(table, parse_columns("b INT"))] == [
        {"code": "COLUMN_LEFT_OUT", "path": "a", "message": "the data has no a: NULL"},
        {
            "code": "CHECKED_AS_NULL",
            "path": "a",
            "message": "the CHECK constraint c is applied with NULL for a",
        },
    ]


def test_a_remark_is_no_tuple() -> None:
    (remark,) = remarks(simple("a INT, b INT"), parse_columns("b INT"))
    assert remark != ("COLUMN_LEFT_OUT", "a", "the data has no a: NULL")
