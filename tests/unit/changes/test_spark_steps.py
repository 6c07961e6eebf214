"""Rewriting before a commit, and statements of Delta's: what is asked of Spark, and what is said
where it fails, is ended, or is outrun. Real rewriting is in tests/spark."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from drafts import drop
from pruned import INT, LONG, part, prune, widened
from small_tables import commit_info, field, metadata, protocol, write_log

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor, Planner
from deltactl.changes.jobs import Job
from deltactl.changes.log_file_executor import LogFileExecutor
from deltactl.changes.plan import Plan
from deltactl.changes.spark_steps import batched
from deltactl.cli.render.consent_reasons import consent_reasons
from deltactl.errors import (
    ConflictError,
    DeltactlError,
    InterruptedRunError,
    RefusedError,
    SparkError,
    UnfinishedError,
)
from deltactl.operations.checkpoint.checkpoint import (
    CheckpointReport,
    CheckpointRequest,
    plan_checkpoint,
)
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.table.table import open_table

FIVE = [f"{number}.parquet" for number in range(5)]


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table whose five files hold `v` as int, and which says that it is long."""
    heads = [protocol(reader=["typeWidening"]), metadata(widened("v", "long", "integer"))]
    files = [part(tmp_path, name, {"v": INT}) for name in FIVE]
    return write_log(tmp_path, [[commit_info(), *heads, *files]])


class Writer:
    """Stands in for Spark: rewrites what it is asked to, and does `then` after each commit."""

    place = "nowhere"

    def __init__(self, root: str, then: Callable[["Writer"], None] = lambda _: None) -> None:
        self.root = Path(root)
        self.then = then
        self.jobs: list[Job] = []
        self.commits = 0
        self.closed = 0

    @contextmanager
    def __call__(self) -> Iterator["Writer"]:
        try:
            yield self
        finally:
            self.closed += 1

    def run(self, job: Job) -> Mapping[str, Any]:
        self.jobs.append(job)
        for batch in job.params["batches"]:
            self.commits += 1
            new = [part(self.root, f"new-{path}", {"v": LONG}, dataChange=False) for path in batch]
            old = [{"remove": {"path": path, "dataChange": False}} for path in batch]
            self.commit([*new, *old], tags=job.params["tags"])
            self.then(self)
        return {"commits": []}

    def commit(self, actions: list[dict[str, Any]], **more: Any) -> None:
        log = self.root / "_delta_log"
        version = len(list(log.glob("*.json")))
        info = {"commitInfo": {"timestamp": 1, "operation": "REORG", **more}}
        text = "\n".join(json.dumps(action) for action in [info, *actions])
        (log / f"{version:020d}.json").write_text(f"{text}\n")


def pruning(batch: int = 2) -> Planner:
    footers = FooterScanner()
    return lambda draft: prune(draft, footers=footers, batch=batch)


def change(uri: str, planner: Planner, writer: Any, **options: Any) -> ChangeReport:
    changer = ChangeExecutor(open_table(uri), planner, CommitOptions(**options), runners=writer)
    return changer.execute(lambda plan: None)


def schema(uri: str) -> str:
    return open_table(uri).snapshot().metadata.schema_string or ""


def test_all_old_files_are_rewritten_in_batches_and_then_the_columns_forget(table: str) -> None:
    writer = Writer(table)
    report = change(table, pruning(), writer, message="ticket 7")
    [job] = writer.jobs
    assert (job.name, job.files, job.size) == ("rewrite", 5, 3500)
    assert job.params["batches"] == [FIVE[:2], FIVE[2:4], FIVE[4:]]
    assert (job.params["table"], job.params["message"]) == (table, "ticket 7")
    assert (report.version, report.committed, writer.closed) == (4, True, 1)
    assert report.body()["rewritten"] == {"files": 5, "versions": [1, 2, 3]}
    assert "delta.typeChanges" not in schema(table)


def test_a_dry_run_and_a_plan_that_nobody_agrees_to_start_nothing(table: str) -> None:
    writer = Writer(table)
    report = change(table, pruning(), writer, dry_run=True)
    assert report.plan.rewrites is not None
    assert report.plan.to_json()["rewrites"] == {
        "files": 5,
        "bytes": 3500,
        "sample": FIVE,
        "comeFirst": True,
    }
    assert (bool(consent_reasons(report.plan)), report.version) == (True, None)
    refused = ChangeExecutor(open_table(table), pruning(), CommitOptions(), runners=writer).execute(
        lambda plan: RefusedError("NOT_AGREED", "no")
    )
    assert (refused.version, refused.exit_code, writer.jobs) == (None, 4, [])


def fail(error: BaseException, after: int) -> Callable[[Writer], None]:
    def then(writer: Writer) -> None:
        if writer.commits == after:
            raise error

    return then


DONE = [
    (1, "2 of 5 files were rewritten, as version 1; run again to continue"),
    (2, "4 of 5 files were rewritten, as versions 1 to 2; run again to continue"),
]


@pytest.mark.parametrize(("after", "said"), DONE)
def test_a_job_that_fails_between_batches_is_gone_on_with(
    table: str, after: int, said: str
) -> None:
    writer = Writer(table, fail(SparkError("SPARK_JOB_FAILED", "out of luck"), after))
    with pytest.raises(SparkError) as caught:
        change(table, pruning(), writer)
    assert caught.value.message == f"out of luck; {said}"
    assert caught.value.table is not None
    assert "delta.typeChanges" in schema(table)
    again = Writer(table)
    report = change(table, pruning(), again)
    assert [path for batch in again.jobs[0].params["batches"] for path in batch] == FIVE[
        2 * after :
    ]
    assert report.committed
    assert "delta.typeChanges" not in schema(table)


@pytest.mark.parametrize(("after", "said"), DONE)
def test_ctrl_c_between_batches(table: str, after: int, said: str) -> None:
    with pytest.raises(InterruptedRunError) as caught:
        change(table, pruning(), Writer(table, fail(KeyboardInterrupt(), after)))
    assert caught.value.message == f"interrupted; {said}"
    assert "delta.typeChanges" in schema(table)


def test_a_job_that_fails_at_once(table: str) -> None:
    @contextmanager
    def broken() -> Iterator[Any]:
        raise SparkError("JAVA_NOT_FOUND", "there is no Java")
        yield

    with pytest.raises(SparkError) as caught:
        change(table, pruning(), broken)
    assert caught.value.message == "there is no Java; no file was rewritten"


def bring_an_old_file(writer: Writer) -> None:
    name = f"restored-{writer.commits}.parquet"
    writer.commit([part(writer.root, name, {"v": INT})])


def test_old_files_that_came_meanwhile_are_rewritten_too(table: str) -> None:
    def once(writer: Writer) -> None:
        if writer.commits == 1:
            bring_an_old_file(writer)

    writer = Writer(table, once)
    report = change(table, pruning(batch=10), writer)
    assert [job.params["batches"] for job in writer.jobs] == [[FIVE], [["restored-1.parquet"]]]
    assert report.body()["rewritten"] == {"files": 6, "versions": [1, 3]}
    assert "delta.typeChanges" not in schema(table)


def test_old_files_that_come_again_and_again_end_it(table: str) -> None:
    with pytest.raises(ConflictError) as caught:
        change(table, pruning(batch=10), Writer(table, bring_an_old_file))
    assert caught.value.code == "OLD_FILES_COME_BACK"
    assert "delta.typeChanges" in schema(table)


def test_an_old_file_that_comes_right_before_our_commit_ends_it(table: str) -> None:
    writer = Writer(table)
    inner = pruning(batch=10)

    def planner(draft: Draft) -> Plan:
        plan = inner(draft)
        # The second plan on top of what was rewritten is the one that is committed.
        if draft.base.version == 1 and seen.append(1) is None and len(seen) == 2:
            writer.commits = 9
            bring_an_old_file(writer)
        return plan

    seen: list[int] = []
    with pytest.raises(ConflictError) as caught:
        change(table, planner, writer)
    assert caught.value.code == "LOST_RACE"
    assert "brought files with old types" in caught.value.message
    assert "5 of 6 files" not in caught.value.message
    assert "delta.typeChanges" in schema(table)


def test_a_schema_that_changed_meanwhile_ends_it(table: str) -> None:
    def widen_more(writer: Writer) -> None:
        other = metadata(widened("v", "long", "integer"), widened("w", "long", "integer"))
        writer.commit([other])

    with pytest.raises(ConflictError) as caught:
        change(table, pruning(batch=10), Writer(table, widen_more))
    assert caught.value.message == (
        "another writer came first in between: the change would no longer be the one first "
        "planned; 5 of 5 files were rewritten, as version 1; run again to continue"
    )


def test_only_the_version_that_was_named_is_rewritten(table: str) -> None:
    writer = Writer(table)
    with pytest.raises(ConflictError):
        change(table, pruning(), writer, if_version=7)
    assert writer.jobs == []
    assert change(table, pruning(), writer, if_version=0).version == 4


def test_batches_are_bounded_by_files_and_by_bytes() -> None:
    gib = 1 << 30
    files = [("a", 9 * gib), ("b", 9 * gib), ("c", gib), ("d", 40 * gib), ("e", 1), ("f", 1)]
    found = [[path for path, _ in batch] for batch in batched(files, 2)]
    assert found == [["a"], ["b", "c"], ["d"], ["e", "f"]]
    # 16 GiB, and not more, are one batch.
    files = [("a", 9 * gib), ("b", 7 * gib), ("c", 16 * gib), ("d", 1)]
    found = [[path for path, _ in batch] for batch in batched(files, 9)]
    assert found == [["a", "b"], ["c"], ["d"]]
    assert list(batched([], 2)) == []


VECTORS = {"enableDeletionVectors": "true"}


class Dropper(Writer):
    """Stands in for Spark: Delta says that the history is too young, having made two commits."""

    def run(self, job: Job) -> Mapping[str, Any]:
        self.jobs.append(job)
        self.commit([metadata(field("v", "long"))])
        self.commit([])
        raise SparkError("SPARK_JOB_FAILED", "wait", details={"cause": self.cause})

    cause = "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"


def test_a_drop_whose_history_is_too_young_says_when_to_go_on(tmp_path: Path) -> None:
    heads = [protocol(reader=["deletionVectors"]), metadata(field("v", "long"), **VECTORS)]
    uri = write_log(tmp_path, [[commit_info(), *heads]])
    writer = Dropper(uri)
    with pytest.raises(UnfinishedError) as caught:
        change(uri, lambda draft: drop(draft, "deletionVectors", truncate=True), writer)
    error = caught.value
    assert (error.code, error.exit_code) == ("DROP_UNFINISHED", 10)
    assert writer.jobs[0].params["truncateHistory"] is True
    assert writer.jobs[0].params["cleaned"] is True, "the property was switched off first"
    assert error.details["feature"] == "deletionVectors"
    assert error.message.endswith("; committed since version 1: REORG")
    assert error.hint == f"run it again after {error.details['again']}"


def test_a_drop_that_fails_says_what_was_committed(tmp_path: Path) -> None:
    heads = [protocol(reader=["deletionVectors"]), metadata(field("v", "long"), **VECTORS)]
    uri = write_log(tmp_path, [[commit_info(), *heads]])
    writer = Dropper(uri)
    writer.cause = "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"
    with pytest.raises(DeltactlError) as caught:
        change(uri, lambda draft: drop(draft, "deletionVectors"), writer)
    back = f"deltactl property set {uri} delta.enableDeletionVectors=true"
    assert caught.value.message == (
        f"wait; version 1 was committed, UNSET TBLPROPERTIES (to undo it: {back}); "
        "committed since version 1: REORG"
    )


def test_the_time_to_run_a_drop_again_is_in_the_future(tmp_path: Path) -> None:
    """Also where a checkpoint is old enough, and Delta could not delete what came before it."""
    heads = [protocol(reader=["deletionVectors"]), metadata(field("v", "long"), **VECTORS)]
    uri = write_log(tmp_path, [[commit_info(), *heads], [metadata(field("v", "long"))]])
    planner = partial(plan_checkpoint, request=CheckpointRequest())
    LogFileExecutor(open_table(uri), planner, CommitOptions(), CheckpointReport).execute()
    for file in Path(uri, "_delta_log").iterdir():
        os.utime(file, (1_700_000_000, 1_700_000_000))
    with pytest.raises(UnfinishedError) as caught:
        change(uri, lambda draft: drop(draft, "deletionVectors", truncate=True), Dropper(uri))
    again = datetime.fromisoformat(caught.value.details["again"])
    # A day after the run, in whole minutes.
    assert timedelta(hours=24) < again - datetime.now(UTC) <= timedelta(hours=24, minutes=2)


def test_what_is_to_wait_is_not_to_be_run_again_at_once(tmp_path: Path) -> None:
    class Waits(Dropper):
        def run(self, job: Job) -> Mapping[str, Any]:
            return Writer.run(self, job) if job.name == "rewrite" else super().run(job)

    heads = [protocol(reader=["typeWidening"]), metadata(widened("v", "long", "integer"))]
    uri = write_log(tmp_path, [[commit_info(), *heads, part(tmp_path, "x", {"v": INT})]])
    writer = Waits(uri)
    with pytest.raises(UnfinishedError) as caught:
        change(uri, lambda draft: drop(draft, "typeWidening", truncate=True), writer)
    assert writer.jobs[-1].params["cleaned"] is True
    assert caught.value.message.endswith("; 1 of 1 file was rewritten, as version 1")


@pytest.fixture
def widening(tmp_path: Path) -> str:
    """A table that may be widened, with a file of old."""
    heads = [
        protocol(reader=["typeWidening"]),
        metadata(widened("v", "long", "integer"), enableTypeWidening="true"),
    ]
    return write_log(tmp_path, [[commit_info(), *heads, part(tmp_path, "x", {"v": INT})]])


class Fails(Writer):
    """Rewrites files, and fails where Delta is to drop the feature."""

    def run(self, job: Job) -> Mapping[str, Any]:
        if job.name == "rewrite":
            return super().run(job)
        self.jobs.append(job)
        raise SparkError("SPARK_JOB_FAILED", "out of luck")


def newest_of(uri: str) -> int:
    return open_table(uri).snapshot().version


def drop_widening(draft: Draft) -> Plan:
    return drop(draft, "typeWidening")


def test_the_property_goes_first_and_then_the_files_are_looked_at(widening: str) -> None:
    writer = Fails(widening)
    with pytest.raises(SparkError) as caught:
        change(widening, drop_widening, writer, message="ticket 7", if_version=0)
    assert caught.value.message == (
        "out of luck; version 1 was committed, UNSET TBLPROPERTIES (to undo it: deltactl property "
        f"set {widening} delta.enableTypeWidening=true); version 3 was committed, CHANGE COLUMN; "
        "1 of 1 file was rewritten, as version 2; run again to continue"
    )
    assert [job.name for job in writer.jobs] == ["rewrite", "drop_feature"]
    assert writer.jobs[1].params["off"] == ["delta.enableTypeWidening"]
    log = Path(widening, "_delta_log")
    info, change_of_it = map(json.loads, (log / f"{1:020d}.json").read_text().splitlines())
    assert (info["commitInfo"]["operation"], info["commitInfo"]["userMetadata"]) == (
        "UNSET TBLPROPERTIES",
        "ticket 7",
    )
    assert change_of_it["metaData"]["configuration"] == {}
    # Run again, only what is left is done.
    again = Fails(widening)
    with pytest.raises(SparkError) as caught:
        change(widening, drop_widening, again)
    assert caught.value.message == "out of luck; nothing was written"
    assert [job.name for job in again.jobs] == ["drop_feature"]


def test_without_spark_the_property_stays(widening: str) -> None:
    @contextmanager
    def broken() -> Iterator[Any]:
        raise SparkError("JAVA_MISSING", "there is no Java")
        yield

    with pytest.raises(SparkError, match=r"^there is no Java$"):
        change(widening, drop_widening, broken)
    assert newest_of(widening) == 0


def test_one_who_widens_before_the_property_goes_is_seen(widening: str) -> None:
    def widen(planner: Planner) -> Planner:
        def planned(draft: Draft) -> Plan:
            plan = planner(draft)
            return replace(plan, first=plan.first and meddling(plan.first))

        return planned

    def meddling(first: Planner) -> Planner:
        def planned(draft: Draft) -> Plan:
            plan = first(draft)
            if newest_of(widening) == 0:
                columns = widened("v", "long", "integer"), widened("w", "long", "integer")
                Writer(widening).commit([metadata(*columns, enableTypeWidening="true")])
            return plan

        return planned

    writer = Fails(widening)
    with pytest.raises(ConflictError) as caught:
        change(widening, widen(drop_widening), writer)
    assert (caught.value.code, writer.jobs) == ("LOST_RACE", [])
    assert caught.value.message == (
        "another writer came first in between: the change would no longer be the one first "
        "planned; version 2 was committed, UNSET TBLPROPERTIES (to undo it: deltactl property set "
        f"{widening} delta.enableTypeWidening=true); nothing after it"
    )
    assert open_table(widening).snapshot().configuration == {}


def test_a_first_step_that_a_rule_forbids_by_then_is_the_end(widening: str) -> None:
    def refusing(draft: Draft) -> Plan:
        draft.refuse("FORBIDDEN", "somebody forbade it meanwhile")
        return draft.plan("UNSET TBLPROPERTIES", {})

    def planner(draft: Draft) -> Plan:
        return replace(drop_widening(draft), first=refusing)

    writer = Fails(widening)
    with pytest.raises(RefusedError) as caught:
        change(widening, planner, writer)
    assert (caught.value.code, caught.value.exit_code) == ("FORBIDDEN", 4)
    assert (writer.jobs, newest_of(widening)) == ([], 0)
