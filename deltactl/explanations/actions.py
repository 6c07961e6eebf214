"""Codes on what commits and checkpoints say: actions, files, deletion vectors."""

from deltactl.explanations.entry import Explanation

ACTIONS = {
    "ABSOLUTE_PATH": Explanation(
        None,
        "a data file is named by an absolute path",
        """\
The protocol allows it (shallow clones do it), but the table breaks when it is moved or copied,
and engines clean up such files differently.""",
    ),
    "ACTION_MALFORMED": Explanation(
        5,
        "an action in the log does not have the form that the protocol gives it",
        """\
A field is missing or has another type of value, so that the action cannot be understood.
The message names the field and, where it is known, the file.""",
    ),
    "ADD_AND_REMOVE_IN_ONE_COMMIT": Explanation(
        4,
        "one commit both adds and removes the same file",
        """\
The protocol forbids it, and engines read it differently. deltactl lets the later line win, as
Spark does. Check which rows the table should have.""",
        also=(5,),
    ),
    "BAD_DELETION_VECTOR": Explanation(
        None,
        "the description of a deletion vector is wrong",
        """\
Its storage type, its encoding or its number of rows cannot be right. Engines will fail to read
that data file, or bring back deleted rows. The message names the file.""",
        also=(5,),
    ),
    "DELETION_VECTOR_WITHOUT_FEATURE": Explanation(
        5,
        "a file has a deletion vector, but the table lacks the feature deletionVectors",
        """\
A reader that does not know the feature would bring deleted rows back, so this is refused.
A writer added the vector without upgrading the protocol, or the protocol was rewritten.""",
    ),
    "DOMAIN_WITHOUT_FEATURE": Explanation(
        None,
        "the log has domain metadata, but the table lacks the feature domainMetadata",
        """\
Writers that do not know the feature may lose the domains.
The message names them.""",
        also=(5,),
    ),
    "DRAFT_ACTION": Explanation(
        None,
        "the log has an action that only drafts of the protocol had",
        """\
No released engine reads it, and neither does deltactl; it is shown, and otherwise ignored.
A prototype or a hand-written log made it.""",
        also=(5,),
    ),
    "DRAFT_DOMAIN_CONFIGURATION": Explanation(
        None,
        "domain metadata has its configuration as an object, as only drafts had it",
        """\
The released protocol has a text there. Engines refuse the table or ignore the domain.""",
        also=(5,),
    ),
    "DUPLICATE_ADD": Explanation(
        None,
        "one commit adds the same file twice",
        """\
The protocol forbids it. The last one counts, so that no row is counted twice; other engines may
differ.""",
        also=(5,),
    ),
    "DUPLICATE_KEY": Explanation(
        4,
        "an action has the same JSON key twice",
        """\
Parsers differ in which one they take; deltactl takes the last, as Spark does.
The message names the key and the file.""",
        also=(5,),
    ),
    "DUPLICATE_TXN": Explanation(
        None,
        "one commit has two transactions of the same application",
        """\
The last one counts. A streaming writer may repeat or skip a batch if it reads the other.""",
        also=(5,),
    ),
    "EMPTY_PATH": Explanation(
        5,
        "an action names a file by an empty path",
        """\
No file can have an empty path, and no engine can read the table.
The message names the commit.""",
    ),
    "FIELD_WRONG_TYPE": Explanation(
        4,
        "a field in the log has a type of value that engines do not expect",
        """\
deltactl reads it, but some engines fail on it: Spark cannot read a table, or its history, where
such a field is a text instead of a number. The message names the field and the file.""",
        also=(5,),
    ),
    "PATH_NOT_ENCODED": Explanation(
        4,
        "the path of a data file is not URL-encoded",
        """\
The protocol wants a space as %20, for example. Some engines do not find the file.""",
        also=(5,),
    ),
    "PATH_OUTSIDE_TABLE": Explanation(
        None,
        "the path of a data file leads out of the table's folder",
        """\
A relative path with .. may name another table's file, and VACUUM may not know it.
Find out which writer made it before you trust the rows.""",
        also=(5,),
    ),
    "UNKNOWN_ACTION": Explanation(
        None,
        "the log has an action that deltactl does not know",
        """\
The protocol asks readers to ignore such actions, and deltactl does; it never removes them.
The message names the action.""",
        also=(5,),
    ),
}
