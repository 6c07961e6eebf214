"""Codes on features that Delta's own statement drops."""

from deltactl.explanations.entry import Explanation

DROPPING = {
    "CHECKPOINT_PROTECTION_LEFT": Explanation(
        None,
        "checkpointProtection takes the place of the feature that is dropped",
        """\
Older versions still use the feature. So that nobody misreads them, Delta writes checkpoints that
separate them from the newer ones, and lists checkpointProtection: whoever cleans up the log must
leave these alone, or delete all that is before them. Writers that do not know the feature cannot
write to the table. deltactl protocol drop TABLE checkpointProtection --truncate-history takes it
away, once the versions before the drop are a day old.""",
    ),
    "DROP_TAKES_TWO_RUNS": Explanation(
        None,
        "a feature whose history goes with it takes two runs, a day apart",
        """\
The first run frees the newest version of the feature, and ends with exit code 10, as the older
versions are too young to be deleted: transactions may still be under way that began on them. The
second deletes them, and takes the feature out of the protocol. Between the two lies what
delta.dropFeatureTruncateHistory.retentionDuration says: 24 hours, if nothing else.""",
    ),
    "DROP_TRUNCATES_HISTORY": Explanation(
        4,
        "the feature goes only with --truncate-history, which deletes older versions",
        """\
checkpointProtection guards versions that use a feature which was dropped later. It can go when
these versions go. What is deleted cannot be read or restored any more; the newest version stays as
it is.""",
    ),
    "DROP_UNFINISHED": Explanation(
        10,
        "the feature is half dropped; the message says when the rest can be done",
        """\
The table no longer uses the feature, but older versions do, and they are too young to be deleted.
Until the command is run again the protocol lists the feature as before. The time that is named is
that of the first checkpoint without the feature plus the retention of
delta.dropFeatureTruncateHistory.retentionDuration; a run that comes too early changes nothing, and
names it again.""",
    ),
    "NO_HISTORY_TO_TRUNCATE": Explanation(
        4,
        "--truncate-history is for features that older versions need to be read",
        """\
A feature that only writers must know does not stand in the way of reading older versions, so they
may stay when it goes.""",
    ),
}
