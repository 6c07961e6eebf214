"""Codes on finding a table, a version, a column, and on reaching the store."""

from deltactl.explanations.entry import Explanation

PLACES = {
    "BAD_COLUMN_PATH": Explanation(
        2,
        "a column was named in a way that cannot be read",
        """\
A path names each level: s.x in a struct, a.element in an array, m.key and m.value in a map.
A name that holds a dot or a space goes into backticks: `a.b`.c (quote it for your shell).""",
        also=(4,),
    ),
    "BAD_TABLE_PATH": Explanation(
        2,
        "the place of the table is not a path or a URL that can be used",
        """\
Give a path, a URL such as s3://bucket/table or file:///path, or a name from [tables] in
deltactl.toml.""",
    ),
    "COLUMN_NOT_FOUND": Explanation(
        3,
        "the table has no such column",
        """\
Names match without regard to case; key, value and element are special only below a map or array.
`deltactl schema show TABLE` lists the columns; with --at it shows those of an older version.""",
    ),
    "DATA_FILE_MISSING": Explanation(
        8,
        "a data file that the log names is not there",
        """\
Its rows cannot be read. Usually VACUUM ran with too short a retention, or somebody deleted files.
RESTORE to a version whose files are all there, or bring the file back from a copy.""",
        also=(5,),
    ),
    "DATA_FILE_UNREADABLE": Explanation(
        8,
        "the footer of a data file cannot be read",
        """\
The file is damaged, or is not a parquet file. The log alone can still be read; queries that need
the file fail. Bring it back from a copy, or RESTORE to a version that does not have it.""",
        also=(5,),
    ),
    "DEMO_STOPPED": Explanation(
        8,
        "the demo could not write its table to the end",
        """\
The disk or the store did not confirm a file, or another program writes in the same place. Each
version below that file is whole, and nothing of another program was replaced. Run it in another
place.""",
    ),
    "DEPTH_REACHED": Explanation(
        None,
        "there are folders that were not searched for tables, since they lie too deep",
        """\
`deltactl tables PREFIX` searches PREFIX and five levels of folders below it; --depth N says how
many. There may be tables further down.""",
    ),
    "EMPTY_TABLE_NAME": Explanation(
        2,
        "the table was named by an empty text",
        """\
Usually a shell variable was empty or misspelt: `deltactl show "$TABLE"`.""",
    ),
    "FEATURE_NOT_FOUND": Explanation(
        3,
        "no table feature has this name",
        """\
`deltactl protocol features` lists every feature that is known, with its purpose.""",
    ),
    "FOLDER_EXISTS": Explanation(
        4,
        "a new folder was to be made, and something is there already",
        """\
Nothing in it was read or changed. Name another folder; in a store, a URL below which nothing is. A
demo that was interrupted leaves something too, the versions of the table that it came to: that can
be opened, or removed.""",
    ),
    "FOLDER_NOT_FOUND": Explanation(
        3,
        "there is no folder at the place that was to be searched for tables",
        """\
The message says which path was looked for. A relative path starts at the current folder. What
`deltactl tables` takes is a folder, or a name from [tables] in deltactl.toml.""",
    ),
    "LOG_FILE_NOT_FOUND": Explanation(
        3,
        "the log has no such file",
        """\
Log clean-up removes old commits and checkpoints. `deltactl log TABLE` lists what there is.""",
    ),
    "LOG_FILE_VANISHED": Explanation(
        5,
        "a file of the log was listed, and gone when it was read",
        """\
Log clean-up by a writer may have removed it meanwhile: run the command again.
If it comes again, the store lists what it does not have.""",
    ),
    "NOT_A_FOLDER": Explanation(
        2,
        "the place for a new table is neither a folder of this machine nor in a store",
        """\
The demo makes its table in a new local folder, or in a store: give a path, or a URL such as
s3://BUCKET/orders. An empty text is neither, nor is a URL of another kind.""",
    ),
    "NOT_A_LOG_FILE": Explanation(
        4,
        "the file is in the log's folder, but holds no actions",
        """\
Only commits, checkpoints, checksums and _last_checkpoint are printed; side files and temporary
files of writers are not. `deltactl log TABLE` lists what there is.""",
    ),
    "NOT_A_TABLE": Explanation(
        3,
        "there is something at this place, but no Delta table",
        """\
A table is a folder with a folder _delta_log that holds at least one commit or checkpoint.
If the path points below a table, for example at a partition, use the path of the table itself.""",
    ),
    "NOT_A_TYPE": Explanation(
        2,
        "the text does not name a type that Delta has",
        """\
SQL and Delta names are taken alike: bigint or long, int or integer, decimal(10,2),
timestamp_ntz.""",
        also=(4,),
    ),
    "NO_ATOMIC_CREATE": Explanation(
        8,
        "the store cannot create a file only where none is, so nothing was written",
        """\
A commit must be created all at once, or two writers could destroy each other's work.
Local file systems on Linux and macOS can do it; some network and FUSE mounts cannot. S3, Azure and
Google Cloud can; an older store that speaks S3 may not know of If-None-Match.""",
    ),
    "PERMISSION_DENIED": Explanation(
        8,
        "the store does not let you read or write what the command needs",
        """\
The message names the file or folder. Reading a table needs the right to list and read
_delta_log; writing also needs the right to create files there.""",
    ),
    "PROPERTY_VALUE": Explanation(
        2,
        "a table property cannot have this value",
        """\
The message says which values the property takes. Intervals look like "interval 30 days".""",
        also=(4,),
    ),
    "STORE_NOT_SUPPORTED": Explanation(
        8,
        "deltactl cannot reach this kind of store",
        """\
The message names the kinds of URL that it can reach.""",
    ),
    "TABLE_NOT_FOUND": Explanation(
        3,
        "there is nothing at the place where the table should be",
        """\
The message says which path was looked for. A relative path starts at the current folder; a name
from [tables] in deltactl.toml starts at the folder of that file (see `deltactl config show`).""",
    ),
    "TIMESTAMP_AFTER_HISTORY": Explanation(
        None,
        "the time is after the newest commit, so the newest version is shown",
        """\
The table may get further commits with a time before the one that was given.
Name a version to get the same answer every time.""",
    ),
    "TIMESTAMP_BEFORE_HISTORY": Explanation(
        3,
        "the time is before the oldest commit that is still in the log",
        """\
The message names the oldest time that can be asked for. Old commits are removed after
delta.logRetentionDuration (30 days by default); what they held cannot be shown any more.""",
    ),
    "VERSION_NOT_FOUND": Explanation(
        3,
        "the table does not have this version yet",
        """\
The message names the newest version. `deltactl history TABLE` lists those that there are.""",
    ),
    "VERSION_NOT_RECREATABLE": Explanation(
        3,
        "the log no longer has what is needed to rebuild this version",
        """\
A version needs all commits since version 0, or since a checkpoint at or before it. Log clean-up
removed them, and the message names the oldest version that can be shown; or the log has a gap, and
it names the commit that is gone and the newest version below it.""",
    ),
}
