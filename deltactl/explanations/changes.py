"""Codes on what stands in the way of a change."""

from deltactl.explanations.entry import Explanation

CHANGES = {
    "CHECK_DEPENDS_ON_COLUMN": Explanation(
        4,
        "a CHECK constraint uses the column",
        """\
With another type the constraint could come to mean something else for rows that passed it; without
the column, or under another name, every insert would fail.
Drop the constraint, change the column, and add the constraint again.""",
    ),
    "GENERATED_DEPENDS_ON_COLUMN": Explanation(
        4,
        "the column is generated, or a generated column is computed from it",
        """\
With another type the expression could give other values than those that are stored; without the
column, or under another name, inserts would fail.
Engines refuse such a change, and there is no way round it without rewriting the column.""",
    ),
    "ICEBERG_COMPAT": Explanation(
        4,
        "the table is kept readable as an Iceberg table, and Iceberg has no such change",
        """\
Iceberg knows int to long, float to double, and decimals of a higher precision and the
same scale.
Switch the IcebergCompat property off first if no Iceberg reader needs the table.""",
    ),
    "IDENTITY_COLUMN": Explanation(
        4,
        "the column is an identity column",
        """\
Its values are made by the engine from numbers kept in the metadata as long. Its type is fixed.""",
    ),
    "INVARIANT_DEPENDS_ON_COLUMN": Explanation(
        4,
        "an invariant of a column uses it",
        """\
Invariants are expressions in the schema's metadata, which old writers left there.
With another type the expression could come to mean something else; without the column, or under
another name, inserts would fail.""",
    ),
    "NO_ARROW_TYPE": Explanation(
        4,
        "the schema has a type that Arrow cannot express",
        """\
The message names it. Export the schema as JSON or as DDL instead.""",
    ),
    "TIMESTAMP_NTZ_NOT_SUPPORTED": Explanation(
        4,
        "the new type is timestamp_ntz, and the table lacks the feature timestampNtz",
        """\
The feature must be in the protocol before a column can have the type. Clients that do not know
it can then no longer open the table.""",
    ),
    "TYPE_WIDENING_NOT_ENABLED": Explanation(
        4,
        "type widening is not switched on for the table",
        """\
The property delta.enableTypeWidening must be true. Setting it adds the feature typeWidening to the
protocol, which clients that do not know it can then no longer open.""",
    ),
    "TYPE_WIDENING_NOT_SUPPORTED": Explanation(
        4,
        "the protocol of the table lacks the feature typeWidening",
        """\
Setting delta.enableTypeWidening to true adds it. Clients that do not know the feature can then no
longer open the table.""",
    ),
}
