"""Codes about the rows of a table: those in the way of a change, and those that break a rule."""

from deltactl.explanations.entry import Explanation

ROWS = {
    "APPEND_ONLY_TABLE": Explanation(
        4,
        "rows of an append-only table cannot be changed",
        """\
delta.appendOnly forbids every change and every removal of rows, and a backfill is an UPDATE.""",
    ),
    "BACKFILL_NOT_ONCE": Explanation(
        4,
        "--txn is for changes of one commit, and a backfill takes two",
        """\
--backfill itself writes down what it has done, as steps of an application of its own. Run again, it
goes on with what is left, and does nothing where all is done.""",
    ),
    "BACKFILL_UNSURE": Explanation(
        4,
        "whether old rows have the value of a column, a restored table does not tell",
        """\
The log says that a backfill gave old rows the value, and that RESTORE came later. Where RESTORE
names a version, it is known whether that took the values back; by a time, or once the backfill's
commit is gone, it is not. A NULL may then be one that somebody wrote since, and is left alone.""",
    ),
    "CHECK_VIOLATED": Explanation(
        5,
        "rows do not satisfy a CHECK constraint",
        """\
Its expression must be true for every row: false and NULL violate it. Writers that know the feature
refuse such rows, so another one wrote these, or the constraint was put into the metadata by hand.
Correct the rows with UPDATE or DELETE in Spark, or drop the constraint.""",
    ),
    "CONSTRAINT_SENSELESS": Explanation(
        4,
        "Spark cannot evaluate the expression of a constraint",
        """\
It names a function that there is not, or gives one what it does not take. With such a constraint
every write of an engine would fail. Nothing was written.""",
    ),
    "GENERATED_VALUE_WRONG": Explanation(
        5,
        "rows have another value in a generated column than its expression gives",
        """\
Engines skip files by what they derive from a generated column, and then miss such rows. Where the
expression is right, UPDATE the column to it in Spark.""",
    ),
    "IDENTITY_ABOVE_MARK": Explanation(
        5,
        "an identity column has values beyond its high-water mark",
        """\
New rows get the values behind the mark: those that are there already come a second time. In Spark,
ALTER TABLE ... ALTER COLUMN ... SYNC IDENTITY moves the mark. A warning where people may write
values of their own, which do not move it.""",
    ),
    "IDENTITY_DUPLICATE": Explanation(
        5,
        "an identity column has a value more than once",
        """\
Who takes the column for a key finds several rows. It happens where the high-water mark was set
back, where two writers did not see one another, or where people wrote values of their own, which is
only a warning.""",
    ),
    "INVARIANT_VIOLATED": Explanation(
        5,
        "rows do not satisfy the invariant of a column",
        """\
Its expression, which old writers left in the metadata of the column, must be true for every row.
Engines check it for rows that they write. Correct the rows in Spark.""",
    ),
    "NOT_NULL_VIOLATED": Explanation(
        5,
        "rows have no value in a column that is NOT NULL",
        """\
Engines rely on it: Spark answers queries for these rows wrongly, or fails. deltactl column
drop-not-null takes the promise back; or UPDATE the rows, after that.""",
    ),
    "ROWS_HAVE_NULL": Explanation(
        4,
        "a column with rows that have no value cannot become NOT NULL",
        """\
The message says how many rows there are, and some are shown. Give them a value, or delete them, and
run it again. Nothing was written.""",
    ),
    "ROWS_VIOLATE_CONSTRAINT": Explanation(
        4,
        "rows that are there do not satisfy the new constraint",
        """\
Its expression must be true for every row; where it is false or NULL, the row violates it. The
message says how many rows do, and some are shown.""",
    ),
    "SPARK_NEEDED": Explanation(
        9,
        "only Spark can tell whether the change may be made",
        """\
deltactl evaluates what has one meaning in every session: comparisons of columns with constants of
their type or with one another, IS NULL, IN, BETWEEN, AND, OR, NOT. For the rest, and where dates or
deleted rows leave it unsure, Spark looks at the rows, unless --engine local forbids that. A table
without files takes some common functions too, on operands that surely fit them; with others that
Spark cannot resolve every write would fail.""",
    ),
}
