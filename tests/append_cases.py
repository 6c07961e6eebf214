"""What Delta does with data of another schema, as Spark 4.2.0 with Delta 4.4.0 answered.

Each table was made by Spark, and an empty DataFrame of the other schema written to it in four
ways: appended, with mergeSchema, with mergeSchema and type widening on, and overwriting with
overwriteSchema. An answer is the schema of the table afterwards, or what refused the write: the
code that deltactl has for it, and the error class of Spark.
"""

from typing import Any, NamedTuple


class Refused(NamedTuple):
    """Why a write is not accepted, in the words of deltactl and of Spark."""

    code: str
    spark: str


class Case(NamedTuple):
    """A table, the schema of data as DDL or as JSON, and the answers in the order of `MODES`."""

    name: str
    table: str
    data: str
    answers: tuple[str | Refused, str | Refused, str | Refused, str | Refused]
    properties: dict[str, str] = {}  # noqa: RUF012
    check: str | None = None
    partition: str | None = None


MODES = ("append", "mergeSchema", "typeWidening", "overwriteSchema")

CLASH = Refused("TYPES_CLASH", "DELTA_FAILED_TO_MERGE_FIELDS")
NEW = Refused("COLUMN_NOT_IN_TABLE", "DELTA_METADATA_MISMATCH")
OTHER_TYPE = Refused("TYPE_WOULD_CHANGE", "DELTA_METADATA_MISMATCH")
NO_FEATURE = Refused("TIMESTAMP_NTZ_NOT_SUPPORTED", "DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT")
CHECKED = Refused("CHECK_DEPENDS_ON_COLUMN", "DELTA_CONSTRAINT_DATA_TYPE_MISMATCH")
GENERATED = Refused("GENERATED_DEPENDS_ON_COLUMN", "DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH")
IDENTITY = Refused("IDENTITY_GIVEN", "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED")
NOT_NULL = Refused("NOT_NULL_MISSING", "DELTA_MISSING_NOT_NULL_COLUMN_VALUE")
PARTITION = Refused("PARTITION_COLUMN_MISSING", "DELTA_PARTITION_COLUMN_NOT_FOUND")
ONLY_PARTITIONS = Refused("ONLY_PARTITION_COLUMNS", "DELTA_NON_PARTITION_COLUMN_ABSENT")
VOID = Refused("VOID_IN_COLLECTION", "DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE")
NAME = Refused("COLUMN_NAME_NEEDS_MAPPING", "DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES")
RESERVED = Refused("RESERVED_COLUMN_NAME", "RESERVED_CDC_COLUMNS_ON_WRITE")
TWICE = Refused("DUPLICATE_COLUMNS", "DELTA_DUPLICATE_COLUMNS_FOUND")

NTZ = {"delta.feature.timestampNtz": "supported"}
WIDENING = {"delta.enableTypeWidening": "true"}
MAPPED = {"delta.columnMapping.mode": "name"}


def widens(name: str, table: str, data: str, after: str, **more: Any) -> Case:
    """A case in which only type widening lets the data in."""
    return Case(name, table, data, (CLASH, CLASH, after, after), **more)


def clashes(name: str, table: str, data: str, after: str, **more: Any) -> Case:
    """A case in which only an overwrite takes the data."""
    return Case(name, table, data, (CLASH, CLASH, CLASH, after), **more)


A_LONG = "struct<a:long>"
A_INT = "struct<a:integer>"

# As JSON, since deltactl's DDL refuses it.
A_TWICE = (
    '{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}},'
    '{"name":"A","type":"integer","nullable":true,"metadata":{}}]}'
)

CASES = [
    Case("same", "a INT", "a INT", (A_INT,) * 4),
    Case("left out", "a INT, b STRING", "a INT", (*("struct<a:integer,b:string>",) * 3, A_INT)),
    Case("new", "a INT", "a INT, b STRING NOT NULL", (NEW, *("struct<a:integer,b:string>",) * 3)),
    Case("disjoint", "a INT", "b INT",
         (NEW, "struct<a:integer,b:integer>", "struct<a:integer,b:integer>", "struct<b:integer>")),
    widens("int to long", "a INT", "a BIGINT", A_LONG),
    widens("int to double", "a INT", "a DOUBLE", "struct<a:double>"),
    widens("byte to double, short to decimal", "a TINYINT, b SMALLINT", "a DOUBLE, b DECIMAL(10,0)",
           "struct<a:double,b:decimal(10,0)>"),
    widens("float to double", "a FLOAT", "a DOUBLE", "struct<a:double>"),
    widens("more digits", "a DECIMAL(5,2)", "a DECIMAL(10,2)", "struct<a:decimal(10,2)>"),
    widens("more scale", "a DECIMAL(5,2)", "a DECIMAL(10,4)", "struct<a:decimal(10,4)>"),
    widens("int to decimal", "a INT", "a DECIMAL(12,2)", "struct<a:decimal(12,2)>"),
    widens("date to timestamp_ntz", "a DATE", "a TIMESTAMP_NTZ", "struct<a:timestamp_ntz>",
           properties=NTZ),
    widens("key of a map", "m MAP<INT, INT>", "m MAP<BIGINT, INT>", "struct<m:map<long,integer>>"),
    widens("nested", "s STRUCT<x: INT>, m MAP<STRING, INT>, r ARRAY<STRUCT<q: SMALLINT>>",
           "s STRUCT<x: BIGINT, y: INT>, m MAP<STRING, BIGINT>, r ARRAY<STRUCT<q: INT, z: DATE>>",
           "struct<s:struct<x:long,y:integer>,m:map<string,long>,"
           "r:array<struct<q:integer,z:date>>>"),
    widens("partition column", "a INT, p INT", "a INT, p BIGINT", "struct<a:integer,p:long>",
           partition="p"),
    Case("widening is on", "a INT", "a BIGINT", (OTHER_TYPE, A_LONG, A_LONG, A_LONG),
         properties=WIDENING),
    Case("date to timestamp_ntz without the feature", "a DATE", "a TIMESTAMP_NTZ",
         (CLASH, CLASH, NO_FEATURE, NO_FEATURE)),
    clashes("long from int", "a BIGINT", "a INT", A_INT),
    clashes("double from float", "a DOUBLE", "a FLOAT", "struct<a:float>"),
    clashes("fewer digits", "a DECIMAL(10,2)", "a DECIMAL(5,2)", "struct<a:decimal(5,2)>"),
    clashes("int to a short decimal", "a INT", "a DECIMAL(10,2)", "struct<a:decimal(10,2)>"),
    clashes("long to double", "a BIGINT", "a DOUBLE", "struct<a:double>"),
    clashes("string from int", "a STRING", "a INT", A_INT),
    clashes("int from string", "a INT", "a STRING", "struct<a:string>"),
    clashes("date to timestamp", "a DATE", "a TIMESTAMP", "struct<a:timestamp>"),
    clashes("timestamp from timestamp_ntz", "a TIMESTAMP", "a TIMESTAMP_NTZ",
            "struct<a:timestamp_ntz>", properties=NTZ),
    clashes("struct for int", "a INT", "a STRUCT<x: INT>", "struct<a:struct<x:integer>>"),
    clashes("map for array", "a ARRAY<INT>", "a MAP<INT, INT>",
            "struct<a:map<integer,integer>>"),
    # Parquet holds byte, short and int alike.
    Case("byte to int", "a TINYINT", "a INT", (OTHER_TYPE, A_INT, A_INT, A_INT)),
    Case("byte to short", "a TINYINT", "a SMALLINT", (OTHER_TYPE, *("struct<a:short>",) * 3)),
    Case("int from byte", "a INT", "a TINYINT", (A_INT, A_INT, A_INT, "struct<a:byte>")),
    Case("short from byte", "a SMALLINT", "a TINYINT", (*("struct<a:short>",) * 3,
                                                        "struct<a:byte>")),
    Case("new timestamp_ntz", "a INT", "a INT, t TIMESTAMP_NTZ", (NEW, *(NO_FEATURE,) * 3)),
    Case("new field", "s STRUCT<x: INT>", "s STRUCT<x: INT, y: INT>",
         (NEW, *("struct<s:struct<x:integer,y:integer>>",) * 3)),
    Case("field left out", "s STRUCT<x: INT, y: INT>", "s STRUCT<y: INT>",
         (*("struct<s:struct<x:integer,y:integer>>",) * 3, "struct<s:struct<y:integer>>")),
    Case("case", "Abc INT, s STRUCT<Xx: INT>", "aBC INT, S STRUCT<xX: INT>",
         (*("struct<Abc:integer,s:struct<Xx:integer>>",) * 3,
          "struct<aBC:integer,S:struct<xX:integer>>")),
    Case("one name twice", "a INT", A_TWICE, (TWICE,) * 4),
    Case("not null left out", "a INT NOT NULL, b INT", "b INT",
         (NOT_NULL, NOT_NULL, NOT_NULL, "struct<b:integer>")),
    Case("not null left out with its struct", "s STRUCT<x: INT NOT NULL, y: INT>, a INT", "a INT",
         (NOT_NULL, NOT_NULL, NOT_NULL, A_INT)),
    Case("not null from nullable", "a INT NOT NULL", "a INT", (A_INT,) * 4),
    Case("partition left out", "a INT, p STRING", "a INT", (*(PARTITION,) * 3, A_INT),
         partition="p"),
    Case("only the partition column", "a INT, p STRING", "p STRING",
         (*(ONLY_PARTITIONS,) * 3, "struct<p:string>"), partition="p"),
    Case("void beside the partition column", "a INT, p STRING", "a VOID, p STRING",
         (*(ONLY_PARTITIONS,) * 3, "struct<a:void,p:string>"), partition="p"),
    Case("no columns", "a INT", '{"type":"struct","fields":[]}',
         (*(Refused("NO_COLUMNS", "Cannot write a schema with an empty group"),) * 3,
          Refused("NO_COLUMNS", "DELTA_CANNOT_WRITE_EMPTY_SCHEMA"))),
    Case("check on another type", "a INT, b INT", "a BIGINT, b INT",
         (CHECKED, CHECKED, CHECKED, "struct<a:long,b:integer>"), check="a > 0"),
    Case("check on a narrower type", "a INT", "a TINYINT",
         (CHECKED, CHECKED, CHECKED, "struct<a:byte>"), check="a > 0"),
    Case("check beside a new field", "s STRUCT<x: INT>", "s STRUCT<x: INT, y: INT>",
         (NEW, *("struct<s:struct<x:integer,y:integer>>",) * 3), check="s.x > 0"),
    Case("source of a generated column",
         "a INT, g BIGINT GENERATED ALWAYS AS (CAST(a AS BIGINT))", "a BIGINT",
         (GENERATED, GENERATED, GENERATED, A_LONG)),
    Case("generated column left out", "a INT, g INT GENERATED ALWAYS AS (a + 1)", "a INT",
         (*("struct<a:integer,g:integer>",) * 3, A_INT)),
    Case("identity given", "i BIGINT GENERATED ALWAYS AS IDENTITY, a INT", "i BIGINT, a INT",
         (IDENTITY,) * 4),
    Case("identity given by default", "i BIGINT GENERATED BY DEFAULT AS IDENTITY, a INT",
         "i BIGINT, a INT", ("struct<i:long,a:integer>",) * 4),
    Case("new void", "a INT", "a INT, n VOID", (NEW, *("struct<a:integer,n:void>",) * 3)),
    Case("void in the data", "a INT, b INT", "a VOID, b INT",
         (*("struct<a:integer,b:integer>",) * 3, "struct<a:void,b:integer>")),
    Case("void in the table", "a INT, n VOID", "a INT, n INT",
         (OTHER_TYPE, *("struct<a:integer,n:integer>",) * 3)),
    Case("void in an array", "r ARRAY<INT>", "r ARRAY<VOID>", (VOID,) * 4),
    Case("space in a name", "a INT", "a INT, `b c` INT", (NEW, NAME, NAME, NAME)),
    Case("space in a name, mapped", "a INT", "a INT, `b c` INT",
         (NEW, *("struct<a:integer,b c:integer>",) * 3), properties=MAPPED),
    Case("mapped", "a INT, b INT", "a INT, c INT",
         (NEW, *("struct<a:integer,b:integer,c:integer>",) * 2, "struct<a:integer,c:integer>"),
         properties=MAPPED),
    Case("name of the change feed", "a INT", "a INT, _change_type STRING",
         (NEW, RESERVED, RESERVED, RESERVED), properties={"delta.enableChangeDataFeed": "true"}),
    Case("append only", "a INT", "a INT",
         (*(A_INT,) * 3, Refused("APPEND_ONLY", "DELTA_CANNOT_MODIFY_APPEND_ONLY")),
         properties={"delta.appendOnly": "true"}),
]  # fmt: skip
