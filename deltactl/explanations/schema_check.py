"""Codes on declared schemas, and on data that a table would not take."""

from deltactl.explanations.entry import Explanation

SCHEMA_CHECK = {
    "ALL_VOID": Explanation(
        None,
        "all columns of the data are void",
        """\
A void column has no type yet and is left out of data files, so that nothing would be left to
write.""",
    ),
    "APPEND_ONLY": Explanation(
        None,
        "the table only takes appends",
        """\
delta.appendOnly is true: engines refuse to overwrite, update or delete.""",
    ),
    "AUTOMATIC_WIDENING_ALWAYS": Explanation(
        None,
        "a column is widened from an integer to a double or a decimal by itself",
        """\
Delta does so while the session's setting typeWidening.allowAutomaticWidening is always, as it is
by default in Delta 4.4. With same_family_type the write fails, and the column must be widened first
by `deltactl widen`.""",
    ),
    "CASE_DIFFERS": Explanation(
        None,
        "a name in the data differs from the table's in case only",
        """\
Names match without regard to case. The table keeps its own spelling; only an overwrite with
overwriteSchema takes that of the data.""",
    ),
    "CHECKED_AS_NULL": Explanation(
        None,
        "a CHECK constraint uses a column that the data lacks",
        """\
Engines apply the constraint to the rows with NULL in the column. A comparison with NULL is not
true, and a row passes only where the constraint is true.""",
    ),
    "COLUMN_LEFT_OUT": Explanation(
        None,
        "the data lacks a column of the table",
        """\
An append may leave columns out: they are NULL, or computed or numbered by the engine where the
table says so.""",
    ),
    "COLUMN_NOT_IN_TABLE": Explanation(
        None,
        "the data has a column that the table does not have",
        """\
A plain append refuses it. With the option mergeSchema the column is added at the end.""",
    ),
    "DDL_SYNTAX": Explanation(
        2,
        "a type or a list of columns is not written as in Spark SQL",
        """\
The message says what was expected, and where. Types with parts are array<T>, map<K,V> and
struct<a: T, b: T NOT NULL COMMENT 'x'>; columns are a T NOT NULL DEFAULT 1 COMMENT 'x', b T.
Names that hold more than letters, digits and underscores stand in backticks.""",
        also=(4,),
    ),
    "DECLARED_TWICE": Explanation(
        4,
        "two columns, or two fields of a struct, are declared under one name",
        """\
Names match without regard to case, so a and A are one name.""",
    ),
    "IDENTITY_GIVEN": Explanation(
        None,
        "the data has an identity column that only the engine may fill",
        """\
GENERATED ALWAYS AS IDENTITY takes no values from outside, not even in an overwrite. Leave the
column out of the data.""",
    ),
    "LENGTH_CHECKED": Explanation(
        None,
        "texts of the data may be too long for the column",
        """\
The column is a varchar or char. Its length is checked row by row when data is written.""",
    ),
    "LENGTH_NOT_KEPT": Explanation(
        4,
        "a varchar or char stands where its length could not be kept",
        """\
A length is kept as a text beside the column that it stands in, at the top of the schema. That text
has no backticks, so that Spark could not read it back where a name in the type needs them.
Write string instead: Delta stores it as that.""",
    ),
    "MERGE_SCHEMA_SET": Explanation(
        None,
        "the write must ask for schema evolution",
        """\
Set the option mergeSchema on the write, or spark.databricks.delta.schema.autoMerge.enabled on the
session.""",
    ),
    "NOT_A_FILE": Explanation(
        2,
        "a folder was named where a file is needed",
        """\
Name one file of the folder.""",
    ),
    "NOT_A_SCHEMA": Explanation(
        2,
        "the file has none of the forms in which a schema is taken",
        """\
It may be a parquet file, an Arrow file or stream, what `schema export` prints in any form, a
Delta schema as JSON, or columns as in Spark SQL.""",
    ),
    "NOT_NULL_MISSING": Explanation(
        None,
        "the data lacks a column that may not be null",
        """\
Every row would have NULL there. Add the column to the data, or give it a default.""",
    ),
    "NO_COLUMNS": Explanation(
        None,
        "the data has no columns",
        """\
A data file has at least one column, and so has a table that is written.""",
    ),
    "NO_REPLACE_WHERE": Explanation(
        None,
        "the overwrite must replace the whole table",
        """\
With replaceWhere Delta keeps the schema, and refuses data of another one.""",
    ),
    "NULLS_REFUSED": Explanation(
        None,
        "the data may have NULL where the table may not",
        """\
The schema is accepted, since Delta does not trust what data says of itself. A row with NULL then
fails the write.""",
    ),
    "ONLY_PARTITION_COLUMNS": Explanation(
        None,
        "the data has no column beside those by which the table is partitioned",
        """\
Partition columns are not in data files: nothing would be left to write. Void columns do not count,
for they are left out too. An overwrite with overwriteSchema takes such data without partitionBy
only, which ends the partitioning.""",
    ),
    "OVERWRITE_MODE": Explanation(
        None,
        "the write must overwrite, with the option overwriteSchema",
        """\
In append mode overwriteSchema does nothing. The schema of the data replaces that of the table,
with its comments, defaults and type changes; constraints and properties stay.""",
    ),
    "PARTITIONING_GIVEN": Explanation(
        None,
        "the overwrite must name the partition columns again",
        """\
With overwriteSchema and without partitionBy the table is no longer partitioned afterwards.""",
    ),
    "PARTITION_COLUMN_MISSING": Explanation(
        None,
        "the data lacks a column by which the table is partitioned",
        """\
Every file belongs to one partition, so that the column cannot be left out.""",
    ),
    "SCHEMA_FILE_NOT_FOUND": Explanation(
        3,
        "the file with the schema is not there",
        """\
Check its path.""",
    ),
    "SCHEMA_FILE_UNREADABLE": Explanation(
        8,
        "the parquet or Arrow file cannot be read",
        """\
Its first bytes are right, but the rest is damaged, encrypted, or of a form that pyarrow does not
read.""",
    ),
    "TYPES_CLASH": Explanation(
        None,
        "a column has one type in the table and another in the data",
        """\
Delta does not cast a DataFrame's columns: byte, short and int go together, other types must be
equal. A wider type of the data is taken where type widening is on and mergeSchema is set; a
narrower one must be cast before it is written. INSERT in SQL casts by itself.""",
    ),
    "TYPE_NOT_IN_DELTA": Explanation(
        4,
        "the type is one of Spark's that a Delta table cannot have",
        """\
Times, geographic types and strings with a collation cannot be columns of a Delta table that today's
engines write. Some tables have columns with intervals; Spark refuses to write such data.""",
    ),
    "TYPE_WOULD_CHANGE": Explanation(
        None,
        "the table's column would need another type to take the data",
        """\
A plain append changes no schema. With mergeSchema the column gets the type.""",
    ),
    "VOID_IN_COLLECTION": Explanation(
        None,
        "an array or a map in the data has a part of type void",
        """\
It holds nothing but NULL so far, and no writer can write it. Cast the column to the type that it
is meant to have.""",
    ),
}
