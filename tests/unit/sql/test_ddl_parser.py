"""Spark's DDL: types with parts, and lists of columns. The answers are those of Spark 4.2."""

from typing import Any

import pytest

from deltactl.errors import DeltactlError, InvalidUsageError, RefusedError
from deltactl.spec.actions.action import Metadata
from deltactl.spec.schema.edit import schema_string
from deltactl.spec.schema.schema import parse_schema
from deltactl.spec.schema.type_names import Typed
from deltactl.spec.schema.types import (
    INTEGER,
    LONG,
    STRING,
    Array,
    Map,
    Struct,
    StructField,
    field_to_json,
    type_to_json,
)
from deltactl.sql.ddl import create_table
from deltactl.sql.lexer import Tokens
from deltactl.sql.parser import MAX_DEPTH, parse_columns, parse_type_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", "integer"),
        (" BIGINT ", "long"),
        ("decimal(10, 2)", "decimal(10,2)"),
        ("dec", "decimal(10,0)"),
        ("numeric(3,1)", "decimal(3,1)"),
        ("timestamp_ltz", "timestamp"),
        ("array<int>", {"type": "array", "elementType": "integer", "containsNull": True}),
        (
            "MAP<STRING, ARRAY<decimal(5)>>",
            {
                "type": "map",
                "keyType": "string",
                "valueType": {
                    "type": "array",
                    "elementType": "decimal(5,0)",
                    "containsNull": True,
                },
                "valueContainsNull": True,
            },
        ),
        ("struct<>", {"type": "struct", "fields": []}),
        (
            "struct<1a int, `b c`: string NOT NULL COMMENT 'it''s', timestamp date>",
            {
                "type": "struct",
                "fields": [
                    {"name": "1a", "type": "integer", "nullable": True, "metadata": {}},
                    {
                        "name": "b c",
                        "type": "string",
                        "nullable": False,
                        "metadata": {"comment": "it's"},
                    },
                    {"name": "timestamp", "type": "date", "nullable": True, "metadata": {}},
                ],
            },
        ),
    ],
)
def test_types(text: str, expected: Any) -> None:
    found = parse_type_text(text)
    assert found.limit is None
    assert type_to_json(found.type) == expected


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("varchar( 5 )", "varchar(5)"),
        ("CHARACTER(3)", "char(3)"),
        ("ARRAY<VARCHAR(5)>", "array<varchar(5)>"),
        ("map<varchar(4), struct<y varchar(7), z bigint>>",
         "map<varchar(4),struct<y:varchar(7),z:bigint>>"),
        ("struct<D: DECIMAL(10,2) not null comment 'c', t timestamp_ntz, v varchar(2), "
         "by tinyint, g bigint, fl real, n void>",
         "struct<D:decimal(10,2),t:timestamp_ntz,v:varchar(2),by:tinyint,g:bigint,fl:float,"
         "n:void>"),
    ],
)  # fmt: skip
def test_lengths_are_kept_as_the_text_of_the_whole_type(text: str, limit: str) -> None:
    assert parse_type_text(text).limit == limit


def test_inside_a_type_a_length_leaves_a_string() -> None:
    assert parse_type_text("array<varchar(5)>").type == Array(STRING, contains_null=True)
    assert parse_type_text("map<char(1),bigint>").type == Map(STRING, LONG, True)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("", "DDL_SYNTAX", "expected a type, found the end at line 1, column 1"),
        ("frob", "NOT_A_TYPE", "'frob' is not a type that a column can have"),
        ("array<frob>", "NOT_A_TYPE",
         "'frob' is not a type that a column can have (line 1, column 7)"),
        ("array<int", "DDL_SYNTAX",
         "expected '>', found the end at line 1, column 10 after 'array<int'"),
        ("array<int>>", "DDL_SYNTAX",
         "expected the end of the type, found '>' at line 1, column 11 after 'array<int>'"),
        ("map<int>", "DDL_SYNTAX",
         "expected ',' and the type of the values, found '>' at line 1, column 8 "
         "after 'map<int'"),
        ("struct<a: int,>", "DDL_SYNTAX",
         "expected a name, found '>' at line 1, column 15 after 'struct<a: int,'"),
        ("struct<a int default 3>", "DDL_SYNTAX",
         "expected ',' or '>', found 'default' at line 1, column 14 after 'struct<a int'"),
        ("struct<a-b int>", "DDL_SYNTAX",
         "expected a type, found '-' at line 1, column 9 after 'struct<a'"),
        ("struct<a int, A string>", "DECLARED_TWICE", "A is declared twice (line 1, column 15)"),
        ("array", "DDL_SYNTAX", "expected '<' behind array, found the end at line 1, column 6 "
         "after 'array'"),
        ("decimal(39,0)", "NOT_A_TYPE", "'decimal(39,0)' is not a type that a column can have"),
        ("array<decimal(3,4)>", "NOT_A_TYPE",
         "'decimal(3,4)' is not a type that a column can have (line 1, column 7)"),
        ("varchar", "NOT_A_TYPE", "'varchar' is not a type that a column can have"),
        ("interval year to month", "TYPE_NOT_IN_DELTA",
         "interval year to month: Spark writes no such columns to a Delta table"),
        ("array<interval day>", "TYPE_NOT_IN_DELTA",
         "interval day: Spark writes no such columns to a Delta table"),
        ("interval month to year", "DDL_SYNTAX",
         "expected an interval's fields, such as YEAR TO MONTH or DAY TO SECOND, found the end at "
         "line 1, column 23 after 'interval month to year'"),
        ("map<int,time(3)>", "TYPE_NOT_IN_DELTA",
         "time: a Delta table has no columns of this type (line 1, column 9)"),
        ("struct<`b c`: char(3)>", "LENGTH_NOT_KEPT",
         "varchar and char have no length in a type with names that need backticks"),
        ("string collate UTF8_LCASE", "TYPE_NOT_IN_DELTA",
         "string with a collation: a Delta table has no columns of this type "
         "(line 1, column 1)"),
        ("array<int8>", "AMBIGUOUS_TYPE",
         "int8 is a number of 1 byte in DuckLake, and of 8 bytes in SQL (line 1, column 7)"),
        ("array<uint32>", "UNSIGNED_TYPE",
         "uint32 is unsigned, and Delta has no unsigned numbers (line 1, column 7)"),
    ],
)  # fmt: skip
def test_what_is_not_a_type(text: str, code: str, message: str) -> None:
    with pytest.raises(DeltactlError) as caught:
        parse_type_text(text)
    assert (caught.value.code, caught.value.message) == (code, message)


def test_deep_types() -> None:
    depth = 200
    nested = parse_type_text("array<" * depth + "int" + ">" * depth)
    assert str(nested.type) == "array<" * depth + "integer" + ">" * depth
    nested = parse_type_text("struct<a:" * depth + "int" + ">" * depth)
    assert str(nested.type) == "struct<a:" * depth + "integer" + ">" * depth
    with pytest.raises(InvalidUsageError, match=f"no more than {MAX_DEPTH} types"):
        parse_type_text("array<" * 100_000)


def test_columns() -> None:
    text = (
        "a INT NOT NULL COMMENT 'x\\ny\\u0041\\'z', -- the key\n"
        'bc ARRAY<VARCHAR(5)> COMMENT "say ""it" \'twice\', /* a\n'
        "comment */ `b``c` date comment r'a\\nb' not null"
    )
    assert [field_to_json(f) for f in parse_columns(text).fields] == [
        {
            "name": "a",
            "type": "integer",
            "nullable": False,
            "metadata": {"comment": "x\nyA'z"},
        },
        {
            "name": "bc",
            "type": {"type": "array", "elementType": "string", "containsNull": True},
            "nullable": True,
            "metadata": {
                "comment": 'say "ittwice',
                "__CHAR_VARCHAR_TYPE_STRING": "array<varchar(5)>",
            },
        },
        {
            "name": "b`c",
            "type": "date",
            "nullable": False,
            "metadata": {"comment": "a\\nb"},
        },
    ]


def test_lengths_inside_a_column_stand_beside_the_column() -> None:
    (field,) = parse_columns("s struct<a: varchar(4)>").fields
    assert field.metadata == {"__CHAR_VARCHAR_TYPE_STRING": "struct<a:varchar(4)>"}
    assert field.type == Struct((StructField("a", STRING),))


@pytest.mark.parametrize(
    ("option", "metadata"),
    [
        ("DEFAULT 43", {"CURRENT_DEFAULT": "43"}),
        ("DEFAULT -1 COMMENT 'x'", {"CURRENT_DEFAULT": "-1", "comment": "x"}),
        ("DEFAULT coalesce(NULL, 'a,)b')", {"CURRENT_DEFAULT": "coalesce(NULL, 'a,)b')"}),
        ("DEFAULT NOT true", {"CURRENT_DEFAULT": "NOT true"}),
        ("GENERATED ALWAYS AS (CAST(b AS DATE))",
         {"delta.generationExpression": "CAST(b AS DATE)"}),
        ("GENERATED BY DEFAULT AS IDENTITY (START WITH -1 INCREMENT BY -5)",
         {"delta.identity.start": -1, "delta.identity.step": -5,
          "delta.identity.allowExplicitInsert": True}),
        ("GENERATED ALWAYS AS IDENTITY",
         {"delta.identity.start": 1, "delta.identity.step": 1,
          "delta.identity.allowExplicitInsert": False}),
    ],
)  # fmt: skip
def test_options_of_a_column(option: str, metadata: dict[str, Any]) -> None:
    first, second = parse_columns(f"a BIGINT {option}, b INT").fields
    assert first == StructField("a", LONG, metadata=metadata)
    assert second == StructField("b", INTEGER)


@pytest.mark.parametrize(
    "text",
    [
        "a INT, b STRING",
        "(a INT, b STRING);",
        "a: int, b: string",
        "struct<a:int,b:string>",
        "CREATE TABLE t (a INT, b STRING) USING delta COMMENT 'a, (b';",
        "create or replace table if not exists x.`y z` (\n  a INT,\n  b STRING\n)",
    ],
)
def test_a_list_of_columns_may_be_wrapped(text: str) -> None:
    assert parse_columns(text) == Struct((StructField("a", INTEGER), StructField("b", STRING)))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("create INT, b INT", ["create", "b"]),
        ("create: INT", ["create"]),
        ("primary INT, unique STRING, check DATE, constraint INT, foreign INT",
         ["primary", "unique", "check", "constraint", "foreign"]),
        ("create or replace table t (create INT)", ["create"]),
    ],
)  # fmt: skip
def test_columns_may_be_called_as_statements_begin(text: str, names: list[str]) -> None:
    assert [field.name for field in parse_columns(text).fields] == names


@pytest.mark.parametrize(
    ("text", "nullable"),
    [
        ("a INT, PRIMARY KEY (a)", [False]),
        ("CREATE TABLE t (a INT, b INT, PRIMARY KEY (A))", [False, True]),
        ("CREATE TABLE t (a INT, b INT, CONSTRAINT pk PRIMARY KEY (a, `b`) NOT ENFORCED RELY)",
         [False, False]),
        ("CREATE TABLE t (a INT PRIMARY KEY, b INT UNIQUE COMMENT 'x')", [False, True]),
        ("CREATE TABLE t (a INT CONSTRAINT n NOT NULL, b INT CHECK (b > (1)))", [False, True]),
        ("CREATE TABLE t (a INT DEFAULT 5 PRIMARY KEY, b INT REFERENCES c.p (x) ON DELETE CASCADE)",
         [False, True]),
        ("CREATE TABLE t (UNIQUE (a), a INT, CHECK (a > 0 AND a IN (1, 2)), b INT, "
         "FOREIGN KEY (a) REFERENCES p (x) NOT ENFORCED, CONSTRAINT c CHECK (b < 9)) USING delta",
         [True, True]),
    ],
)  # fmt: skip
def test_keys_of_a_table(text: str, nullable: list[bool]) -> None:
    found = parse_columns(text).fields
    assert [field.nullable for field in found] == nullable
    assert [field.name for field in found] == ["a", "b"][: len(nullable)]


def test_a_statement_without_columns() -> None:
    assert parse_columns("CREATE TABLE delta.`/a/b` USING delta") == Struct(())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a INT null", "expected ',' or the end, found 'null' at line 1, column 7 after 'a INT'"),
        ("a INT,\nb", "expected a type, found the end at line 2, column 2 after 'a INT, b'"),
        ("a INT comment x",
         "expected a text in quotes, found 'x' at line 1, column 15 after 'a INT comment'"),
        ("a INT not", "expected NULL, found the end at line 1, column 10 after 'a INT not'"),
        ("a INT default, b int",
         "expected an expression, found ',' at line 1, column 14 after 'a INT default'"),
        ("`` INT", "expected a name, found '``' at line 1, column 1"),
        ("a INT comment 'x",
         'expected a text in quotes, found "\'" at line 1, column 15 after \'a INT comment\''),
        ("CREATE TABLE t (a INT", "expected ',' or ')', found the end at line 1, column 22 "
         "after 'CREATE TABLE t (a INT'"),
        ("CREATE (a INT)", "expected TABLE, found '(' at line 1, column 8 after 'CREATE'"),
        (f"a BIGINT GENERATED ALWAYS AS IDENTITY (START WITH {'9' * 5000})",
         "expected a number behind WITH, found the end at line 1, column 5052 after "
         "'…99999999999999999999999999999)'"),
        ("a BIGINT GENERATED ALWAYS AS IDENTITY (START WITH",
         "expected ')', found the end at line 1, column 50 after "
         "'…ALWAYS AS IDENTITY (START WITH'"),
    ],
)  # fmt: skip
def test_what_is_not_a_list_of_columns(text: str, message: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_columns(text)
    assert (caught.value.code, caught.value.message) == ("DDL_SYNTAX", message)


def test_one_column_twice() -> None:
    with pytest.raises(RefusedError) as caught:
        parse_columns("a INT, A STRING")
    assert caught.value.code == "DECLARED_TWICE"


def test_the_exported_statement_reads_back() -> None:
    schema = parse_columns(
        "id BIGINT GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY 5), "
        "`a b` INT NOT NULL DEFAULT 43 COMMENT 'it\\'s \\\\ here', vc varchar(7), "
        "st STRUCT<a: STRING COMMENT 'x', `n.m`: STRUCT<b: BINARY NOT NULL>>, "
        "m MAP<STRING, ARRAY<DECIMAL(38,18)>>, d DATE GENERATED ALWAYS AS (CAST(ts AS DATE)), "
        "ts TIMESTAMP, n TIMESTAMP_NTZ, v VARIANT, t TINYINT, s SMALLINT"
    )
    metadata = Metadata(
        id="x",
        schema_string=schema_string(schema),
        partition_columns=("d",),
        configuration={"delta.appendOnly": "true"},
    )
    statement = create_table(metadata, schema, "/lake/a(b")
    assert parse_columns(statement) == schema
    assert parse_columns(statement) == parse_schema(schema_string(schema))


def test_a_type_reads_back() -> None:
    assert parse_type_text("struct<a:array<map<int,varchar(3)>>>") == Typed(
        parse_type_text("struct<a:array<map<int,string>>>").type,
        "struct<a:array<map<int,varchar(3)>>>",
    )


@pytest.mark.parametrize(
    ("piece", "signs"), [("\\'", ["\\", "'"]), ('\\"', ["\\", '"']), ("/* ", ["/", "*"])]
)
def test_the_end_of_what_is_never_closed_is_looked_for_once(piece: str, signs: list[str]) -> None:
    tokens = Tokens(piece * 50_000)  # Looked for each time, this takes minutes.
    assert [tokens.next().text for _ in range(100_000)] == signs * 50_000
    assert tokens.at_end


def test_an_empty_text_after_one_that_is_not_closed() -> None:
    tokens = Tokens("a '\\' 'b' \"c")
    found = []
    while not tokens.at_end:
        found.append(tokens.next().text)
    assert found == ["a", "'\\' '", "b", "'", '"', "c"]
