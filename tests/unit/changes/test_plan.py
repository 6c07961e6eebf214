"""Which kind of plan a draft becomes, and that documents hold all kinds alike."""

from collections.abc import Callable
from pathlib import Path

import pytest
from small_tables import commit_info, metadata, protocol, write_log

from deltactl.changes.draft import Draft
from deltactl.changes.file_changes import FileAction, FileActions, LogFileChange
from deltactl.changes.jobs import Job
from deltactl.changes.plan import CommitPlan, JobPlan, LogFilePlan
from deltactl.cli.render.consent_reasons import consent_reasons
from deltactl.spec.actions.action import DomainMetadata
from deltactl.table.table import open_table

JOB = Job("backfill", {"column": "a", "value": "5"}, "only Spark does it", files=1, size=9)
MEMBERS = [
    "operation",
    "readVersion",
    "changes",
    "protocol",
    "actions",
    "files",
    "dataFiles",
    "rowsChecked",
    "counterexamples",
    "rewrites",
    "backfill",
    "undo",
    "warnings",
    "refusals",
]


def draft_of(root: Path) -> Draft:
    uri = write_log(root, [[commit_info(), protocol(), metadata()]])
    return Draft(open_table(uri).snapshot(), now=1, fresh=lambda prefix, what: prefix + what)


def test_what_our_commit_makes(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    draft.name = "renamed"
    draft.follow_up = JOB
    plan = draft.plan("RENAME", {})
    assert isinstance(plan, CommitPlan)
    assert (plan.follow_up, plan.backfill, plan.is_empty) == (JOB, JOB, False)
    assert plan.takes_spark
    assert consent_reasons(plan)
    assert list(plan.to_json()) == MEMBERS


def test_what_follows_no_commit_is_a_job(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    draft.follow_up = JOB
    plan = draft.plan("ADD COLUMNS", {})
    assert isinstance(plan, JobPlan)
    assert (plan.job, plan.backfill, plan.is_empty) == (JOB, JOB, False)
    assert list(plan.to_json()) == [*MEMBERS[:10], "job", *MEMBERS[10:]]


def test_a_job_makes_what_the_plan_says_of_the_protocol(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    draft.add_features("deletionVectors")
    draft.job = JOB._replace(name="drop_feature")
    plan = draft.plan("DROP FEATURE", {})
    assert isinstance(plan, JobPlan)
    assert plan.protocol is not None
    assert plan.backfill is None


def test_nothing_to_do_is_an_empty_commit(tmp_path: Path) -> None:
    plan = draft_of(tmp_path).plan("RENAME", {})
    assert isinstance(plan, CommitPlan)
    assert plan.is_empty
    assert not plan.takes_spark
    assert plan.undo is None


def test_files_of_the_log_make_no_version(tmp_path: Path) -> None:
    change = LogFileChange("_delta_log/x", "a file", FileAction.MOVE_ASIDE, target="_delta_log/y")
    plan = draft_of(tmp_path).file_plan("REPAIR", [change], lambda _: ())
    assert isinstance(plan, LogFilePlan)
    assert not plan.is_empty
    document = plan.to_json()
    assert list(document) == MEMBERS
    assert document["files"] == [
        {
            "path": "_delta_log/x",
            "what": "a file",
            "how": "move-aside",
            "target": "_delta_log/y",
            "size": None,
            "rows": None,
        }
    ]


def test_plans_of_two_kinds_are_not_for_the_same(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    ours = draft.plan("RENAME", {})
    draft.job = JOB
    assert draft.plan("RENAME", {}).intent != ours.intent


@pytest.mark.parametrize(
    ("before", "lost", "already"),
    [
        ((), {"delta-rs": ("read", "write"), "delta-kernel-rs": ("write",)}, []),
        (("typeWidening",), {}, []),
    ],
)
def test_the_clients_that_a_feature_costs(
    tmp_path: Path, before: tuple[str, ...], lost: dict[str, tuple[str, ...]], already: list[str]
) -> None:
    uri = write_log(tmp_path, [[commit_info(), protocol(reader=before), metadata()]])
    draft = Draft(open_table(uri).snapshot(), now=1, fresh=lambda prefix, what: prefix + what)
    draft.add_features("typeWidening")
    plan = draft.plan("x", {})
    assert {impact.client.name.split()[0]: impact.loses for impact in plan.clients_lost} == lost
    assert [impact.client.name for impact in plan.already_incompatible] == already


def test_clients_that_had_lost_access_before_are_told_apart(tmp_path: Path) -> None:
    uri = write_log(tmp_path, [[commit_info(), protocol(reader=["typeWidening"]), metadata()]])
    draft = Draft(open_table(uri).snapshot(), now=1, fresh=lambda prefix, what: prefix + what)
    draft.add_features("vacuumProtocolCheck")
    plan = draft.plan("x", {})
    assert plan.clients_lost == ()
    assert [(i.client.name.split()[0], i.lacked) for i in plan.already_incompatible] == [
        ("delta-rs", ("read", "write")),
        ("delta-kernel-rs", ("write",)),
    ]


def rename(draft: Draft) -> None:
    draft.name = "b"


def set_domain(draft: Draft) -> None:
    draft.set_domain(DomainMetadata(domain="d", configuration="x"))


def readd_files(draft: Draft) -> None:
    draft.file_actions = FileActions(1, (), lambda: iter(()))


@pytest.mark.parametrize(
    "change",
    [rename, set_domain, readd_files, lambda draft: draft.add_features("appendOnly")],
    ids=["metadata", "domain", "files", "protocol"],
)
def test_whatever_a_commit_holds_the_job_follows_it(
    tmp_path: Path, change: Callable[[Draft], None]
) -> None:
    draft = draft_of(tmp_path)
    change(draft)
    draft.undo_with_restore()
    draft.follow_up = JOB
    plan = draft.plan("X", {})
    assert isinstance(plan, CommitPlan)
    assert (plan.follow_up, plan.is_empty) == (JOB, False)
    assert plan.undo is not None


def test_there_is_no_way_back_from_nothing(tmp_path: Path) -> None:
    draft = draft_of(tmp_path)
    draft.undo_with_restore()
    assert draft.plan("X", {}).undo is None
