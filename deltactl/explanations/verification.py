"""Codes of `verify-checksum`: what in a log contradicts something else in it."""

from deltactl.explanations.entry import Explanation

_AGAIN = "deltactl verify-checksum TABLE --repair moves it aside and writes a good one."


def _finding(summary: str, text: str) -> Explanation:
    return Explanation(5, summary, text)


_LOG = {
    "CHECKPOINT_ABOVE_COMMITS": _finding(
        "a checkpoint is newer than every commit, though older commits are there",
        """\
Logs are cleaned from their old end, so the commit of the checkpoint and those below it were lost;
or the checkpoint is a foreign file. Engines read the table from it, and nothing tells whether it is
right. It may be all that is left of those versions: --repair leaves the log as it is. Restore the
commits from a copy, or move the checkpoint out of the log if it is not the table's.""",
    ),
    "CHECKPOINT_FILE_DIFFERS": _finding(
        "a checkpoint has a file with another size, time, tag, partition or vector",
        f"""\
What the checkpoint says of the file is not what its add says. Engines that read the checkpoint
see another table than those that read the commits.
{_AGAIN}""",
    ),
    "CHECKPOINT_FILE_TWICE": _finding(
        "a checkpoint holds a data file more than once",
        f"""\
Engines then read the rows of that file twice.
{_AGAIN}""",
    ),
    "CHECKPOINT_HAS_DEAD_FILES": _finding(
        "a checkpoint has files that are no longer part of the table",
        f"""\
The commits removed them, or never added them: removed rows come back with this checkpoint.
{_AGAIN}""",
    ),
    "CHECKPOINT_HAS_OTHER_TOMBSTONES": _finding(
        "a checkpoint holds removes that no commit has",
        f"""\
What was removed, and when, the commits say in another way. Whoever reads the checkpoint may take a
file for deleted that is not, or delete it at another time.
{_AGAIN}""",
    ),
    "CHECKPOINT_LACKS_FILES": _finding(
        "a checkpoint lacks files that are part of the table",
        f"""\
The commits added them and never removed them: rows are missing with this checkpoint.
{_AGAIN}""",
    ),
    "CHECKPOINT_LACKS_TOMBSTONES": _finding(
        "a checkpoint let go of removes that are not old enough for that",
        f"""\
For as long as delta.deletedFileRetentionDuration says a checkpoint keeps the removes of files.
Without them the rows of the table are the same; but VACUUM takes such a file for one that it
never knew, and readers of older versions may lose it sooner than was promised.
{_AGAIN}""",
    ),
    "CHECKPOINT_WRONG": _finding(
        "a checkpoint says something else than the commits below it, or than itself",
        f"""\
The subject names what differs: protocol, metaData, an application, a domain, the number of rows,
a column whose type in parquet is not that of the protocol, so that engines fail, or a value of
stats_parsed, which engines skip files by, that is not the one in stats of the same file.
{_AGAIN}""",
    ),
    "CHECKSUM_WITHOUT_VERSION": _finding(
        "there is a checksum file (.crc) of a version above the newest",
        """\
The commit of that version was lost, or the file is foreign. Once the table comes to that version,
Spark may believe it. It may be all that tells of a lost commit, so --repair leaves it: restore the
commit from a copy, or move the checksum out of the log.""",
    ),
    "CHECKSUM_WRONG": _finding(
        "a field of a version's checksum file (.crc) is not what the log says",
        f"""\
Spark believes these files: a wrong schema, protocol or number of files is carried on into its
next commits. The subject names the field, and since when it is wrong is told where it is known.
Where a commit below it has a finding of its own, the checksum may be what is right, and is kept.
{_AGAIN}""",
    ),
    "COMPACTION_UNREADABLE": _finding(
        "a compacted file cannot be read",
        """\
It stands for several commits, and Spark and Delta Kernel read it in their place.
deltactl verify-checksum TABLE --repair moves it aside, where the commits are there.""",
    ),
    "COMPACTION_WRONG": _finding(
        "a compacted file says something else than the commits that it stands for",
        """\
Spark and Delta Kernel believe it, delta-rs reads the commits: engines see different tables.
deltactl verify-checksum TABLE --repair moves it aside.""",
    ),
    "LAST_CHECKPOINT_BEHIND": _finding(
        "_last_checkpoint names an older checkpoint than the newest",
        """\
Engines find the newer one by listing, and lose a little time. A writer was stopped after it wrote
the checkpoint. deltactl verify-checksum TABLE --repair writes the file again.""",
    ),
    "LAST_CHECKPOINT_WRONG": _finding(
        "a figure in _last_checkpoint is not that of the checkpoint",
        """\
The file is a hint, but some engines rely on its number of parts and on its schema.
deltactl verify-checksum TABLE --repair writes the file again.""",
    ),
    "NOT_REPAIRABLE": Explanation(
        None,
        "what is damaged cannot be made again from the log",
        """\
The commits that it was made of are gone, or the damage is in a commit itself. The message says
what can still be read. Look for the file in a backup, or among older versions of the object.""",
    ),
    "SIDECAR_SIZE_WRONG": _finding(
        "a sidecar has another size than its checkpoint says",
        f"""\
The file was cut short, or replaced.
{_AGAIN}""",
    ),
    "SIDE_FILE_MALFORMED": _finding(
        "a .crc side file of Hadoop is malformed",
        """\
On a local disk Hadoop keeps the sums of NAME in .NAME.crc. With one that cannot be read Spark
fails to read NAME. deltactl verify-checksum TABLE --repair moves it aside.""",
    ),
    "SIDE_FILE_STALE": _finding(
        "a .crc side file of Hadoop does not fit the file beside it",
        """\
On a local disk Hadoop keeps the sums of NAME in .NAME.crc, and Spark fails with a
ChecksumException where they differ: NAME was replaced by a tool that does not know of them, or is
damaged. deltactl verify-checksum TABLE --repair moves the side file aside where NAME is sound.""",
    ),
}
_HEADS = {
    "COLUMN_ID_TWICE": _finding(
        "two columns have the same column-mapping id",
        """\
Engines that read by id read one column's values in both.
Nothing but a new metaData with ids that the files have helps.""",
    ),
    "ICT_ENABLEMENT_INCOMPLETE": _finding(
        "of the two properties on where in-commit timestamps begin one is missing",
        """\
Spark's DESCRIBE HISTORY and time travel by timestamp then fail.""",
    ),
    "MAX_COLUMN_ID_TOO_LOW": _finding(
        "delta.columnMapping.maxColumnId is below the id of a column",
        """\
The next column that is added would get an id that is in use.""",
    ),
    "PHYSICAL_NAME_TWICE": _finding(
        "two columns have the same physical name",
        """\
Both read the same values from the files.""",
    ),
    "PROTOCOL_KEY_IN_PROPERTIES": _finding(
        "what belongs into the protocol stands among the properties",
        """\
The table reads and writes as before, until Spark's next unrelated ALTER takes the key for an order
and upgrades the protocol, which may cut off other clients.
deltactl property unset TABLE KEY removes it.""",
    ),
    "ROW_TRACKING_INCOMPLETE": _finding(
        "row tracking is on, but the names of its two columns are missing",
        """\
Spark's next INSERT fails.""",
    ),
    "TYPE_CHANGE_NOT_ALLOWED": _finding(
        "delta.typeChanges has a change that the protocol does not allow",
        """\
Readers refuse the table, or read values wrongly.""",
    ),
    "TYPE_CHANGE_NOT_CONTINUOUS": _finding(
        "a type change does not begin with the type that the one before it ended with",
        """\
An entry is missing, or they are in the wrong order: the oldest stands first.""",
    ),
    "TYPE_CHANGE_NOT_CURRENT": _finding(
        "the last type change does not end with the type of the column",
        """\
The column was changed without an entry, or an entry is missing.""",
    ),
    "TYPE_CHANGE_PATH_MISSING": _finding(
        "a type change names a field path that the column does not have",
        """\
Its fieldPath leads from the column into arrays and maps: element, key, value.""",
    ),
}
_ACTIONS = {
    "CHANGE_FILE_MALFORMED": _finding(
        "a file of the change data feed is not described as it must be",
        """\
A cdc action has path, partitionValues, size, and dataChange false.
Reading the changes of that version fails, or counts rows twice.""",
    ),
    "DUPLICATE_DOMAIN": _finding(
        "one commit has two actions for one metadata domain",
        """\
The protocol allows one. Engines may take either.""",
    ),
    "DUPLICATE_REMOVE": Explanation(
        None,
        "one commit removes the same file twice",
        """\
The protocol allows one action a file. Engines read it as one.""",
        also=(5,),
    ),
    "PARTITION_VALUES_INCOMPLETE": _finding(
        "a file lacks the value of a partition column, or has one too many",
        """\
The column then reads NULL in all rows of the file, or engines fail.
Have an engine rewrite the file.""",
    ),
    "PARTITION_VALUE_UNREADABLE": _finding(
        "a partition value is not of the type of its column",
        """\
Engines read NULL, or fail.""",
    ),
    "REMOVE_ON_APPEND_ONLY": _finding(
        "data was removed although the table is append-only",
        """\
A writer did not mind delta.appendOnly. The rows are gone from this version on; RESTORE, with the
property unset, brings them back while the files exist.""",
    ),
    "ROW_IDS_OVERLAP": _finding(
        "two files have the same row ids",
        """\
Rows can no longer be told apart by their id. A writer did not mind the high-water mark.""",
    ),
    "ROW_ID_MARK_TOO_LOW": _finding(
        "the high-water mark of row ids is below an id that is in use",
        """\
The next INSERT hands out ids that other rows have. The mark is in the domain delta.rowTracking.""",
    ),
    "ROW_ID_MISSING": _finding(
        "row tracking is on, but files have no row ids",
        """\
Every file needs a baseRowId. deltactl protocol enable TABLE rowTracking gives them.""",
    ),
    "STATISTICS_NOT_JSON": _finding(
        "the statistics of a file are not a JSON object",
        """\
Engines cannot skip the file, and some fail to read the table. Where only a checkpoint has them,
deltactl verify-checksum TABLE --all --repair moves it aside and writes a good one.""",
    ),
    "TWO_COMMIT_INFOS": _finding(
        "one commit has more than one commitInfo",
        """\
The protocol allows one. History shows either.""",
    ),
}
_VECTORS = {
    "VECTOR_CARDINALITY_WRONG": _finding(
        "a deletion vector deletes another number of rows than the log says",
        """\
Spark counts rows by the number in the log: count(*) is wrong, though the rows read are right.""",
    ),
    "VECTOR_CHECKSUM_WRONG": _finding(
        "the CRC-32 of a deletion vector does not fit",
        """\
The file is damaged. Engines fail to read the data file, or bring deleted rows back.
Restore the file from a copy of the store.""",
    ),
    "VECTOR_FILE_MISSING": _finding(
        "the file of a deletion vector does not exist",
        """\
The data file cannot be read without it. Restore it from a copy of the store.""",
    ),
    "VECTOR_MAGIC_WRONG": _finding(
        "a deletion vector is of another format",
        """\
It begins with another number than 1681511377. The offset in the log may be wrong.""",
    ),
    "VECTOR_ROW_BEYOND_FILE": _finding(
        "a deletion vector deletes a row that the file does not have",
        """\
It belongs to another file, or the number of rows in the statistics is wrong.""",
    ),
    "VECTOR_SIZE_WRONG": _finding(
        "a deletion vector has another size than the log says",
        """\
Its file was cut short, or the offset in the log is wrong. Engines fail to read the data file.""",
    ),
    "VECTOR_UNREADABLE": _finding(
        "the bytes of a deletion vector are not a Roaring bitmap",
        """\
Engines fail to read the data file. Restore the vector's file from a copy of the store.""",
    ),
    "VECTOR_WITHOUT_RECORDS": _finding(
        "a file has a deletion vector, but the log does not say how many rows it has",
        """\
The protocol demands numRecords there: Spark counts rows by it.""",
    ),
}
_DATA = {
    "DATA_FILE_COLUMN": _finding(
        "a data file has a column that the schema does not have",
        """\
It is not read. But a column of that name that is added later brings its values back.""",
    ),
    "DATA_FILE_FIELD_IDS": _finding(
        "a data file has no field ids, though columns are mapped by id",
        """\
Every column of the file reads NULL. Have an engine that knows column mapping write it again.""",
    ),
    "DATA_FILE_ROWS": _finding(
        "a data file has another number of rows than its statistics say",
        """\
Engines that count rows by statistics give a wrong count(*).""",
    ),
    "DATA_FILE_SIZE": _finding(
        "a data file has another size than the log says",
        """\
The file was cut short or replaced. Readers that rely on the size fail to find its footer.""",
    ),
    "DATA_FILE_TYPE": _finding(
        "a data file holds a column in a type that does not become the table's",
        """\
Engines fail to read the column, or misread it.""",
    ),
    "STATISTICS_WRONG": _finding(
        "statistics of a data file leave out rows that it has",
        """\
Engines skip the file for a filter that matches rows in it: rows are missing from answers.
ANALYZE TABLE ... COMPUTE DELTA STATISTICS in Spark computes them again.""",
    ),
}

VERIFICATION = _LOG | _HEADS | _ACTIONS | _VECTORS | _DATA
