"""What Spark does for a change: files are rewritten before our commit, or Delta makes its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from itertools import islice
from types import TracebackType
from typing import Any, NamedTuple, Self
from uuid import uuid4

from deltactl.changes.file_changes import Rewrites
from deltactl.changes.jobs import Job, JobRunner, SparkCheck, checked
from deltactl.changes.rows import BACKFILL
from deltactl.errors import ConflictError, DeltactlError, Notice, SparkError, UnfinishedError
from deltactl.table.commit_times import now
from deltactl.table.drop_waits import WAITS, unfinished
from deltactl.table.history import Commit, read_history
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import Table
from deltactl.text.hints import Command, words_of

Runners = Callable[[], AbstractContextManager[JobRunner]]

REWRITE = "rewrite"
RUN = "deltactl.run"
"""The tag of a commit of Delta's that says for which run of deltactl it was made."""

# What a commit rewrites at most, and one job, whose list of files has to be held in memory.
BATCH_BYTES = 16 << 30
JOB_FILES = 20_000
# How often a job that follows a commit is tried while others write.
FOLLOWING = 3
_WHY = "its writer keeps the ids of rows, deletion vectors and partitions as they are"


class Rewritten(NamedTuple):
    """What was rewritten, in which versions of the table."""

    files: int
    versions: tuple[int, ...]

    @property
    def where(self) -> str:
        """The versions in words; there is at least one."""
        first, last = self.versions[0], self.versions[-1]
        return f"version {first}" if first == last else f"versions {first} to {last}"

    def to_json(self) -> dict[str, Any]:
        return {"files": self.files, "versions": list(self.versions)}


class Backfilled(NamedTuple):
    """How many rows got the value of a new column, and in which version; None if none was."""

    version: int | None
    rows: int

    @classmethod
    def of(cls, job: Job, result: Mapping[str, Any]) -> Self | None:
        """Return what a job did, if that is what it was for."""
        return cls(result["version"], result["rows"]) if job.name == BACKFILL else None


class SparkWork:
    """The jobs of one change of one table, in one session, which starts with the first job.

    `runners` gives the runner, None if jobs cannot run; `check` checks that a job can.
    """

    def __init__(
        self,
        table: Table,
        runners: Runners | None,
        message: str | None,
        check: SparkCheck | None = None,
    ) -> None:
        self._table = table
        self._runners = runners
        self._message = message
        self._check = check
        self._is_here = False
        self._run = str(uuid4())
        self._open = ExitStack()
        self._runner: JobRunner | None = None
        self._since: int | None = None
        self._begun: str | None = None
        self._wanted = 0
        self._follows = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runner = None
        self._open.close()
        if not isinstance(error, DeltactlError):
            return
        # Its own hint names the time for the next run.
        is_to_wait = isinstance(error, UnfinishedError)
        if (said := self.outcome(again=not is_to_wait)) is not None:
            error.message = f"{error.message}; {said}"

    def check(self, job: Job, *, dry_run: bool) -> Notice | None:
        """Check that Spark can do the job; return what a dry run only warns of.

        Raises:
            SparkError: the job cannot run where it was asked for, or something is missing here.
            RefusedError: Spark is not to be used.
        """
        if self._check is None:
            return None
        if self._is_here:
            self._check(job, here=False)
            return None
        told = checked(self._check, job, dry_run=dry_run)
        self._is_here = told is None
        return told

    def begun(self, version: int, operation: str, undo: Sequence[str]) -> None:
        """Note what was committed before the job of the plan, and the commands that undo it.

        Files may have been rewritten before it.
        """
        said = f"version {version} was committed, {operation}"
        if undo:
            said += f" (to undo it: {'; '.join(undo)})"
        self._begun = said if self._begun is None else f"{self._begun}; {said}"
        if not self._wanted:
            self._since = version

    def rewrite(self, wanted: Rewrites, base: Snapshot) -> None:
        """Rewrite the files, in commits of at most `batch` files.

        Raises:
            DeltactlError: a job failed; its message says what was committed by then.
            KeyboardInterrupt: the user ended it; `outcome` says what was committed by then.
        """
        if self._since is None:
            self._since = base.version
        self._wanted = self._wanted or wanted.files
        files = wanted.stream()
        while some := list(islice(files, JOB_FILES)):
            batches = list(batched(some, wanted.batch or len(some)))
            job = Job(
                REWRITE,
                {"batches": [[path for path, _ in batch] for batch in batches]},
                _WHY,
                files=len(some),
                size=sum(size for _, size in some),
            )
            self.run(job, base)

    def run(self, job: Job, base: Snapshot) -> Mapping[str, Any]:
        """Run a job on the table; `base` is what it was planned on.

        Raises:
            UnfinishedError: Delta has begun to drop a feature; the hint says when to continue.
            DeltactlError: it failed.
            KeyboardInterrupt: the user ended it.
        """
        if self._since is None:
            self._since = base.version
        return self._run_on(self.ready(), job)

    def follow(self, job: Job, version: int) -> Backfilled | None:
        """Run a job that completes what was committed as `version`.

        Other writers may come first a limited number of times.

        Raises:
            DeltactlError: it failed; its message says what is left to do.
            KeyboardInterrupt: the user ended it; `outcome` says what is left to do.
        """
        self._since, self._follows = version, True
        for _ in range(FOLLOWING - 1):
            with suppress(ConflictError):
                return Backfilled.of(job, self._run_on(self.ready(), job))
        return Backfilled.of(job, self._run_on(self.ready(), job))

    def _run_on(self, runner: JobRunner, job: Job) -> Mapping[str, Any]:
        always = {
            "table": self._table.uri,
            "message": self._message,
            "tags": {RUN: self._run},
            # Whether commits of this run prepared the table for the job.
            "cleaned": self._begun is not None or self._wanted > 0,
        }
        try:
            return runner.run(job._replace(params={**always, **job.params}))
        except SparkError as error:
            if error.details.get("cause") not in WAITS:
                raise
            raise unfinished(error, self._table, job.params["feature"], now=now()) from error

    def ready(self) -> JobRunner:
        """Return what runs jobs: that all is there that it takes can be known before a commit.

        Raises:
            DeltactlError: something that it takes is missing, or Spark is not to be used.
        """
        if self._runner is None:
            if self._runners is None:
                raise SparkError("SPARK_NOT_INSTALLED", "there is nothing that runs jobs on Spark")
            self._runner = self._open.enter_context(self._runners())
        return self._runner

    @property
    def first(self) -> str | None:
        """In words what was committed before the job of the plan; None if nothing was."""
        return self._begun

    @staticmethod
    def committed(
        version: int | None,
        first: str | None,
        rewritten: Rewritten | None,
        backfilled: Backfilled | None,
    ) -> str | None:
        """Return in words what a change wrote; None if it wrote nothing."""
        said = [] if first is None else [first]
        if rewritten is not None and rewritten.versions:
            were = "file was" if rewritten.files == 1 else "files were"
            said.append(f"{rewritten.files:,} {were} rewritten, as {rewritten.where}")
        last = None if backfilled is None else backfilled.version
        versions = dict.fromkeys(each for each in (version, last) if each is not None)
        said += [f"version {each} was committed" for each in versions]
        return "; ".join(said) or None

    def rewritten(self) -> Rewritten | None:
        """Return what the log says was rewritten by this run, None if nothing was to be."""
        if not self._wanted:
            return None
        commits = self._history(self._is_ours)
        versions = tuple(commit.version for commit in commits)
        return Rewritten(sum(commit.files.removed for commit in commits), versions)

    def outcome(self, *, again: bool = True) -> str | None:
        """Return what this run did, according to the log; None if it began nothing.

        `again` says whether to run the command again for the rest.
        """
        if self._since is None:
            return None
        try:
            said = (
                self._outcome_of_rewriting(again=again)
                if self._wanted
                else self._outcome_of_others()
            )
            return f"{self._begun}; {said}" if self._begun else said
        except DeltactlError:
            command = Command("history", "--from", str(self._since + 1))
            return f"{command.named(words_of(self._table.uri))!s} shows what was committed"

    def _outcome_of_rewriting(self, *, again: bool) -> str:
        done = self.rewritten()
        if done is None or not done.files:
            return "no file was rewritten"
        files = "file" if self._wanted == 1 else "files"
        were = "was" if done.files == 1 else "were"
        of = f"{done.files:,} of {self._wanted:,} {files} {were} rewritten"
        rest = "; run again to continue" if again else ""
        return f"{of}, as {done.where}{rest}"

    def _outcome_of_others(self) -> str:
        """Return what became of a statement of Delta's, whose commits bear no mark."""
        commits = self._history(lambda _: True)
        did = ", ".join(dict.fromkeys(str(commit.info.get("operation")) for commit in commits))
        if self._follows:
            head = f"version {self._since} was committed"
            left = "and nothing after it; run again to continue"
            return f"{head}, then {did}" if did else f"{head}, {left}"
        if not did:
            return "nothing after it" if self._begun else "nothing was written"
        return f"committed since version {self._since}: {did}"

    def _history(self, wanted: Callable[[Commit], bool]) -> Sequence[Commit]:
        """Return the commits since the work began, oldest first."""
        assert self._since is not None
        log = Table(self._table.storage).log
        newest = max(log.listing().commits, default=self._since)
        found = read_history(log, range(newest, self._since, -1), wanted)
        return found.commits[::-1]

    def _is_ours(self, commit: Commit) -> bool:
        tags = commit.info.get("tags")
        return isinstance(tags, Mapping) and tags.get(RUN) == self._run


def batched(files: Sequence[tuple[str, int]], most: int) -> Iterator[list[tuple[str, int]]]:
    """Yield the files in batches, limited by number and by bytes; a larger file goes alone."""
    batch: list[tuple[str, int]] = []
    size = 0
    for file in files:
        if batch and (len(batch) >= most or size + file[1] > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(file)
        size += file[1]
    if batch:
        yield batch
