"""Footers that Spark reads, because there are many of them and a cluster, or because it was asked.

The job reads them by the code that reads them here, so the answers are the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from deltactl.changes.jobs import Engine, Job, JobRunner, choose
from deltactl.errors import Notice
from deltactl.operations.physical_types import Advance, ColumnPlace, FileTypes, read_physical_types
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.table.snapshot import Snapshot

# Measured on two cores: threads read 5,300 footers in a second, and Spark takes 8 to 11 seconds to
# start, after which its two executors read 6,000 in a second. So many take threads 19 seconds, and
# Spark 27; by that reckoning a cluster is quicker from here on where it has more than four cores.
FOOTERS_SPARK_FROM = 100_000
LOT = 500_000
"""Files of one job: what is sent, and what comes back, has to fit in the memory of a driver."""


def footer_scanner(runner: JobRunner, wanted: Engine, *, on_cluster: bool) -> FooterScanner:
    """Return what asks the files of one table, here or by `runner`.

    With `Engine.AUTO` that is Spark where it is a cluster, and FOOTERS_SPARK_FROM files or more are
    to be asked at a time: on this machine it has no more processors than threads have.
    """
    if wanted is Engine.LOCAL or (wanted is Engine.AUTO and not on_cluster):
        return FooterScanner()

    def ask(
        snapshot: Snapshot,
        files: Mapping[str, int],
        places: Sequence[ColumnPlace],
        advance: Advance,
    ) -> Iterator[FileTypes]:
        left = iter(files)
        while paths := list(islice(left, LOT)):
            choice = choose(wanted, files=len(paths), spark_from=FOOTERS_SPARK_FROM)
            if choice.on_spark:
                told = {"table": snapshot.log.storage.uri, "paths": paths, "places": places}
                size = sum(files[path] for path in paths)
                job = Job("footers", told, why=choice.why, files=len(paths), size=size)
                yield from _asked(runner, job, advance)
            else:
                yield from read_physical_types(snapshot, paths, places, advance)

    return FooterScanner(ask, LOT)


def _asked(runner: JobRunner, job: Job, advance: Advance) -> Iterator[FileTypes]:
    result = runner.run(job)
    answers = [
        Notice(answer["code"], answer["message"]) if isinstance(answer, dict) else answer
        for answer in result["answers"]
    ]
    for number in result["of"]:
        advance(1)
        yield answers[number]
