"""Faults of the actions in commits."""

import json
from typing import Any

from in_process import say

from planted.plant import Change, Fault, Plant

PLAIN, TRACKED, PARTITIONED = "crc_good", "row_tracking", "tw_partitioned"
TIMED, FEED, MARKED = "in_commit_timestamps_skewed", "cdf", "tw_kitchen_sink"
BOM = b"\xef\xbb\xbf"


def added(name: str, change: Change, code: str, table: str = PLAIN, version: int = 1) -> Fault:
    """A fault of a commit's first add."""
    return Fault(f"add-{name}", table, lambda p: p.edit(version, "add", change),
                 {code: f"{version}.json, line"})  # fmt: skip


def removed(field: str, value: Any) -> Fault:
    """A field of a commit's remove that has another type."""
    return Fault(f"remove-{field}", PLAIN,
                 lambda p: p.edit(4, "remove", lambda b: b.update({field: value})),
                 {"ACTION_MALFORMED": "4.json, line 2: remove"})  # fmt: skip


def info(name: str, **fields: Any) -> Fault:
    return Fault(f"info-{name}", PLAIN,
                 lambda p: p.edit(1, "commitInfo", lambda b: b.update(fields)),
                 {"FIELD_WRONG_TYPE": "1.json, line 1: commitInfo"})  # fmt: skip


def raw(name: str, change: Any, code: str) -> Fault:
    """A fault of a commit's bytes."""

    def plant(p: Plant) -> None:
        p.commit(1).write_bytes(change(p.commit(1).read_bytes()))

    return Fault(f"text-{name}", PLAIN, plant, {code: "1.json"})


def repeated(kind: str, version: int, code: str, table: str = PLAIN) -> Fault:
    """An action that stands in its commit twice."""

    def plant(p: Plant) -> None:
        again = next(action for action in p.actions(version) if kind in action)
        p.append(version, again)

    return Fault(f"two-{kind}", table, plant, {code: f"{version}.json"})


def more(name: str, code: str, *actions: dict[str, Any]) -> Fault:
    return Fault(name, PLAIN, lambda p: p.append(1, *actions), {code: "1.json"})


def add_and_remove(p: Plant) -> None:
    path = next(action["add"]["path"] for action in p.actions(1) if "add" in action)
    p.append(1, {"remove": {"path": path, "dataChange": True, "deletionTimestamp": 1}})


def append_only(p: Plant) -> None:
    p.edit(0, "metaData", lambda b: b["configuration"].update({"delta.appendOnly": "true"}))


def info_last(p: Plant) -> None:
    first, *rest = p.actions(1)
    p.write(1, [*rest, first])


def time_not_after_checkpoint(p: Plant) -> None:
    """The time of the commit right above a checkpoint."""
    assert say(["checkpoint", str(p.root), "--at", "2", "-o", "json"]).exit_code == 0
    p.edit(3, "commitInfo", lambda b: b.update(inCommitTimestamp=1))


def mark(value: Any) -> Any:
    def change(body: dict[str, Any]) -> None:
        body["configuration"] = json.dumps({"rowIdHighWaterMark": value})

    return lambda p: p.edit(1, "domainMetadata", change)


def partition(change: Change) -> Change:
    return lambda body: change(body["partitionValues"])


def first_value(value: str | None) -> Change:
    return partition(lambda values: values.update(dict.fromkeys(values, value)))


TXN = {"txn": {"appId": "app", "version": 1}}
DOMAIN = {"domainMetadata": {"domain": "d", "configuration": "{}", "removed": False}}

ACTIONS = [
    raw("cut", lambda text: text[:-30], "COMMIT_NOT_JSON"),
    raw("nan", lambda text: text.replace(b'"size":454', b'"size":NaN'), "COMMIT_NOT_JSON"),
    raw("bom", lambda text: BOM + text, "COMMIT_HAS_BOM"),
    raw("blank-line", lambda text: text.replace(b"\n", b"\n\n", 1), "COMMIT_HAS_BLANK_LINES"),
    raw("list", lambda text: text + b"[1]\n", "COMMIT_NOT_JSON"),
    raw("double-key", lambda text: text.replace(b'"size":', b'"size":1,"size":'),
        "DUPLICATE_KEY"),
    repeated("metaData", 0, "TWO_METADATA"),
    repeated("protocol", 0, "TWO_PROTOCOLS"),
    repeated("commitInfo", 1, "TWO_COMMIT_INFOS"),
    repeated("add", 1, "DUPLICATE_ADD"),
    repeated("remove", 4, "DUPLICATE_REMOVE"),
    more("two-txn", "DUPLICATE_TXN", TXN, TXN),
    Fault("two-domains", TRACKED, lambda p: p.append(1, next(
        action for action in p.actions(1) if "domainMetadata" in action)),
        {"DUPLICATE_DOMAIN": "1.json"}),
    more("domain-without-feature", "DOMAIN_WITHOUT_FEATURE", DOMAIN),
    more("unknown-action", "UNKNOWN_ACTION", {"wibble": {}}),
    more("draft-action", "DRAFT_ACTION", {"rowIdHighWaterMark": {"highWaterMark": 5}}),
    more("no-object", "ACTION_MALFORMED", {"add": "path"}),
    more("sidecar-in-commit", "ACTION_MALFORMED", {"sidecar": {"path": "a"}}),
    Fault("add-and-remove", PLAIN, add_and_remove, {"ADD_AND_REMOVE_IN_ONE_COMMIT": "1.json"}),
    Fault("removed-though-append-only", PLAIN, append_only, {"REMOVE_ON_APPEND_ONLY": "4.json"}),
    info("version-text", readVersion="0"),
    info("flag-text", isBlindAppend="false"),
    info("parameters-text", operationParameters="x"),
    info("nested-parameters", operationParameters={"a": {"b": 1}}),
    info("message-object", userMetadata={}),
    added("no-size", lambda b: b.pop("size"), "ADD_INCOMPLETE"),
    added("size-text", lambda b: b.update(size="454"), "ADD_INCOMPLETE"),
    added("no-time", lambda b: b.pop("modificationTime"), "ADD_INCOMPLETE"),
    added("no-partition-values", lambda b: b.pop("partitionValues"), "ADD_INCOMPLETE"),
    added("tags-list", lambda b: b.update(tags=[]), "ACTION_MALFORMED"),
    added("row-id-text", lambda b: b.update(baseRowId="1"), "ACTION_MALFORMED"),
    Fault("vector-offset-text", "marked",
          lambda p: p.edit(4, "add", lambda b: b["deletionVector"].update(offset="1")),
          {"ACTION_MALFORMED": "4.json, line", "VECTOR_SIZE_WRONG": "deletion vector of"}),
    Fault("vector-without-cardinality", "marked",
          lambda p: p.edit(4, "add", lambda b: b["deletionVector"].pop("cardinality")),
          {"ACTION_MALFORMED": "4.json, line",
           "VECTOR_CARDINALITY_WRONG": "deletion vector of"}),
    added("size-negative", lambda b: b.update(size=-1), "ACTION_MALFORMED"),
    *(removed(field, value) for field, value in (
        ("deletionTimestamp", "1"), ("dataChange", "true"), ("extendedFileMetadata", 1),
        ("partitionValues", []), ("size", "454"), ("baseRowId", 1.5), ("tags", "x"))),
    added("bad-statistics", lambda b: b.update(stats="{"), "STATISTICS_NOT_JSON"),
    added("partition-value-too-many", lambda b: b["partitionValues"].update(p="1"),
          "PARTITION_VALUES_INCOMPLETE"),
    added("partition-value-missing", partition(lambda v: v.clear()),
          "PARTITION_VALUES_INCOMPLETE", PARTITIONED),
    added("partition-value-unreadable", first_value("wibble"), "PARTITION_VALUE_UNREADABLE",
          PARTITIONED),
    added("vector-without-records", lambda b: b.update(stats="{}"), "VECTOR_WITHOUT_RECORDS",
          "marked", 4),
    Fault("empty-path", PLAIN, lambda p: p.edit(1, "add", lambda b: b.update(path="")),
          {"EMPTY_PATH": "1.json, line"}),
    Fault("path-not-encoded", PLAIN, lambda p: p.edit(3, "add", lambda b: b.update(path="a b")),
          {"PATH_NOT_ENCODED": "a b"}),
    Fault("path-outside", PLAIN, lambda p: p.edit(3, "add", lambda b: b.update(path="../a")),
          {"PATH_OUTSIDE_TABLE": "../a"}),
    Fault("change-file-without-size", FEED, lambda p: p.edit(2, "cdc", lambda b: b.pop("size")),
          {"CHANGE_FILE_MALFORMED": "2.json, line"}),
    Fault("change-file-as-data", FEED,
          lambda p: p.edit(2, "cdc", lambda b: b.update(dataChange=True)),
          {"CHANGE_FILE_MALFORMED": "2.json, line"}),
    Fault("time-missing", TIMED,
          lambda p: p.edit(2, "commitInfo", lambda b: b.pop("inCommitTimestamp")),
          {"ICT_MISSING": "2.json"}),
    Fault("time-not-increasing", TIMED,
          lambda p: p.edit(3, "commitInfo", lambda b: b.update(inCommitTimestamp=1)),
          {"ICT_NOT_INCREASING": "3.json"}),
    Fault("time-not-after-checkpoint", TIMED, time_not_after_checkpoint,
          {"ICT_NOT_INCREASING": "3.json"}),
    Fault("time-not-first", TIMED, info_last, {"ICT_NOT_FIRST": "1.json"}),
    Fault("mark-unreadable", TRACKED, mark("x"), {"ROW_ID_MARK_UNREADABLE": "1.json"}),
    Fault("mark-too-low", TRACKED, mark(0), {"ROW_ID_MARK_TOO_LOW": "1.json"}),
    Fault("row-ids-overlap", "marked",
          lambda p: p.edit(2, "add", lambda b: b.update(baseRowId=1)),
          {"ROW_IDS_OVERLAP": "row ids"}),
    Fault("row-id-missing", TRACKED, lambda p: p.edit(5, "add", lambda b: b.pop("baseRowId")),
          {"ROW_ID_MISSING": "row ids"}),
]  # fmt: skip
