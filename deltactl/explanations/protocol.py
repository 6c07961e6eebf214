"""Codes on table features and protocol versions: what they demand, and what stands in the way."""

from deltactl.explanations.entry import Explanation

PROTOCOL = {
    "ADD_INCOMPLETE": Explanation(
        5,
        "a file's entry in the log lacks what it must have, and cannot be committed again",
        """\
The file was added by a writer that left out a field that the protocol requires. Engines may read
such an entry, but would not read a new one like it, and a checkpoint would write a size of 0.
Have an engine rewrite the file.""",
        also=(4,),
    ),
    "BAD_COLUMN_LIST": Explanation(
        2,
        "a list of columns is malformed",
        """\
Columns are separated by commas, the parts of a path by dots: a,s.x. A name that has a comma or a
dot stands in backticks.""",
    ),
    "CHANGE_FEED_BEGINS": Explanation(
        None,
        "the change data feed begins with this version",
        """\
Versions before it did not record which rows changed. A reader that asks for them gets an error.""",
    ),
    "CLUSTERING_COLUMNS_NEEDED": Explanation(
        4,
        "clustering was asked for without columns",
        """\
Name the columns with --columns a,b: up to four, of which files have statistics.""",
    ),
    "CLUSTERING_UNREADABLE": Explanation(
        4,
        "the table's domain delta.clustering does not name columns",
        """\
Engines write JSON with a list clusteringColumns, of lists of physical names.""",
    ),
    "ROW_IDS_LOST": Explanation(
        None,
        "the rows lose the ids by which they were known",
        """\
Row tracking gives every row an id that stays while the row is changed or moved. Switched on again
after a drop it renumbers all rows, so that ids from before mean nothing, or other rows.""",
    ),
    "DOMAINS_REMOVED": Explanation(
        None,
        "named configuration goes with the feature domainMetadata",
        """\
Nothing may be kept in domains when the protocol no longer has the feature. What applications of
your own kept there is removed, as Spark's DROP FEATURE removes it; time travel still shows it.""",
    ),
    "DORMANT_RULE": Explanation(
        4,
        "a feature would bring a rule into force that rows were never checked for",
        """\
The metadata has a constraint, a NOT NULL, a generated or identity column, or column mapping, and
the protocol does not have the feature that makes writers obey it. Somebody left it there.
With the feature engines would take for granted that every row fits. Take the rule away first,
enable the feature, and add the rule again, which checks the rows.""",
    ),
    "FEATURE_IN_USE": Explanation(
        4,
        "a feature cannot be dropped or switched off while something builds on it",
        """\
The message names it. Drop that first, or switch it off.""",
    ),
    "FEATURE_NOT_OFFERED": Explanation(
        4,
        "the feature cannot be enabled on a table that exists",
        """\
It comes only with a new table or with a catalog, it is a proposal that no engine has yet, or it is
a side effect of something else. deltactl protocol features FEATURE says what is known of it.""",
    ),
    "FEATURE_STAYS": Explanation(
        4,
        "no engine drops the feature",
        """\
deltactl drops features that only writers need and that no data file depends on, and has Delta drop
those for which files must be rewritten. Other features no engine can drop: they can only be
switched off, and stay listed.""",
    ),
    "FILES_NOT_CLUSTERED_YET": Explanation(
        None,
        "new clustering columns do not move any row",
        """\
New files are laid out by the columns where the writer does that; OPTIMIZE in Spark rewrites those
that are there.""",
    ),
    "HALF_A_VERSION": Explanation(
        None,
        "only one of the two protocol versions is that of column mapping",
        """\
Column mapping comes with reader version 2 and writer version 5. With one of them alone clients
may lose the table, and nothing is won.""",
    ),
    "ICEBERG_FORBIDS_VECTORS": Explanation(
        4,
        "deletion vectors and this version of IcebergCompat exclude each other",
        """\
Iceberg before version 3 cannot read deletion vectors of Delta. Rewrite the files that have any with
REORG TABLE ... APPLY (PURGE) in Spark, or switch IcebergCompat off.""",
    ),
    "ICEBERG_OLD_FILES": Explanation(
        None,
        "files that are there may lack what Iceberg needs",
        """\
Iceberg finds columns in a file by ids, which files have only since column mapping was enabled, and
reads the partition columns from the file. Delta's engines read the old files as before.
REORG TABLE ... APPLY (UPGRADE UNIFORM(ICEBERG_COMPAT_VERSION=2)) in Spark rewrites them.""",
    ),
    "ICEBERG_VERSION_TAKEN": Explanation(
        4,
        "the table has another version of IcebergCompat already",
        """\
Only one can be active. The property of version 1 or 2 can be set to false, that of 3 cannot.""",
    ),
    "MAPPED_AT_READER_2": Explanation(
        None,
        "one function of deltalake misreads mapped tables at reader version 2",
        """\
DeltaTable.to_pyarrow_table of the Python package deltalake (seen with 1.6.6) looks for columns by
their names and not by their physical names: after a rename, and for columns that are added later,
it gives nulls without an error. At reader version 3 it refuses the table.
deltalake's QueryBuilder, Spark and Delta Kernel read right.""",
    ),
    "NOTHING_TO_LIST": Explanation(
        None,
        "protocol versions 3 and 7 were asked for by number",
        """\
They mean that features are listed by name. With no feature to list there is nothing to change.""",
    ),
    "NOT_A_CLUSTERING_COLUMN": Explanation(
        4,
        "files cannot be laid out by the values of the column",
        """\
Clustering needs the least and the greatest value of the column in each file. Files have them of
numbers, strings, dates and timestamps, in structs too, and not of what is in arrays or maps.""",
    ),
    "NOT_IN_ICEBERG": Explanation(
        4,
        "the schema has something that this version of IcebergCompat does not allow",
        """\
Version 1 allows no arrays and maps; versions before 3 allow no variant; none allows void. Type
changes other than int to long, float to double, and more digits before a decimal's point are
unknown to Iceberg: deltactl prune-type-changes removes those that no file needs any more. With
version 3 defaults must be plain values.""",
    ),
    "NO_STATISTICS": Explanation(
        4,
        "files have no statistics of the column, or can have none",
        """\
Writers collect them of the columns in delta.dataSkippingStatsColumns; where that is unset, of the
first delta.dataSkippingNumIndexedCols columns (32), fields of structs counted one by one.
Set one of the two properties; files that are there get statistics when they are rewritten.
They are kept for numbers, strings, dates and timestamps, also in structs, but not for what is
inside arrays and maps; partition columns need none.""",
    ),
    "PARTITIONED_TABLE": Explanation(
        4,
        "a partitioned table cannot be clustered",
        """\
Make a new table with CLUSTER BY instead of PARTITIONED BY and copy the rows.""",
    ),
    "PREVIEW_FEATURE": Explanation(
        None,
        "the feature is the preview of one that is released",
        """\
Clients that are older than the release know the preview only. Newer ones know both for a while.""",
    ),
    "ROW_COUNT_UNKNOWN": Explanation(
        4,
        "rows cannot be numbered: a file's statistics do not say how many it has",
        """\
Row tracking gives each file the id of its first row, and the next file the one after its last.
Statistics without numRecords, or none, come from writers that do not collect them. A file that
Spark rewrites gets them.""",
    ),
    "ROW_IDS_EXHAUSTED": Explanation(
        4,
        "the table says that nearly all row ids are taken",
        """\
Ids are 64 bits wide; a table comes near that only by a damaged high-water mark in its domain
delta.rowTracking.""",
    ),
    "ROW_ID_MARK_UNREADABLE": Explanation(
        4,
        "the domain delta.rowTracking does not say which row ids are taken",
        """\
Its configuration must be JSON with a number rowIdHighWaterMark. Without it ids could be given out
twice.""",
        also=(5,),
    ),
    "ROW_TRACKING_CAME_FIRST": Explanation(
        4,
        "icebergCompatV3 must come before row tracking, or with it",
        """\
Files that were rewritten under row tracking keep row ids in a column that Iceberg does not look
for. Drop rowTracking first: enabling icebergCompatV3 then renumbers the rows.""",
    ),
    "STATISTICS_DISAGREE": Explanation(
        5,
        "a checkpoint's two forms of statistics tell different numbers of rows",
        """\
A checkpoint holds statistics as JSON, as a struct, or both. Where both are there they must agree.
Write a new checkpoint with Spark.""",
    ),
    "TOO_MANY_CLUSTERING_COLUMNS": Explanation(
        4,
        "a table has at most four clustering columns",
        """\
More would hardly help: files are laid out by all of them together.""",
    ),
    "VERSIONS_DO_NOT_FIT": Explanation(
        4,
        "the two protocol versions do not go together",
        """\
Reader version 3 means that features are listed, which needs writer version 7. With that version
reader version 2 says that columnMapping is listed, and comes with it.""",
    ),
    "VERSION_GOES_DOWN": Explanation(
        4,
        "the protocol has a higher version already",
        """\
Lower versions would take features away that the table may use. Only protocol drop does that, one
feature at a time, and it returns to lower versions by itself where they say all that is left.""",
    ),
}
