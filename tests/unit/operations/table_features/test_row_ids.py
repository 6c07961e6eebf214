"""Ids for the rows of existing files: right at once, and after others wrote meanwhile."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from drafts import drop
from in_process import say
from small_tables import (
    LEGACY,
    Action,
    commit_info,
    field,
    metadata,
    protocol,
    write_log,
)

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.errors import ConflictError
from deltactl.operations.protocol.enable import plan_protocol_enable
from deltactl.table.table import open_table

ID = field("id", "long")
VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "offset": 4,
    "sizeInBytes": 40,
    "cardinality": 1,
}
SUPPORTED = protocol(writer=["domainMetadata", "rowTracking"])


def add(path: str, rows: int | None, **more: Any) -> Action:
    stats = {} if rows is None else {"stats": json.dumps({"numRecords": rows})}
    body = {"path": path, "partitionValues": {}, "size": 9, "modificationTime": 5}
    return {"add": {**body, "dataChange": True, **stats, **more}}


def remove(path: str, **more: Any) -> Action:
    return {"remove": {"path": path, "deletionTimestamp": 9, "dataChange": True, **more}}


def mark(number: int) -> Action:
    text = json.dumps({"rowIdHighWaterMark": number})
    body = {"domain": "delta.rowTracking", "configuration": text, "removed": False}
    return {"domainMetadata": body}


def enabling(draft: Draft) -> Plan:
    return plan_protocol_enable(draft, ["rowTracking"])


def dropping(draft: Draft) -> Plan:
    return drop(draft, "rowTracking")


def planned(folder: Path, *actions: Action, planner: Callable[[Draft], Plan] = enabling) -> Plan:
    write_log(folder, [[commit_info(), *actions]])
    snapshot = open_table(str(folder)).snapshot()
    return planner(Draft(snapshot, now=1, fresh=lambda prefix, what: prefix))


def files(plan: Plan) -> dict[str, tuple[int | None, int | None]]:
    """The files that are committed again, with the id of the first row and the version."""
    assert plan.file_actions is not None
    adds = [body for kind, body in plan.file_actions.stream() if kind == "add"]
    assert len(adds) == plan.file_actions.number
    assert all(body["dataChange"] is False for body in adds)
    return {b["path"]: (b.get("baseRowId"), b.get("defaultRowCommitVersion")) for b in adds}


def high_water_mark(plan: Plan) -> int:
    (domain,) = plan.domains
    assert domain.domain == "delta.rowTracking"
    number = json.loads(domain.configuration)["rowIdHighWaterMark"]
    assert isinstance(number, int)
    return number


def codes(plan: Plan) -> list[str]:
    return [refusal.code for refusal in plan.refusals]


def test_files_follow_each_other(tmp_path: Path) -> None:
    plan = planned(tmp_path, LEGACY, metadata(ID), add("a", 3), add("b", 0), add("c", 2))
    assert plan.operation == "ROW TRACKING BACKFILL"
    assert plan.parameters == {"batchId": "0"}
    found = files(plan)
    assert {version for _, version in found.values()} == {1}
    assert sorted(path for path in found) == ["a", "b", "c"]
    rows = {"a": 3, "b": 0, "c": 2}
    taken = sorted(n for p, (b, _) in found.items() if b is not None for n in range(b, b + rows[p]))
    assert taken == [0, 1, 2, 3, 4]
    assert high_water_mark(plan) == 4


def test_all_else_of_a_file_stays(tmp_path: Path) -> None:
    own = add("a%20b", 3, deletionVector=VECTOR, tags={"k": "v"}, clusteringProvider="liquid")
    plan = planned(tmp_path, protocol(reader=["deletionVectors"]), metadata(ID), own)
    assert plan.file_actions is not None
    assert list(plan.file_actions.stream()) == [
        ("add", {**own["add"], "dataChange": False, "baseRowId": 0, "defaultRowCommitVersion": 1})
    ]
    assert [dict(action) for action in plan.file_actions.sample] == [
        {"add": {**own["add"], "dataChange": False, "baseRowId": 0, "defaultRowCommitVersion": 1}}
    ]


def test_nulls_of_deltalake_are_left_out(tmp_path: Path) -> None:
    """Some fields may be absent, and must not be null in what we write."""
    nulls = dict.fromkeys(
        ["tags", "deletionVector", "baseRowId", "defaultRowCommitVersion", "clusteringProvider"]
    )
    plan = planned(tmp_path, LEGACY, metadata(ID), add("a", 3, **nulls))
    assert plan.file_actions is not None
    ((_, body),) = plan.file_actions.stream()
    assert {key for key, value in body.items() if value is None} == set()


def test_ids_that_are_there_stay(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        SUPPORTED,
        metadata(ID),
        add("old", 5),
        add("new", 4, baseRowId=10, defaultRowCommitVersion=7),
        mark(13),
    )
    assert files(plan) == {"old": (14, 1)}
    assert high_water_mark(plan) == 18


@pytest.mark.parametrize("stored", [[], [mark(2)]], ids=["no mark", "too low a mark"])
def test_a_mark_below_ids_that_are_taken_is_put_right(tmp_path: Path, stored: list[Action]) -> None:
    """Left as it is, the next insert would give out ids that are in use."""
    own = add("new", 4, baseRowId=10, defaultRowCommitVersion=7)
    plan = planned(tmp_path, SUPPORTED, metadata(ID), own, *stored)
    assert plan.file_actions is None
    assert high_water_mark(plan) == 13
    assert plan.operation == "SET TBLPROPERTIES"


def test_a_mark_above_all_ids_stays(tmp_path: Path) -> None:
    plan = planned(tmp_path, SUPPORTED, metadata(ID), add("a", 3), mark(100))
    assert files(plan) == {"a": (101, 1)}
    assert high_water_mark(plan) == 103


def test_a_table_without_files_has_no_mark(tmp_path: Path) -> None:
    plan = planned(tmp_path, LEGACY, metadata(ID))
    assert (codes(plan), plan.file_actions, plan.domains) == ([], None, ())


def test_names_and_suspension(tmp_path: Path) -> None:
    on = {
        "rowTrackingSuspended": "true",
        "enableRowTracking": "false",
        "rowTracking.materializedRowIdColumnName": "kept",
    }
    plan = planned(tmp_path, SUPPORTED, metadata(ID, **on), add("a", 1))
    assert plan.metadata is not None
    assert dict(plan.metadata.configuration) == {
        "delta.enableRowTracking": "true",
        "delta.rowTracking.materializedRowIdColumnName": "kept",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col-",
    }


@pytest.mark.parametrize(
    ("files", "code", "words"),
    [
        ([add("a", None), add("b", 2)], "ROW_COUNT_UNKNOWN", "one file"),
        ([add("a", None), add("b", None)], "ROW_COUNT_UNKNOWN", "2 files"),
        ([add("a", 1, stats="{}")], "ROW_COUNT_UNKNOWN", "(a)"),
        ([add("a", 1, stats="{")], "ROW_COUNT_UNKNOWN", "(a)"),
        ([add("a", -1)], "ROW_COUNT_UNKNOWN", "(a)"),
        ([add("a", 1, modificationTime=None)], "ADD_INCOMPLETE", "a has no modificationTime"),
        ([add("a", 9), mark(2**63 - 3)], "ROW_IDS_EXHAUSTED", "9 more rows"),
    ],
)
def test_files_that_cannot_be_numbered(
    tmp_path: Path, files: list[Action], code: str, words: str
) -> None:
    plan = planned(tmp_path, SUPPORTED, metadata(ID), *files)
    assert codes(plan) == [code]
    assert words in plan.refusals[0].message


def test_a_mark_that_says_nothing(tmp_path: Path) -> None:
    bad: Action = {
        "domainMetadata": {"domain": "delta.rowTracking", "configuration": "{}", "removed": False}
    }
    plan = planned(tmp_path, SUPPORTED, metadata(ID), add("a", 1), bad)
    assert codes(plan) == ["ROW_ID_MARK_UNREADABLE"]


def test_a_drop_takes_the_ids_away(tmp_path: Path) -> None:
    plan = planned(
        tmp_path,
        protocol(writer=["domainMetadata", "rowTracking", "appendOnly"]),
        metadata(ID, enableRowTracking="true", rowTrackingSuspended="false", x="1"),
        add("a", 3, baseRowId=0, defaultRowCommitVersion=0, tags={"k": "v"}),
        add("b", 3, defaultRowCommitVersion=0),
        add("c", 3),
        mark(2),
        planner=dropping,
    )
    assert files(plan) == {"a": (None, None), "b": (None, None)}
    assert [(domain.domain, domain.removed) for domain in plan.domains] == [
        ("delta.rowTracking", True)
    ]
    assert plan.metadata is not None
    assert dict(plan.metadata.configuration) == {"delta.x": "1"}
    assert plan.protocol is not None
    assert plan.protocol.writer_features == ("domainMetadata", "appendOnly")


# ---- Others write while the plan is looked at


def committed(folder: Path, version: int) -> list[Action]:
    text = (folder / f"_delta_log/{version:020d}.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


def against(
    folder: Path, *winner: Action, planner: Callable[[Draft], Plan] = enabling
) -> ChangeReport:
    """Carry the plan out while another writer takes version 1 with the actions `winner`."""

    def agrees(plan: Plan) -> None:
        text = "".join(f"{json.dumps(action)}\n" for action in [commit_info(), *winner])
        (folder / "_delta_log/00000000000000000001.json").write_text(text)

    return ChangeExecutor(open_table(str(folder)), planner, CommitOptions()).execute(agrees)


TABLE = [
    commit_info(),
    protocol(reader=["deletionVectors"]),
    metadata(ID),
    add("a", 3),
    add("b", 4),
]


def test_a_file_that_was_removed_does_not_come_back(tmp_path: Path) -> None:
    write_log(tmp_path, [TABLE])
    report = against(tmp_path, remove("a"))
    assert report.version == 2
    added = [action["add"] for action in committed(tmp_path, 2) if "add" in action]
    assert [(a["path"], a["baseRowId"], a["defaultRowCommitVersion"]) for a in added] == [
        ("b", 0, 2)
    ]
    assert high_water_mark(report.plan) == 3


@pytest.mark.parametrize("planner", [enabling, dropping], ids=["enable", "drop"])
def test_rows_that_were_deleted_do_not_come_back(
    tmp_path: Path, planner: Callable[[Draft], Plan]
) -> None:
    """The file without its deletion vector, added again, would have all its rows twice."""
    ids = {"baseRowId": 0, "defaultRowCommitVersion": 0} if planner is dropping else {}
    has = protocol(reader=["deletionVectors"], writer=["domainMetadata", "rowTracking"])
    write_log(tmp_path, [[commit_info(), has, metadata(ID), add("a", 3, **ids)]])
    report = against(
        tmp_path, remove("a", **ids), add("a", 3, deletionVector=VECTOR, **ids), planner=planner
    )
    assert report.version == 2
    (added,) = [action["add"] for action in committed(tmp_path, 2) if "add" in action]
    assert (added["path"], added["deletionVector"]) == ("a", VECTOR)
    live = open_table(str(tmp_path))
    assert live.snapshot().version == 2


def test_files_that_came_get_ids_too(tmp_path: Path) -> None:
    write_log(tmp_path, [TABLE])
    report = against(tmp_path, add("c", 5))
    assert report.version == 2
    added = [action["add"] for action in committed(tmp_path, 2) if "add" in action]
    assert sorted(a["path"] for a in added) == ["a", "b", "c"]
    assert high_water_mark(report.plan) == 11


def test_ids_that_others_gave_meanwhile_stay(tmp_path: Path) -> None:
    write_log(tmp_path, [[commit_info(), SUPPORTED, metadata(ID), add("a", 3), mark(-1)]])
    new = add("c", 5, baseRowId=0, defaultRowCommitVersion=1)
    report = against(tmp_path, new, mark(4))
    assert report.version == 2
    assert files(report.plan) == {"a": (5, 2)}
    assert high_water_mark(report.plan) == 7


def test_another_protocol_ends_it(tmp_path: Path) -> None:
    write_log(tmp_path, [TABLE])
    with pytest.raises(ConflictError, match="nothing was written"):
        against(tmp_path, protocol(reader=["deletionVectors", "timestampNtz"]))
    assert not (tmp_path / "_delta_log/00000000000000000002.json").exists()


def test_somebody_else_enabled_it(tmp_path: Path) -> None:
    write_log(tmp_path, [[commit_info(), LEGACY, metadata(ID), add("a", 3)]])
    report = against(
        tmp_path,
        SUPPORTED,
        metadata(ID, enableRowTracking="true"),
        add("a", 3, baseRowId=0, defaultRowCommitVersion=1, dataChange=False),
        mark(2),
    )
    assert report.version is None
    assert report.plan.is_empty


def test_a_file_of_which_no_engine_could_decode_a_field_is_named(tmp_path: Path) -> None:
    odd = add("odd.parquet", 1)
    odd["add"]["size"] = "500"
    path = write_log(tmp_path, [[commit_info(), LEGACY, metadata(ID), odd]])
    said = say(["protocol", "enable", path, "rowTracking", "--yes", "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (5, "ACTION_MALFORMED")
    assert said.error["message"].startswith("add: size has the wrong type, for odd.parquet, and")
    assert not (tmp_path / "_delta_log" / f"{1:020d}.json").exists()
