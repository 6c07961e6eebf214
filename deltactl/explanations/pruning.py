"""Codes on the pruning of type changes."""

from deltactl.explanations.entry import Explanation

PRUNING = {
    "OLD_FILES_COME_BACK": Explanation(
        6,
        "other writers bring files with old types while such files are rewritten",
        """\
Between the rewriting of files and the commit that has columns forget their old types, RESTORE or
CLONE brought more files with old types, several times in a row. The files that were rewritten stay
so, and the columns keep their type changes until no old file is left.""",
    ),
    "FOOTERS_UNREADABLE": Explanation(
        8,
        "data files cannot be read, so that nobody can tell what types they hold",
        """\
A column may forget the types that it had once no live file holds it in one of them, and only the
footers of the files say that. A file that is missing or damaged proves nothing, and so all columns
keep their type changes, and nothing is rewritten. deltactl verify-checksum TABLE --data names every
such file: bring it back from a copy, or RESTORE to a version that does not have it.""",
    ),
    "OLD_TYPES_IN_FILES": Explanation(
        4,
        "live files still hold the column in a type that it had before",
        """\
Readers must know that a column was widened for as long as any live file holds it in the old type;
for a partition column the text of its values in the log counts, too. --rewrite rewrites such files.
A defaultRowCommitVersion of at least the tableVersion of the change proves nothing, although the
draft of the feature uses it: row tracking that is switched on later, RESTORE and CLONE give such
numbers to old files. deltactl files TABLE --physical COLUMN counts the types in the files.""",
    ),
}
