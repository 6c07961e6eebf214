"""Checkpoints by Spark: action for action what the process itself writes."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import spark_cluster
from small_tables import LEGACY, commit_info, field, metadata, protocol, struct, write_log
from spark_checkpoints import NOW, actions, checkpoint, local_runner, log_copy, schemas
from spark_cluster import Cluster

from deltactl.changes.jobs import Job, JobRunner
from deltactl.errors import BrokenLogError, StorageError
from deltactl.log.filenames import CheckpointKind
from deltactl.operations.checkpoint.checkpoint import CheckpointRequest

GOLDEN = Path(__file__).parent.parent / "golden"

pytestmark = [pytest.mark.jvm, pytest.mark.usefixtures("spark_environment")]

CLASSIC = CheckpointRequest(CheckpointKind.CLASSIC)
PARTS = CheckpointRequest(CheckpointKind.MULTIPART, parts=3)
V2 = CheckpointRequest(CheckpointKind.V2, parts=2)

REAL = {
    "dat-gen__all_primitive_types": CLASSIC,
    "dat-gen__deletion_vectors": PARTS,
    "dat-gen__stats_as_struct": PARTS,
    "dat-gen__with_checkpoint": CLASSIC,
    "delta-rs__checkpoint-v2-table": V2,
    "delta-rs__delta-1.2.1-only-struct-stats": PARTS,
    "delta-rs__delta-2.2.0-partitioned-types": CLASSIC,
    "generated__all_types": PARTS,
    "generated__clustering": CLASSIC,
    "generated__log_compaction": PARTS,
    "generated__row_tracking": CLASSIC,
    "generated__special_partition_paths": PARTS,
    "generated__tw_kitchen_sink": V2,
    "generated__tw_partitioned": PARTS,
}


@pytest.fixture(scope="module")
def runner(jars: list[Path]) -> Iterator[JobRunner]:
    with local_runner(jars[0].parent) as found:
        yield found


def assert_same(table: Path, wish: CheckpointRequest, runner: JobRunner, place: Path) -> Path:
    """Both write the same checkpoint of two copies of the log; returns the one of Spark."""
    ours, theirs = log_copy(table, place / "process"), log_copy(table, place / "spark")
    here, there = checkpoint(ours, wish), checkpoint(theirs, wish, runner)
    assert here.error is there.error is None
    assert here.wrote
    assert there.wrote
    assert actions(theirs, there) == actions(ours, here)
    assert here.checkpoint is not None
    assert there.checkpoint is not None
    names = [Path(part.path).name for part in there.checkpoint.parts]
    if wish.kind is not CheckpointKind.V2:
        assert names == [Path(part.path).name for part in here.checkpoint.parts]
        assert schemas(theirs, there) == schemas(ours, here)
    assert_no_litter(theirs)
    hints = [
        json.loads((t / "_delta_log" / "_last_checkpoint").read_text()) for t in (ours, theirs)
    ]
    told = ("version", "size", "parts", "numOfAddFiles")
    assert [hints[1].get(key) for key in told] == [hints[0].get(key) for key in told]
    return theirs


def assert_no_litter(table: Path) -> None:
    assert [p.name for p in (table / "_delta_log").iterdir() if p.name.startswith(".0")] == []


@pytest.mark.parametrize("name", REAL)
def test_of_real_tables(name: str, shared_tables: Path, runner: JobRunner, tmp_path: Path) -> None:
    table = log_copy(shared_tables / name / "delta", tmp_path / "table")
    for path in (table / "_delta_log").glob("*.crc"):
        path.unlink()
    newest = max(path.name[:20] for path in (table / "_delta_log").glob("*[0-9].json"))
    if list((table / "_delta_log").glob(f"{newest}.checkpoint*")):
        more = [json.dumps(commit_info())]
        (table / "_delta_log" / f"{int(newest) + 1:020d}.json").write_text("\n".join(more))
    assert_same(table, REAL[name], runner, tmp_path)


COLUMNS = (
    field("n", "integer"), field("d", "decimal(20,2)"), field("f", "double"), field("t", "string"),
    field("day", "date"), field("at", "timestamp"), field("ntz", "timestamp_ntz"),
    field("s", struct(field("x", "short"))), field("p", "integer"), field("q", "binary"),
)  # fmt: skip


def add(path: str, stats: Any = None, **more: Any) -> dict[str, Any]:
    text = stats if isinstance(stats, str | None) else json.dumps(stats)
    values = {"p": None, "q": None, **more.pop("values", {})}
    plain = {"path": path, "size": 7, "modificationTime": 5, "dataChange": True}
    return {"add": {**plain, "partitionValues": values, "stats": text, **more}}


def remove(path: str, time: int, **more: Any) -> dict[str, Any]:
    return {"remove": {"path": path, "deletionTimestamp": time, "dataChange": True, **more}}


def vector(place: str, offset: int | None = None) -> dict[str, Any]:
    body = {"storageType": "u", "pathOrInlineDv": place, "sizeInBytes": 3, "cardinality": 1}
    return {"deletionVector": body | ({} if offset is None else {"offset": offset})}


RECENT, OLD = 1_762_990_000_000, 1_600_000_000_000
VALUES = [
    {"n": 1, "d": 12345678901234567.25, "f": 1e300, "t": 'a"\\\u00e4', "s": {"x": 3}},
    {"n": 1.5, "d": 1.234, "f": "NaN", "day": "2024-02-29", "s": {"x": 70000}},
    {"n": 2**40, "f": "-Infinity", "day": "2024-02-30", "at": "2024-01-01T00:00:00.123Z"},
    {"at": "2024-01-01T01:00:00.123456+01:00", "ntz": "2024-01-01T00:00:00.5", "s": None},
    {"at": "soon", "ntz": "later", "day": "+12024-01-01"},
]


def awkward(root: Path, **configuration: str) -> Path:
    """A log with all that reconciling has to get right."""
    dv = "ab^-aqEH.-t@S}K{vb[*k^"
    features = protocol(reader=["deletionVectors", "timestampNtz"], writer=["domainMetadata"])
    first = [
        commit_info(),
        features,
        {"metaData": {**metadata(*COLUMNS, **configuration)["metaData"],
                      "partitionColumns": ["p", "q"]}},
        *(add(f"v{n}", {"numRecords": n, "minValues": v, "maxValues": v, "nullCount": {"n": 0}})
          for n, v in enumerate(VALUES)),
        add("no%20stats"), add("broken", '{"numRecords":'), add("list", "[1]"),
        add("inexact", '{"numRecords":1,"minValues":{"d":123456789012345678.91}}'),
        add("p=1/a%20b", values={"p": "1", "q": "\u00e4"}), add("p=x/c", values={"p": "x"}),
        add("plus+%2B"), add("file:///elsewhere/a"), add("gone"), add("twice"), add("%FF"),
        add("%FE"), add("tagged", tags={"k": "v"}, baseRowId=5, defaultRowCommitVersion=0),
        {"txn": {"appId": "a", "version": 1, "lastUpdated": RECENT}},
        {"txn": {"appId": "never", "version": 7}},
        {"domainMetadata": {"domain": "x", "configuration": "{}", "removed": False}},
        {"domainMetadata": {"domain": "y", "configuration": '{"a":1}', "removed": False}},
    ]  # fmt: skip
    second = [
        commit_info(),
        remove("p=1/a b", RECENT), remove("plus%2B%2B", RECENT), remove("file:/elsewhere/a", OLD),
        remove("gone", RECENT, extendedFileMetadata=True, partitionValues={"p": None}, size=7),
        remove("%FF", RECENT),
        remove("v1", RECENT), add("v1", {"numRecords": 3}, **vector(dv)),
        add("twice", {"numRecords": 1}), add("twice", {"numRecords": 2}),
        {"txn": {"appId": "a", "version": 2, "lastUpdated": OLD}},
        {"domainMetadata": {"domain": "x", "configuration": "{}", "removed": True}},
    ]  # fmt: skip
    third = [
        commit_info(),
        remove("v1", RECENT, **vector(dv)), add("v1", {"numRecords": 3}, **vector(dv, 4)),
        add("gone", {"numRecords": 9}), remove("older", RECENT - 1), remove("untold", 0),
    ]  # fmt: skip
    root.mkdir()
    return Path(write_log(root, [first, second, third]))


STRUCTS = {"checkpoint.writeStatsAsStruct": "true"}
ONLY_STRUCTS = {**STRUCTS, "checkpoint.writeStatsAsJson": "false"}
FORGETS = {"setTransactionRetentionDuration": "interval 30 days"}


@pytest.mark.parametrize(
    "configuration", [{}, STRUCTS, {**ONLY_STRUCTS, **FORGETS}], ids=["JSON", "both", "structs"]
)
def test_of_an_awkward_log(
    configuration: dict[str, str], runner: JobRunner, tmp_path: Path
) -> None:
    table = awkward(tmp_path / "table", **configuration)
    theirs = assert_same(table, PARTS, runner, tmp_path / "first")
    # And from that checkpoint, with another word on some of its files.
    more = [commit_info(), remove("v0", RECENT), remove("p=1/a%20b", RECENT + 1), add("%FF")]
    newest = theirs / "_delta_log" / f"{3:020d}.json"
    newest.write_text("\n".join(map(json.dumps, more)))
    for version in range(3):
        (theirs / "_delta_log" / f"{version:020d}.json").unlink()
    assert_same(theirs, CLASSIC, runner, tmp_path / "second")


def test_what_it_says(runner: JobRunner, tmp_path: Path) -> None:
    table = awkward(tmp_path / "table", **STRUCTS)
    report = checkpoint(table, CLASSIC, runner)
    rows = pq.read_table(table / "_delta_log" / f"{2:020d}.checkpoint.parquet").to_pylist()
    assert report.checkpoint is not None
    adds = {row["add"]["path"]: row["add"] for row in rows if row["add"]}
    assert sorted(adds) == [
        "%FE", "broken", "gone", "inexact", "list", "no%20stats", "p=x/c", "tagged", "twice", "v0",
        "v1", "v2", "v3", "v4",
    ]  # fmt: skip
    removes = [row["remove"]["path"] for row in rows if row["remove"]]
    assert sorted(removes) == ["%FF", "older", "p=1/a b", "plus%2B%2B", "v1", "v1"]
    assert adds["twice"]["stats_parsed"]["numRecords"] == 2
    assert adds["broken"]["stats_parsed"] is None is adds["list"]["stats_parsed"]
    assert str(adds["inexact"]["stats_parsed"]["minValues"]["d"]) == "123456789012345678.91"
    assert adds["v1"]["deletionVector"]["offset"] == 4
    apps = {row["txn"]["appId"]: row["txn"]["version"] for row in rows if row["txn"]}
    assert apps == {"a": 2, "never": 7}
    assert [r["domainMetadata"]["domain"] for r in rows if r["domainMetadata"]] == ["y"]


def test_scratch_of_a_run_that_was_killed_is_cleared(runner: JobRunner, tmp_path: Path) -> None:
    table = awkward(tmp_path / "table")
    dead, recent = (
        table / "_delta_log" / f".{1:020d}.checkpoint.{name}.tmp" for name in ("dead", "recent")
    )
    for folder in (dead, recent):
        folder.mkdir()
        (folder / "part-00000.parquet").touch()
    os.utime(dead / "part-00000.parquet", (NOW // 1000 - 90_000,) * 2)
    os.utime(recent / "part-00000.parquet", (NOW // 1000 - 80_000,) * 2)
    assert checkpoint(table, CLASSIC, runner).wrote
    assert (dead.exists(), recent.exists()) == (False, True)


def test_parts_that_nothing_falls_into_are_there(runner: JobRunner, tmp_path: Path) -> None:
    one = add("one")
    one["add"]["partitionValues"] = {}
    plain = [commit_info(), LEGACY, metadata(field("n", "integer")), one]
    table = Path(write_log(tmp_path, [plain]))
    assert_same(
        table, CheckpointRequest(CheckpointKind.MULTIPART, parts=9), runner, tmp_path / "both"
    )


@pytest.mark.parametrize(
    "line",
    ['{"add":{"path":"x","size":"many"}}', '{"add":{"path":"x",', '{"remove":{"size":1}}'],
)
def test_a_broken_line(line: str, runner: JobRunner, tmp_path: Path) -> None:
    table = awkward(tmp_path / "table")
    with (table / "_delta_log" / f"{1:020d}.json").open("a") as commit:
        commit.write(f"{line}\n")
    before = sorted(path.name for path in (table / "_delta_log").iterdir())
    with pytest.raises(BrokenLogError) as caught:
        checkpoint(table, CLASSIC, runner)
    assert caught.value.code == "COMMIT_UNREADABLE_ON_SPARK"
    assert f"{1:020d}.json" in caught.value.message
    assert sorted(path.name for path in (table / "_delta_log").iterdir()) == before


INLINE = {"storageType": "i", "pathOrInlineDv": "wi5b=", "sizeInBytes": 4, "cardinality": 1}


def without(action: dict[str, Any], field: str) -> dict[str, Any]:
    [(kind, body)] = action.items()
    return {kind: {key: value for key, value in body.items() if key != field}}


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (without(add("x"), "size"), "ADD_INCOMPLETE"),
        (without(add("x"), "dataChange"), "ADD_INCOMPLETE"),
        (add("x", size="7"), "COMMIT_UNREADABLE_ON_SPARK"),
        (add("x", deletionVector=without({"_": INLINE}, "cardinality")["_"]), "ACTION_MALFORMED"),
        (remove("x", RECENT, deletionVector={**INLINE, "sizeInBytes": None}), "ACTION_MALFORMED"),
        (add("a b"), "PATH_NOT_ENCODED"),
        (remove("beside", RECENT), "ADD_AND_REMOVE_IN_ONE_COMMIT"),
        (None, "COMMIT_EMPTY"),
    ],
)
def test_what_a_checkpoint_would_hide_is_refused(
    action: dict[str, Any] | None, code: str, runner: JobRunner, tmp_path: Path
) -> None:
    table = awkward(tmp_path / "table")
    log = table / "_delta_log"

    def commit(version: int, *actions: dict[str, Any]) -> None:
        text = "".join(json.dumps(action) + "\n" for action in actions)
        (log / f"{version:020d}.json").write_text(text)

    commit(3, *([] if action is None else [commit_info(), add("beside"), action]))
    commit(4, commit_info(), add("other"))
    before = sorted(path.name for path in log.iterdir())
    with pytest.raises(BrokenLogError) as caught:
        checkpoint(table, CLASSIC, runner)
    assert caught.value.code == code
    assert sorted(path.name for path in log.iterdir()) == before
    if action is not None and code != "COMMIT_UNREADABLE_ON_SPARK":
        # What a later commit replaced hides nothing.
        [body] = action.values()
        vector = {"deletionVector": INLINE} if "deletionVector" in body else {}
        commit(5, commit_info(), remove(body["path"], RECENT, **vector))
        assert checkpoint(table, CLASSIC, runner).wrote


class Spoils:
    """Damages what Spark has written, or says of it, before anyone can put it in place."""

    place = "Spark"

    def __init__(self, runner: JobRunner, **found: Any) -> None:
        self._runner = runner
        self._found = found

    def run(self, job: Job) -> Any:
        made = dict(self._runner.run(job))
        return {**made, "found": {**made["found"], "add": {**made["found"]["add"], **self._found}}}


@pytest.mark.parametrize("found", [{"files": 1}, {"bytes": 0}, {"mark": "1"}, {"vectors": 9}])
def test_what_is_not_as_it_should_be_is_not_put(
    found: dict[str, Any], runner: JobRunner, tmp_path: Path
) -> None:
    table = awkward(tmp_path / "table")
    before = sorted(path.name for path in (table / "_delta_log").iterdir())
    with pytest.raises(StorageError) as caught:
        checkpoint(table, CLASSIC, Spoils(runner, **found))
    assert caught.value.code == "CHECKPOINT_NOT_AS_WRITTEN"
    assert sorted(path.name for path in (table / "_delta_log").iterdir()) == before


def command(table: Path, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "deltactl", "checkpoint", str(table), "--engine", "spark", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )


@pytest.mark.parametrize("place", ["cluster", "connect"])
def test_elsewhere(place: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    table = awkward(tmp_path / "table", **STRUCTS)
    ours = log_copy(table, tmp_path / "process")
    here = checkpoint(ours, CLASSIC, now=int(time.time() * 1000))
    if place == "cluster":
        cluster: Cluster = request.getfixturevalue("cluster")
        where = ["--master", cluster.url]
    else:
        where = ["--remote", request.getfixturevalue("connect_url")]
    child = command(table, "--kind", "classic", "-o", "json", *where)
    out, err = child.communicate()
    assert child.returncode == 0, err.decode()
    assert json.loads(out)["checkpoint"]["parts"][0]["rows"] == len(actions(ours, here))
    assert actions(table, here) == actions(ours, here)
    assert_no_litter(table)


def test_ctrl_c_leaves_nothing(tmp_path: Path) -> None:
    table = log_copy(GOLDEN / "many_ops_history" / "delta", tmp_path / "table")
    before = sorted(path.name for path in (table / "_delta_log").iterdir())
    with spark_cluster.cluster(tmp_path / "cluster", workers=0) as empty:
        child = command(table, "--master", empty.url)
        end = time.monotonic() + spark_cluster.PATIENCE
        while "Registered app" not in empty.master.log.read_text(encoding="utf-8"):
            assert time.monotonic() < end
            assert child.poll() is None
            time.sleep(0.2)
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate()
    assert (child.returncode, out) == (130, b"")
    assert b"interrupted; nothing was written" in err
    assert sorted(path.name for path in (table / "_delta_log").iterdir()) == before


def test_killed_at_each_step_of_putting(runner: JobRunner, tmp_path: Path) -> None:
    """What Spark made is recorded, and put again and again by programs that are killed."""
    table, record = awkward(tmp_path / "table"), tmp_path / "record"
    checkpoint(table, PARTS, Records(runner, record))
    for path in (table / "_delta_log").glob("*checkpoint*"):
        path.unlink()
    here = Path(__file__).parent
    paths = [here.parent.parent, here.parent, here.parent / "faults", here]
    child = subprocess.run(
        [sys.executable, here / "spark_checkpoint_kills.py", tmp_path / "kills", table, record],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    steps = json.loads(child.stdout)
    assert steps.count("link") == 3, "three parts that are put if absent"
    expected = None
    for folder in sorted((tmp_path / "kills").iterdir()):
        log = folder / "table" / "_delta_log"
        parts = sorted(path.name for path in log.glob("*.checkpoint.*.parquet"))
        hint = log / "_last_checkpoint"
        assert not hint.exists() or len(parts) == 3, "the hint comes last"
        for version in range(3):
            assert (log / f"{version:020d}.json").is_file()
        again = checkpoint(
            folder / "table", CheckpointRequest(CheckpointKind.MULTIPART, parts=3, repair=True)
        )
        assert again.error is None
        found = actions(folder / "table", again)
        assert found == (expected or found)
        expected = found


class Records:
    """Keeps what a job writes and says, for others to say again."""

    place = "Spark"

    def __init__(self, runner: JobRunner, record: Path) -> None:
        self._runner = runner
        self._record = record

    def run(self, job: Job) -> Any:
        made = self._runner.run(job)
        target = job.params["target"].removeprefix("file://")
        shutil.copytree(target, self._record / "files")
        (self._record / "result.json").write_text(json.dumps(made))
        return made
