"""Codes on the files of the log: commits, checkpoints, hints and checksums."""

from deltactl.explanations.entry import Explanation

LOG_FILES = {
    "CHECKPOINT_EMPTY": Explanation(
        None,
        "a checkpoint file has no content",
        """\
A writer was probably killed while it wrote it. The table is read from an older checkpoint or
from the commits. It does no harm while these exist, and the next checkpoint takes its place.""",
        also=(5,),
    ),
    "CHECKPOINT_INCOMPLETE": Explanation(
        5,
        "a checkpoint in several parts lacks one of them",
        """\
Its writer was interrupted, or has not finished yet. Readers ignore it, and while the commits below
it exist nothing is wrong: `deltactl checkpoint` with the same number of parts finishes it.
Where they were cleaned up, the state of the table cannot be read: restore the missing part from
a backup of the store, or from older versions of its objects.""",
    ),
    "CHECKPOINT_UNREADABLE": Explanation(
        5,
        "a checkpoint is damaged",
        """\
It is not used. While an older checkpoint or the commits below it exist, this is only a warning.
Where they were cleaned up, the state of the table cannot be read: restore the file from a backup
of the store.""",
    ),
    "CHECKSUM_UNREADABLE": Explanation(
        None,
        "the version's checksum file (.crc) cannot be read",
        """\
Checksum files are never needed to read a table. Engines may log errors about it; the next
version gets its own.""",
        also=(5,),
    ),
    "COMMIT_EMPTY": Explanation(
        5,
        "a commit file has no content",
        """\
The writer, or the copy of the log, was cut off. As the newest commit it is refused, since nobody
knows what it was to hold; an older one is read as a commit that did nothing, with this warning,
and no checkpoint is made above it, which would make the loss permanent.
Find the writer of that version before you remove or restore the file.""",
    ),
    "COMMIT_HAS_BLANK_LINES": Explanation(
        None,
        "a commit file has empty lines",
        """\
They hold nothing and are skipped; some engines refuse them.
The file was edited or made by something other than an engine.""",
        also=(5,),
    ),
    "COMMIT_HAS_BOM": Explanation(
        4,
        "a commit file starts with a byte order mark",
        """\
It is skipped; some engines refuse such a file.
The file was edited by a program that adds the mark, as some editors on Windows do.""",
        also=(5,),
    ),
    "COMMIT_LINE_TOO_LONG": Explanation(
        5,
        "a commit file has a line that is longer than any action can be",
        """\
The message names the file and the line. No engine writes such a line: the file is damaged, or
something else was written into the log.""",
    ),
    "COMMIT_NOT_JSON": Explanation(
        5,
        "a line of a commit file is not a JSON object",
        """\
The message names the file and the line. A last line that is cut off comes from a writer or a
copy that was stopped half-way.
Compare the file with a backup, or with older versions of the object, before you change it.""",
    ),
    "CHANGE_NOT_KNOWN": Explanation(
        None,
        "what a commit changed is not known: the log no longer has what was before",
        """\
The log was cleaned below this version, so what the commit changed cannot be told.
An older copy of the log, or of its checkpoints, would still say it.""",
    ),
    "HISTORY_HAS_GAP": Explanation(
        None,
        "commits are missing among those that the history shows",
        """\
The table itself can be read, since a checkpoint covers them.
What the missing commits did, and when, cannot be shown.""",
        also=(5,),
    ),
    "ICT_MISSING": Explanation(
        4,
        "a commit lacks the in-commit timestamp that the table asks for",
        """\
The table has in-commit timestamps enabled, and a writer did not write one. The time of the file
is shown instead. Time travel by timestamp may find another version than other engines do.""",
        also=(5,),
    ),
    "ICT_NOT_FIRST": Explanation(
        None,
        "the in-commit timestamp is not on the first line of its commit",
        """\
The protocol wants commitInfo first, so that engines need to read only one line.
Some engines do not find the timestamp of this commit.""",
        also=(5,),
    ),
    "ICT_NOT_INCREASING": Explanation(
        None,
        "an in-commit timestamp is not later than the one before",
        """\
Writers must make each one later than the last, or time travel by timestamp is ambiguous.
A writer with a wrong clock did not correct for it.""",
        also=(5,),
    ),
    "LAST_CHECKPOINT_CHECKSUM_MISMATCH": Explanation(
        None,
        "the checksum in _last_checkpoint does not fit its content",
        """\
The file was changed after it was written, or was written in part. It is only a hint, and the
checkpoint is found by listing. The next checkpoint replaces it.""",
        also=(5,),
    ),
    "LAST_CHECKPOINT_DUPLICATE_KEY": Explanation(
        None,
        "_last_checkpoint has the same key twice",
        """\
The protocol forbids that. It is only a hint, and the checkpoint is found by listing.
The next checkpoint replaces it.""",
        also=(5,),
    ),
    "LAST_CHECKPOINT_TARGET_MISSING": Explanation(
        None,
        "_last_checkpoint names a checkpoint that does not exist",
        """\
It is only a hint: the table is read from what there is.
Engines that trust the hint may fail, until the next checkpoint replaces it.""",
        also=(5,),
    ),
    "LAST_CHECKPOINT_UNREADABLE": Explanation(
        None,
        "_last_checkpoint cannot be read",
        """\
It is only a hint, and the checkpoint is found by listing. Engines ignore it as well.
The next checkpoint replaces it.""",
        also=(5,),
    ),
    "LOG_TRUNCATED": Explanation(
        5,
        "the log does not begin at version 0, and has no checkpoint to begin from",
        """\
Without the first commits or a complete checkpoint nobody can know the state of the table.
Restore the missing files; removing old commits by hand is never safe.""",
    ),
    "FOLDER_FOR_FILE": Explanation(
        4,
        "a folder in the log has the name of one of the log's files",
        """\
Such a folder is read as if it were not there, but no file can take its place, and other engines may
fail on it. See what it holds, and move it out of _delta_log; whatever was in the file is lost.""",
        also=(5,),
    ),
    "FOLDER_FOR_COMMIT": Explanation(
        5,
        "a folder has the name of a commit",
        """\
If it has the name of the next commit, no engine can write to the table. If it has the name of an
older one, that commit is lost. See what the folder holds, and move it out of _delta_log.""",
    ),
    "LINK_FOR_FILE": Explanation(
        4,
        "a symbolic link in the log leads to no file",
        """\
Readers do not see it, and no writer can put a file of its name. Its target was moved or removed, or
the link leads back to itself. Restore the target; remove the link only if nothing is missing.
`ls -l TABLE/_delta_log` shows where links lead.""",
        also=(5,),
    ),
    "LINK_FOR_COMMIT": Explanation(
        5,
        "a symbolic link has the name of a commit, and leads to no file",
        """\
If it has the name of the next commit, no engine can write to the table. If it has the name of an
older one, that commit is lost. Its target was moved or removed, or the link leads back to itself.
Restore the target; remove the link only if no commit is missing.""",
    ),
    "LOG_FILE_NOT_REGULAR": Explanation(
        5,
        "a named pipe, a socket or a device has the name of one of the log's files",
        """\
Most engines wait for ever when they open such a file. deltactl does not read it.
See which program made it, and move it out of _delta_log. If a file of the log was replaced by it,
restore that file from a copy. `ls -l TABLE/_delta_log` shows what it is.""",
    ),
    "NAME_NOT_CANONICAL": Explanation(
        4,
        "a file in the log looks like a commit, but is not named like one",
        """\
Commits are named by their version in 20 digits. No engine reads this file.
If it holds a commit that should count, find out which writer made it.""",
        also=(5,),
    ),
    "SIDECAR_MISSING": Explanation(
        5,
        "a checkpoint names a sidecar file that does not exist",
        """\
Sidecars hold the file lists of V2 checkpoints. While the commits below the checkpoint exist, the
table is read from them and this is only a warning. Otherwise restore the file in
_delta_log/_sidecars.""",
    ),
    "SNAPSHOT_UNREADABLE": Explanation(
        None,
        "the state of the table cannot be read, and the command shows what it can",
        """\
The message says why. Commands that need only the log, such as history, log and protocol show,
go on; the others fail with the cause.""",
    ),
    "VERSIONS_NOT_CONTIGUOUS": Explanation(
        5,
        "commits are missing between those that the log has",
        """\
The message names the first file that is missing. Versions must follow each other without a gap.
Restore the missing file; a single file far above the others is probably foreign: find out who
wrote it before you move it away.""",
    ),
}
