"""Codes on columns that are added, dropped, renamed and described."""

from deltactl.explanations.entry import Explanation

COLUMNS = {
    "BAD_COLUMN_LINES": Explanation(
        2,
        "lines that were given to column apply are not verbs",
        """\
Each line is a verb of deltactl column as it is typed, without TABLE: add amount long. Words are
quoted as in a shell, and # begins a comment. Nothing was done for the other lines either.""",
    ),
    "NO_CHANGES_GIVEN": Explanation(
        2,
        "column apply was given no line with a verb",
        """\
An empty list is taken for a mistake, such as a file that was not written. Each line is a verb of
deltactl column as it is typed, without TABLE; the lines come from FILE, or from stdin.""",
    ),
    "CLUSTERING_COLUMN": Explanation(
        4,
        "the table is clustered by the column",
        """\
A clustering column cannot be dropped, nor can what it is inside of. Cluster the table by other
columns first.""",
    ),
    "COLUMN_EXISTS": Explanation(
        4,
        "the name is taken, by a column that is not as the new one is to be",
        """\
Names that differ only in case are one name to engines. A column that is there already, with the
same type and settings, is no error: then there is nothing to do.""",
    ),
    "COLUMN_HAS_OTHER_TYPE": Explanation(
        None,
        "the column was there already, with another type",
        """\
With --if-not-exists a column that is there stays as it is, whatever its type. deltactl widen
changes the type where that is possible without rewriting files.""",
    ),
    "COLUMN_IN_FILES": Explanation(
        4,
        "data files hold a column of that name already",
        """\
Without column mapping a column is read from files by its name, so that old values which nobody
meant to show would become those of the new column. Files of other programs can hold such columns.
The newest files are looked at. With column mapping new columns get names that no file has.""",
    ),
    "COLUMN_MAPPING_NEEDED": Explanation(
        4,
        "columns can be dropped and renamed only with column mapping",
        """\
With column mapping, files know a column by a name of its own that never changes. --enable switches
it on in the same commit, by name, which rewrites no file. Clients that do not know the feature can
then no longer open the table, and it cannot be switched off without rewriting all files.""",
    ),
    "COLUMN_NAME_NEEDS_MAPPING": Explanation(
        4,
        "the name has characters that only tables with column mapping allow",
        """\
These are the space and any of , ; { } ( ) = tab and newline. With column mapping, files hold the
column under another name.""",
    ),
    "DEFAULT_NOT_CONSTANT": Explanation(
        4,
        "the default is not a constant",
        """\
Engines evaluate a default at each insert that leaves the column out, and fail at that moment if it
speaks of columns, is a query, or is anything that they do not take as a constant. deltactl takes
plain values, NULL, and current_date(), current_timestamp(), now(), localtimestamp() and
current_user().""",
    ),
    "DEFAULT_NOT_PLAIN": Explanation(
        4,
        "a column with parts can have no default but NULL",
        """\
Structs, arrays and maps have no plain values that all engines read the same way.""",
    ),
    "DEFAULT_OF_COMPUTED": Explanation(
        4,
        "engines compute the values of the column, so that it can have no default",
        """\
Generated columns and identity columns never take a value from a default.""",
    ),
    "DEFAULT_WRONG_TYPE": Explanation(
        4,
        "the default is not a value of the column's type",
        """\
It must fit as it is: a whole number in its range, a decimal without more digits than the type has,
a text no longer than the column allows. Dates and times are written DATE'2024-05-31' and
TIMESTAMP'2024-05-31 12:00:00'.""",
    ),
    "EMPTY_STRUCT": Explanation(
        4,
        "the type has a struct without fields",
        """\
Parquet files cannot hold one. Name a field of it; more can be added later.""",
    ),
    "FEATURE_NEEDED": Explanation(
        4,
        "the change needs a table feature that the table does not have",
        """\
--enable adds the feature in the same commit. Clients that do not know it can then no longer write
the table, or no longer open it, as deltactl protocol features says.""",
    ),
    "IN_MAP_KEY": Explanation(
        4,
        "the field is part of the key of a map",
        """\
Entries of a map are told apart by their whole key: with a field less two of them could become the
same, and with one more none would be found by the keys that are known.""",
    ),
    "LAST_COLUMN": Explanation(
        4,
        "a table or struct must keep a column that files hold",
        """\
Neither a table nor a struct can be without columns, and partition columns stand in no file.""",
    ),
    "NAME_IN_METADATA_ONLY": Explanation(
        None,
        "a table's name in its metadata is not the name by which anybody finds it",
        """\
Tables are found by their folder or through a catalog; neither is renamed. The name in the metadata
is for people, and for tools that show it.""",
    ),
    "NESTED_DEFAULT": Explanation(
        4,
        "only columns have defaults, not the fields inside of them",
        """\
Engines ignore a default on a field of a struct, or fail on it.""",
    ),
    "NESTED_NOT_NULL": Explanation(
        4,
        "a field that is inside of something nullable cannot be NOT NULL",
        """\
Where a struct is null its fields are null as well, and engines check NOT NULL neither in arrays nor
in maps. Where every row has the struct: column set-not-null for it, then for its field.""",
    ),
    "NOT_A_FIELD": Explanation(
        4,
        "an element, a key or a value is not a column of its own",
        """\
It has a type, which deltactl widen can change, but no name, comment, default or NOT NULL.""",
    ),
    "NOT_A_NAME": Explanation(
        4,
        "the new name of a column is a path",
        """\
A rename does not move a column: column rename TABLE s.a b makes s.a to s.b. A name that has a dot
stands in backticks.""",
    ),
    "NOT_A_STRUCT": Explanation(
        4,
        "fields can be added only to a table or to a struct",
        """\
The path leads to something else. Fields of the structs in an array are below element:
ar.element.x; those in the values of a map below value: m.value.x.""",
    ),
    "NOT_NULL_NEEDS_EMPTY_TABLE": Explanation(
        4,
        "a column that is new to a table with rows cannot be NOT NULL",
        """\
The rows that are there have no value for it, and engines fail to read a table that says otherwise.
Only a table without data files can get such a column.""",
    ),
    "OLD_ROWS_READ_NULL": Explanation(
        None,
        "rows from before a default was given read NULL, not the default",
        """\
Delta fills in a default when a row is inserted, never when it is read. Where rows that are there
are to have the value, too: deltactl column add with --backfill.""",
    ),
    "PARTITION_COLUMN": Explanation(
        4,
        "the table is partitioned by the column",
        """\
Every file belongs to a value of it. Only a rewrite of the whole table gives it other
partitions.""",
    ),
    "RESERVED_COLUMN_NAME": Explanation(
        4,
        "the name is one that engines use for columns of their own",
        """\
The change data feed has _change_type, _commit_version and _commit_timestamp; row tracking has
columns whose names stand in two properties of the table; others appear while files are read.""",
    ),
    "STREAMS_STOP": Explanation(
        None,
        "streams that read the table stop at a dropped or renamed column",
        """\
A stream of Spark from the table ends with an error at the change. With schemaTrackingLocation it
can go on, once the option that the message names is set for it; otherwise it must restart.""",
    ),
    "TEXT_TOO_LONG": Explanation(
        4,
        "the name or the description is longer than engines take",
        """\
A name may have 255 characters, a description 4,000.""",
    ),
    "VOID_COLUMN": Explanation(
        4,
        "a new column cannot be of type void",
        """\
Nothing can be written to such a column, and not every client opens a table that has one. Add the
column when its type is known: that costs no more then.""",
    ),
}
