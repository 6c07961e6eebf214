"""However a log is kept, it says the same: commits, checkpoints of any kind, compacted files."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from checkpoints import KINDS, Action, Files
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_storage import MemoryStorage

from deltactl.log.arrow.file_table import records, vector_id
from deltactl.table import snapshot
from deltactl.table.log import TableLog
from deltactl.table.state.files import TableState, read_state

FEATURES = ["deletionVectors", "v2Checkpoint"]
HEAD: list[Action] = [
    {
        "protocol": {
            "minReaderVersion": 3,
            "minWriterVersion": 7,
            "readerFeatures": FEATURES,
            "writerFeatures": [*FEATURES, "domainMetadata"],
        }
    },
    {
        "metaData": {
            "id": "a",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": '{"type":"struct","fields":[]}',
            "partitionColumns": [],
            "configuration": {"own": "x"},
        }
    },
]
# Each file under all of its spellings.
FILES = [
    ["part-0.parquet"],
    ["a b.parquet", "a%20b.parquet", "a%20%62.parquet"],
    ["p=%252F/x", "p%3D%252F/x"],
    ["/t/x", "file:/t/x", "file:///t/x"],
    ["o%FFdd", "o%ffdd"],
    ["日本/" + "y" * 19, "%E6%97%A5%E6%9C%AC/" + "y" * 19],
]
VECTORS = [None, ("u", "vec", 1), ("u", "vec", 2), ("i", "inline", None)]

Key = tuple[str, int]
Commit = list[tuple[Key, Action]]


def vector_body(number: int) -> dict[str, Any]:
    if (vector := VECTORS[number]) is None:
        return {}
    kind, path, offset = vector
    held = {"storageType": kind, "pathOrInlineDv": path, "sizeInBytes": 4, "cardinality": number}
    return {"deletionVector": held | ({} if offset is None else {"offset": offset})}


# Each spelling with each vector, and the key of the logical file that they name.
NAMED = [
    ((f"file {file}", vector), {"path": path, **vector_body(vector)})
    for file, paths in enumerate(FILES)
    for path in paths
    for vector in range(len(VECTORS))
]
VALUES: list[dict[str, str | None]] = [
    {"p": "1"}, {"p": None}, {"q": "1"}, {"p": "1", "q": None}, {"p": None, "q": "1"}, {},
]  # fmt: skip


def file_actions() -> st.SearchStrategy[tuple[Key, Action]]:
    """An add or a remove of some logical file, under some spelling."""
    rows = st.sampled_from([None, 0, 1, 9])
    adds = st.tuples(rows, st.sampled_from(VALUES), st.integers(0, 99))
    return st.tuples(st.sampled_from(NAMED), st.none() | adds).map(_file_action)


def _file_action(drawn: tuple[Any, Any]) -> tuple[Key, Action]:
    (key, body), added = drawn
    if added is None:
        return key, {"remove": body}
    rows, values, size = added
    known = {} if rows is None else {"stats": json.dumps({"numRecords": rows})}
    fields = {"partitionValues": values, "size": size, "modificationTime": 1, "dataChange": True}
    return key, {"add": {**body, **fields, **known}}


def transactions() -> st.SearchStrategy[tuple[Key, Action]]:
    return st.tuples(st.sampled_from("xyz"), st.integers(0, 9)).map(
        lambda t: ((f"txn {t[0]}", 0), {"txn": {"appId": t[0], "version": t[1]}})
    )


def domains() -> st.SearchStrategy[tuple[Key, Action]]:
    return st.tuples(st.sampled_from("de"), st.sampled_from(["{}", "{1}"]), st.booleans()).map(
        lambda d: (
            (f"domain {d[0]}", 0),
            {"domainMetadata": {"domain": d[0], "configuration": d[1], "removed": d[2]}},
        )
    )


one_action = st.one_of(file_actions(), file_actions(), transactions(), domains())
commits = st.lists(one_action, max_size=6, unique_by=lambda pair: pair[0])
logs = st.lists(commits, min_size=1, max_size=6)


def state_after(log: list[Commit]) -> dict[Key, Action]:
    """The last action on each key: what a log means, in one line."""
    return dict(pair for commit in log for pair in commit)


def checkpointed(log: list[Commit]) -> list[Action]:
    """What a checkpoint of the log holds: removed domains are gone, removed files stay."""
    last = state_after(log).values()
    return HEAD + [a for a in last if not a.get("domainMetadata", {}).get("removed")]


def commit_files(log: list[Commit]) -> Files:
    texts = [[action for _, action in commit] for commit in log]
    texts[0] = HEAD + texts[0]
    return {
        f"{version:020d}.json": "\n".join(map(json.dumps, actions or [{"commitInfo": {}}])).encode()
        for version, actions in enumerate(texts)
    }


def said_by(files: Files) -> dict[str, Any]:
    """What deltactl makes of the files of a log."""
    storage: Any = MemoryStorage({f"_delta_log/{name}": data for name, data in files.items()})
    live: list[tuple[Any, ...]] = []

    def gather(state: TableState) -> None:
        live.clear()
        for batch in state.batches(("size", "partitionValues", *state.records_columns())):
            rows = records(batch).to_pylist()
            for row, body in enumerate(batch.to_pylist()):
                values = sorted(body["partitionValues"])
                live.append((body["path"], vector_id(batch, row), body["size"], values, rows[row]))

    found = snapshot.load(TableLog(storage))
    state = read_state(found, gather)
    return {
        "version": found.version,
        "protocol": found.protocol,
        "metadata": found.metadata,
        "files": sorted(live, key=str),
        "transactions": [(t.app_id, t.version) for t in state.transactions()],
        "domains": [(d.domain, d.configuration) for d in state.domains()],
    }


def meant_by(log: list[Commit]) -> dict[str, Any]:
    """The same, by the one-line meaning of a log."""
    last = state_after(log)
    adds = [(key, action["add"]) for key, action in last.items() if "add" in action]
    vector_ids = [v and f"{v[0]}{v[1]}" + ("" if v[2] is None else f"@{v[2]}") for v in VECTORS]
    files = [
        (
            add["path"],
            vector_ids[vector],
            add["size"],
            sorted(add["partitionValues"].items()),
            json.loads(add["stats"])["numRecords"] if "stats" in add else None,
        )
        for (_, vector), add in adds
    ]
    bodies = [action.get("domainMetadata", {"removed": True}) for action in last.values()]
    txns = [action["txn"] for action in last.values() if "txn" in action]
    return {
        "files": sorted(files, key=str),
        "transactions": sorted((t["appId"], t["version"]) for t in txns),
        "domains": sorted((b["domain"], b["configuration"]) for b in bodies if not b["removed"]),
    }


@settings(max_examples=150, deadline=None)
@given(logs)
def test_a_log_means_the_last_word_on_each_key(log: list[Commit]) -> None:
    said = said_by(commit_files(log))
    assert said["version"] == len(log) - 1
    assert {key: said[key] for key in ("files", "transactions", "domains")} == meant_by(log)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(max_examples=40, deadline=None)
@given(logs, st.data())
def test_a_checkpoint_says_what_the_commits_below_it_said(
    kind: Callable[[int, list[Action]], Files], log: list[Commit], data: st.DataObject
) -> None:
    files = commit_files(log)
    at = data.draw(st.integers(0, len(log) - 1), label="checkpoint")
    above = {name: text for name, text in files.items() if int(name[:20]) > at}
    assert said_by({**above, **kind(at, checkpointed(log[: at + 1]))}) == said_by(files)


@settings(max_examples=60, deadline=None)
@given(logs, st.data())
def test_a_compacted_file_says_what_its_commits_said(
    log: list[Commit], data: st.DataObject
) -> None:
    log = [[], *log, []]
    files = commit_files(log)
    first = data.draw(st.integers(1, len(log) - 2), label="first")
    last = data.draw(st.integers(first + 1, len(log) - 1), label="last")
    newest_first = [a for commit in reversed(log[first : last + 1]) for _, a in commit]
    text = "\n".join(map(json.dumps, newest_first)).encode() or b"{}"
    kept = {n: t for n, t in files.items() if not first <= int(n[:20]) <= last}
    assert said_by({**kept, f"{first:020d}.{last:020d}.compacted.json": text}) == said_by(files)
