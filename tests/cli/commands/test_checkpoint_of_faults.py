"""`deltactl checkpoint` where commits are at fault: nothing is written that would hide it."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from small_tables import Action, commit_info, field, metadata, protocol, write_log

HEADS = [
    protocol(reader=["deletionVectors"], writer=["deletionVectors"]),
    metadata(field("id", "long")),
]
VECTOR = {
    "storageType": "i", "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
    "sizeInBytes": 40, "cardinality": 6,
}  # fmt: skip
GONE: Any = object()


def add(path: str = "a.parquet", **more: Any) -> Action:
    fields = {"path": path, "partitionValues": {}, "size": 10, "modificationTime": 7}
    held = {**fields, "dataChange": True, "stats": '{"numRecords":9}', **more}
    return {"add": {key: value for key, value in held.items() if value is not GONE}}


def remove(path: str = "a.parquet", **more: Any) -> Action:
    held = {"path": path, "deletionTimestamp": 9, "dataChange": True, **more}
    return {"remove": held}


def table(root: Path, *commits: list[Action]) -> str:
    return write_log(root, [[commit_info(), *HEADS], *([commit_info(), *c] for c in commits)])


def checkpoints(uri: str) -> list[Path]:
    return [*Path(uri, "_delta_log").glob("*.checkpoint*"), *Path(uri).rglob("_last_checkpoint")]


def with_vector(**more: Any) -> Action:
    held = {key: value for key, value in {**VECTOR, **more}.items() if value is not GONE}
    return add(deletionVector=held)


@pytest.mark.parametrize(
    ("actions", "code", "said"),
    [
        (
            [add(size=None)],
            "ADD_INCOMPLETE",
            "size of a.parquet must be a whole number, found null",
        ),
        (
            [add(size=GONE)],
            "ADD_INCOMPLETE",
            "size of a.parquet must be a whole number, found none",
        ),
        ([add(size="1")], "ADD_INCOMPLETE", 'found "1"'),
        ([add(size=1.5)], "ADD_INCOMPLETE", "found 1.5"),
        ([add(size=[])], "ADD_INCOMPLETE", "found []"),
        ([add(modificationTime=GONE)], "ADD_INCOMPLETE", "modificationTime"),
        ([add(partitionValues=None)], "ADD_INCOMPLETE", "partitionValues"),
        ([add(dataChange=GONE)], "ADD_INCOMPLETE", "dataChange"),
        ([add(tags=["a"])], "ACTION_MALFORMED", 'tags of a.parquet must be an object, found ["a"]'),
        ([add(baseRowId="1")], "ACTION_MALFORMED", "baseRowId"),
        ([with_vector(offset="1")], "ACTION_MALFORMED", "deletionVector.offset"),
        ([with_vector(offset=2**31)], "ACTION_MALFORMED", "a number of 32 bits, found 2147483648"),
        ([with_vector(sizeInBytes=True)], "ACTION_MALFORMED", "deletionVector.sizeInBytes"),
        ([with_vector(cardinality=1.5)], "ACTION_MALFORMED", "deletionVector.cardinality"),
        ([with_vector(cardinality=GONE)], "ACTION_MALFORMED", "deletionVector.cardinality"),
        ([add(deletionVector={})], "ACTION_MALFORMED", "deletionVector.cardinality"),
        ([with_vector(maxRowIndex=[])], "ACTION_MALFORMED", "deletionVector.maxRowIndex"),
        ([remove(deletionVector={**VECTOR, "offset": "1"})], "ACTION_MALFORMED", "offset"),
        ([add("a b")], "PATH_NOT_ENCODED", "'a b'"),
        ([add(), remove()], "ADD_AND_REMOVE_IN_ONE_COMMIT", "a.parquet"),
    ],
)
def test_what_a_checkpoint_would_hide_is_refused(run, tmp_path, actions, code, said) -> None:
    uri = table(tmp_path, actions, [add("other.parquet")])
    for options in ((), ("--dry-run",), ("--dry-run", "--engine", "spark")):
        result = run("checkpoint", uri, *options, "-o", "json")
        error = result.document["error"]
        assert (result.exit_code, error["code"]) == (5, code)
        assert f"{1:020d}.json: " in error["message"]
        assert said in error["message"]
        assert checkpoints(uri) == []


def test_what_a_later_commit_replaced_is_no_hindrance(run, tmp_path) -> None:
    uri = table(tmp_path, [add(size=None), add("a b"), add("c"), remove("c")],
                [remove(), remove("a b"), add("c")])  # fmt: skip
    for options in (("--dry-run",), ()):
        assert run("checkpoint", uri, *options).exit_code == 0


def test_a_file_of_a_compacted_commit_counts_as_well(run, tmp_path) -> None:
    uri = table(tmp_path, [add(size=None)], [add("other.parquet")])
    log = Path(uri, "_delta_log")
    held = [log / f"{version:020d}.json" for version in (1, 2)]
    text = "".join(path.read_text() for path in held)
    (log / f"{1:020d}.{2:020d}.compacted.json").write_text(text)
    for path in held:
        path.unlink()
    for options in (("--dry-run",), ()):
        result = run("checkpoint", uri, *options, "-o", "json")
        assert (result.exit_code, result.document["error"]["code"]) == (5, "ADD_INCOMPLETE")


@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["carried out", "planned"])
def test_a_torn_commit_is_not_lost_for_good(run, tmp_path, options) -> None:
    uri = table(tmp_path, [add()], [add("other.parquet")])
    Path(uri, "_delta_log", f"{1:020d}.json").write_bytes(b"")
    result = run("checkpoint", uri, *options, "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (5, "COMMIT_EMPTY")
    assert checkpoints(uri) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"size": None},
        {"tags": []},
        {"deletionVector": {**VECTOR, "offset": "1"}},
        {"path": ""},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_an_older_checkpoint_in_json_that_is_at_fault_is_not_carried_on(
    run, tmp_path, wrong
) -> None:
    heads = [
        protocol(reader=["deletionVectors", "v2Checkpoint"]), metadata(field("id", "long")),
    ]  # fmt: skip
    commits = [[commit_info(), *heads], [commit_info(), add()], [commit_info(), add("b.parquet")]]
    uri = write_log(tmp_path, commits)
    rows = [{"checkpointMetadata": {"version": 1}}, *heads, add(**wrong)]
    top = f"{1:020d}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    Path(uri, "_delta_log", top).write_text(text)
    assert run("checkpoint", uri, "--kind", "classic").exit_code == 0
    made = pq.read_table(Path(uri, "_delta_log", f"{2:020d}.checkpoint.parquet"))
    adds = [row["add"] for row in made.to_pylist() if row["add"]]
    assert {(held["path"], held["size"]) for held in adds} == {("a.parquet", 10), ("b.parquet", 10)}
