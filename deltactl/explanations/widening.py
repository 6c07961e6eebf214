"""Codes on the widening of types."""

from deltactl.explanations.entry import Explanation

WIDENING = {
    "AMBIGUOUS_TYPE": Explanation(
        4,
        "the name of the type means one thing here and another there",
        """\
int8 has 1 byte in DuckLake and in Arrow, and 8 bytes in SQL. Write byte or long instead.""",
    ),
    "CHANGE_FEED_RANGE": Explanation(
        None,
        "the change data feed cannot be read across the change",
        """\
Spark reads a range of the change data feed with the newest schema, and refuses one that begins
before a type was widened (DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA). A consumer that has
not read up to the change must do so first, or begin behind it and read the table once.""",
    ),
    "COLUMN_NAMED_TWICE": Explanation(
        4,
        "one column was named twice in one command",
        """\
It can have one new type only. Name each column once; nothing was written for the others either.""",
    ),
    "FLOAT_STATISTICS": Explanation(
        None,
        "after float to double, old statistics make engines skip rows that match",
        """\
Statistics hold a float as a short decimal number, 1.1, while the value in the file is, as a
double, 1.10000002384185791015625. Engines take the number for a bound of doubles: with Spark 4.2
and Delta 4.4 `f > 1.1D` misses the row, and max(f) is wrong.
--fix-stats commits the files concerned again, without touching them, with bounds that hold; for
a column that was widened before, too: deltactl widen TABLE COLUMN double --fix-stats.""",
    ),
    "ILLEGAL_WIDENING": Explanation(
        4,
        "the column cannot get this type without its files being rewritten",
        """\
Only changes that keep every value as it is can be made in the metadata alone. The message names
those that the column's type has; deltactl schema types TABLE COLUMN shows them with their rules.
For any other, write the rows to a new column or table.""",
    ),
    "NOT_A_SINGLE_VALUE": Explanation(
        4,
        "a struct, an array or a map was to get another type as a whole",
        """\
Name the part that is to change: s.x in a struct, a.element in an array, m.key and m.value in a
map, as deep as need be: m.value.element.x.""",
    ),
    "PARTITION_SCALE": Explanation(
        None,
        "a partition column gets a decimal type with more digits behind the point",
        """\
Partition values stay in the log as they were written, and deltalake 1.6.6 refuses to read 2.50 as
decimal(7,4): it can no longer open the table. Spark reads it. Files that are written from then on
have the new form; the old ones keep theirs until they are rewritten.""",
    ),
    "PARTITION_DATE": Explanation(
        None,
        "a partition column becomes timestamp_ntz, while files have its values as dates",
        """\
The values of a partition stand in the log as text, 2020-01-01, and stay as they are. Spark reads
them as timestamps; delta-rs cannot open the table until those files are rewritten.""",
    ),
    "STREAMS_RESTART": Explanation(
        None,
        "streams that read the table stop at the change",
        """\
Spark ends a stream that meets a change of the schema. Started again, it goes on with the new
type; one with a schema tracking log must first be allowed to, by the option
allowSourceColumnTypeChange.""",
    ),
    "TYPE_CHANGES_UNREADABLE": Explanation(
        4,
        "delta.typeChanges of the column holds what engines cannot read",
        """\
It must be a list of objects with fromType and toType that the protocol allows, and not an empty
one: Spark fails on the whole table else. A change on top would hide what is wrong.
deltactl log cat TABLE VERSION shows the commit that wrote it; deltactl prune-type-changes TABLE
removes it where all files hold the column in its type of today.""",
        also=(5,),
    ),
    "UNSIGNED_TYPE": Explanation(
        4,
        "Delta has no unsigned numbers",
        """\
The next larger signed type holds every value: short for uint8, int for uint16, long for uint32,
decimal(20,0) for uint64.""",
    ),
    "VARIANT_NOT_SUPPORTED": Explanation(
        4,
        "the new type is variant, and the table lacks the feature variantType",
        """\
The feature must be in the protocol before a column can have the type. Clients that do not know it
can then no longer open the table.""",
    ),
}
