"""Codes on writing checkpoints, and other files of the log beside commits."""

from deltactl.explanations.entry import Explanation

CHECKPOINTS = {
    "CHECKPOINT_DAMAGED": Explanation(
        4,
        "the version has a checkpoint that is damaged, or not what the log says",
        """\
A new one cannot be put beside it, for readers would still take the damaged one. With --repair it is
renamed to NAME.quarantined-TIME, never deleted, after a good one was made of the commits and older
checkpoints; then the good one is put in its place.""",
    ),
    "CHECKPOINT_NOT_AS_WRITTEN": Explanation(
        8,
        "a checkpoint, read back from its temporary files, is not what was to be written",
        """\
Nothing was written to the table. The disk or the memory of this machine is at fault, or deltactl
is: run it again, on another machine if need be, and report it if it happens there too.""",
    ),
    "CHECKPOINT_PROTECTED": Explanation(
        4,
        "the version is protected, and has features that deltactl does not support",
        """\
The feature checkpointProtection forbids checkpoints of versions before
delta.requireCheckpointProtectionBeforeVersion to every client that does not support all features
that the table had then.""",
    ),
    "CLASSIC_HAS_ONE_PART": Explanation(
        4,
        "a classic checkpoint is one file, and several parts were asked for",
        """\
Ask for --kind multipart, or on a table with the feature v2Checkpoint for --kind v2.""",
    ),
    "LOG_FILE_APPEARED": Explanation(
        6,
        "the log has a file of the same name with other content",
        """\
Another writer put it there, or left it when it was interrupted. deltactl never overwrites it, and
has removed the parts of the checkpoint that it had put. If a writer is at work, wait until it ends,
and run the command again. Otherwise add --repair: it moves the file aside.""",
    ),
    "LOG_FILE_UNKNOWN": Explanation(
        7,
        "the store does not say whether a file of the log was written",
        """\
A checkpoint that is not complete harms nobody. Run the command again: it looks at what is there
now.""",
    ),
    "MULTIPART_FORBIDDEN": Explanation(
        4,
        "a table with the feature v2Checkpoint must not have multi-part checkpoints",
        """\
Ask for --kind v2: its sidecars are several files too. A classic checkpoint is allowed as well.""",
        also=(5,),
    ),
    "STATISTICS_NOT_KEPT": Explanation(
        None,
        "by the table's properties the checkpoint holds no statistics of files",
        """\
delta.checkpoint.writeStatsAsJson and delta.checkpoint.writeStatsAsStruct are both false. Readers
that begin with the checkpoint can skip no file, and a later change of the properties does not bring
the statistics back. Set one of them to true before.""",
    ),
    "TEMPORARY_FILE_FAILED": Explanation(
        8,
        "a temporary file on this machine could not be written",
        """\
Nothing was written to the table. A checkpoint is made in the folder for temporary files first, and
`deltactl verify-checksum` of a table with more than 260,000 files sorts their paths there (8 bytes
a file). Set TMPDIR to a folder with enough room, and run it again.""",
    ),
    "V2_CHECKPOINT_UNSUPPORTED": Explanation(
        4,
        "a V2 checkpoint needs the feature v2Checkpoint, which the table does not have",
        """\
Readers that do not know the feature could not find the checkpoint. Add the feature, which shuts out
such readers, with `deltactl protocol enable TABLE v2Checkpoint`, or write a classic one. An older
version never gets the feature: of it there can be a classic or a multi-part checkpoint.""",
    ),
}
