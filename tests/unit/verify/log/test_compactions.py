"""A compacted file that says something else than the commits that it stands for."""

import json
from pathlib import Path

import pytest
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.storage.local.local import LocalStorage
from deltactl.table.log import TableLog
from deltactl.verify.log.compactions import check

HEAD = metadata(field("id", "long"))
NAME = f"{0:020d}.{1:020d}.compacted.json"
Action = dict[str, object]


def txn(version: int) -> Action:
    return {"txn": {"appId": "a", "version": version}}


def domain(text: str) -> Action:
    return {"domainMetadata": {"domain": "d", "configuration": text, "removed": False}}


def add(path: str) -> Action:
    fields = {"partitionValues": {}, "size": 1, "modificationTime": 0, "dataChange": True}
    return {"add": {"path": path, **fields}}


def remove(path: str) -> Action:
    return {"remove": {"path": path, "deletionTimestamp": 0, "dataChange": True}}


def said(root: Path, compacted: list[Action]) -> list[tuple[str, str, str]]:
    first = [commit_info(), LEGACY, HEAD, txn(1), domain("x"), add("p")]
    text = "".join(f"{json.dumps(action)}\n" for action in compacted)
    uri = write_log(root, [first, [commit_info(), txn(2)]], others={NAME: text.encode()})
    log = TableLog(LocalStorage(uri))
    listing = log.listing()
    (entry,) = listing.compactions
    found = list(check(log, listing, entry))
    assert {(f.code, f.repairable) for f in found} <= {("COMPACTION_WRONG", True)}
    return [(f.subject.removeprefix(f"{NAME}: "), f.expected, f.found) for f in found]


ALL = [LEGACY, HEAD, txn(2), domain("x"), add("p")]


@pytest.mark.parametrize(
    ("compacted", "expected"),
    [
        (ALL, []),
        ([*ALL[:2], txn(1), *ALL[3:]], [("txn a", "2", "1")]),
        ([*ALL[:2], *ALL[3:]], [("txn a", "2", "None")]),
        ([*ALL[:3], domain("y"), ALL[4]], [("domain d", "x", "y")]),
        (ALL[:4], [("p", "an add", "no action")]),
        ([*ALL[:4], remove("p")], [("p", "an add", "a remove")]),
        ([*ALL, add("q")], [("q", "no action", "an add")]),
    ],
)
def test_each_difference(tmp_path: Path, compacted, expected) -> None:
    assert said(tmp_path, compacted) == expected


def test_findings_are_in_the_order_of_their_names(tmp_path: Path) -> None:
    more: list[Action] = [{"txn": {"appId": f"x{n}", "version": 1}} for n in range(6)]
    domains = ({"domain": f"y{n}", "configuration": "", "removed": False} for n in range(6))
    more += [{"domainMetadata": body} for body in domains]
    found = said(tmp_path, [*ALL, *more, add("r"), add("q")])
    names = [*(f"txn x{n}" for n in range(6)), *(f"domain y{n}" for n in range(6)), "q"]
    assert [subject for subject, _, _ in found] == names
