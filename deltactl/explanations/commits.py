"""Codes on plans, and on what becomes of a commit."""

from deltactl.explanations.entry import Explanation

COMMITS = {
    "CHECKPOINT_DUE": Explanation(
        None,
        "the version is one at which writers make a checkpoint, and deltactl made none",
        """\
Nothing is wrong: readers only have more commits to read until the next checkpoint. Spark makes one
when a commit of its own has a version that delta.checkpointInterval divides; `deltactl checkpoint`
makes one now.""",
    ),
    "COMMIT_GONE": Explanation(
        4,
        "the file of the newest commit is gone, and with it the time of that version",
        """\
A commit of a table with in-commit timestamps must be later than the one before it.
Only a checkpoint is left of that one. Any commit of Spark makes a new newest version.""",
    ),
    "COMMIT_VANISHED": Explanation(
        7,
        "the commit was written, and was gone when it was read back",
        """\
Another program removes or replaces files of the log: a clean-up, a restore, or a writer that does
not protect them. Look at the versions with `deltactl history` before anything else.""",
    ),
    "CONSENT_NEEDED": Explanation(
        4,
        "the change can cut off clients, and there is nobody to ask",
        """\
A feature that is added to the protocol keeps out every client that does not know it, and removing
it again is a matter of its own. The plan names the clients that are known to lose the table.
Add --yes to agree. On a terminal deltactl asks.""",
    ),
    "INPUT_UNREADABLE": Explanation(
        2,
        "a file that the command was to read cannot be read, or is not text in UTF-8",
        """\
Check its name and its permissions; save it in UTF-8, with or without a byte-order mark.""",
    ),
    "LOST_RACE": Explanation(
        6,
        "another writer changed the table at the same moment, in a way that matters",
        """\
Nothing was written. The change was planned again on top of that, and is not the same any more, or
not allowed. Look at what the other one did, and run the command again if it is still wanted.""",
    ),
    "NOT_AGREED": Explanation(
        4,
        "the question was answered with no",
        """\
Nothing was written.""",
    ),
    "NOT_AT_VERSION": Explanation(
        6,
        "the table is not at the version that --if-version names",
        """\
Nothing was written. Somebody wrote to the table since the version was looked up, perhaps while
this command was at work. Look at `deltactl history`, and decide again.""",
    ),
    "NOT_A_PLAN": Explanation(
        2,
        "the file is not a plan that deltactl saved",
        """\
Any command that changes a table saves its plan with --plan-out FILE, and writes nothing else.
`deltactl apply` takes such a file.""",
    ),
    "OUTCOME_UNKNOWN": Explanation(
        7,
        "the store did not say whether the commit was written",
        """\
It may be there now, come later, or never. Look for it before you run the command again: a second
run is a no-op where the first one arrived, as long as nobody undid it.""",
    ),
    "PLAN_EDITED": Explanation(
        4,
        "the file of the plan was changed, or is not whole",
        """\
A plan is applied as it was reviewed, or not at all, so its file carries a digest of itself.
To change a plan, save a new one with --plan-out.""",
    ),
    "PLAN_FOLDER_NOT_FOUND": Explanation(
        2,
        "the folder that --plan-out names is not there",
        """\
The file of a plan is made, but no folder for it. Nothing was planned, and nothing written.""",
    ),
    "PLAN_FILE_TAKEN": Explanation(
        4,
        "the file for the plan exists and holds something else",
        """\
--plan-out replaces plans only. Name another file, or remove that one.""",
    ),
    "PLAN_HOST_UNKNOWN": Explanation(
        4,
        "a saved plan is for a table at a host that only the plan names",
        """\
Whoever wrote a plan must not choose which host gets your credentials. A plan for hdfs://HOST/...
is applied if a name in [tables] of a trusted file leads to that host, or if you name the table:
deltactl apply PLAN --table hdfs://HOST/... Nothing was sent to the host.""",
    ),
    "PLAN_MALFORMED": Explanation(
        2,
        "a member of the saved plan is missing, or of the wrong type",
        """\
The message names the first such member. The digest of the file is right, so a program wrote it.
Save the plan again with --plan-out; nothing was written.""",
    ),
    "PLAN_OF_OTHER_TABLE": Explanation(
        4,
        "a saved plan is not for the table that --table names",
        """\
A plan is for one table at one place, and --table has to lead to that place.
Nothing was written.""",
    ),
    "PLAN_OF_OTHER_FORMAT": Explanation(
        2,
        "the plan was saved by a deltactl whose format this one does not know",
        """\
Apply it with the version that saved it, which the message names, or save it again.""",
    ),
    "PLAN_STALE": Explanation(
        6,
        "the table has changed since the plan was saved",
        """\
Nothing was written. A plan holds for one table with one protocol and one metadata; data may come
and go meanwhile. The message says what differs. Save the plan again, and review that.""",
    ),
    "REQUEST_NOT_UNDERSTOOD": Explanation(
        2,
        "the plan was asked for with options that this deltactl does not have",
        """\
It was saved by another version. Apply it with that one, or save it again with this one.""",
    ),
    "TOO_MANY_WRITERS": Explanation(
        6,
        "other writers came first again and again",
        """\
Nothing was written, and nothing stands against the change but that the table is busy.
Run the command again when fewer writers are at work.""",
    ),
}
