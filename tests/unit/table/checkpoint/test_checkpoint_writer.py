"""Checkpoints as they are written, and that one which reads back wrong is refused."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from checkpoints import Action, Files, classic, multipart, parquet
from small_tables import LEGACY, field, metadata, protocol, write_log

from deltactl.errors import StorageError
from deltactl.log.checkpoint.checkpoint_schema import checkpoint_schema
from deltactl.log.filenames import LOG, CheckpointKind
from deltactl.log.segment import arrange
from deltactl.storage.local.local import LocalStorage
from deltactl.table.checkpoint import checkpoint_writer
from deltactl.table.checkpoint.checkpoint_writer import (
    Layout,
    Retention,
    WrittenCheckpoint,
    check,
    write,
)
from deltactl.table.checkpoint.contents import Contents, contents_of
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.state.files import read_state
from deltactl.table.table import open_table

NOW = 1_767_322_800_000
V2 = protocol(reader=["v2Checkpoint"])
STEM = f"{LOG}/{0:020d}.checkpoint"
CLASSIC = Layout(0, CheckpointKind.CLASSIC, (f"{STEM}.parquet",))
KEEP_ALL = Retention(removes=0)


def add(number: int, **more: Any) -> Action:
    body = {"path": f"part-{number}", "partitionValues": {"p": "1"}, "size": 10 + number}
    return {"add": {**body, "modificationTime": 5, "dataChange": True, **more}}


ACTIONS: list[Action] = [
    LEGACY,
    metadata(field("a", "long"), field("p", "integer")),
    {"txn": {"appId": "job", "version": 4}},
    *map(add, range(5)),
    {"remove": {"path": "gone"}},
]


def table(root: Path, *actions: Action, head: Action = LEGACY) -> str:
    own = metadata(field("a", "long"), field("p", "integer"))
    own["metaData"]["partitionColumns"] = ["p"]
    return write_log(root, [[head, own, *actions]])


def written(
    uri: str, layout: Layout, folder: Path, retention: Retention = KEEP_ALL, **more: Any
) -> WrittenCheckpoint:
    results: list[WrittenCheckpoint] = []
    snapshot = open_table(uri).snapshot()
    schema = checkpoint_schema(
        snapshot.schema, snapshot.metadata.partition_columns, snapshot.configuration, ()
    )
    read_state(
        snapshot,
        lambda state: results.append(
            write(state, schema, layout, str(folder), retention, NOW, **more)
        ),
        keep_removes=True,
    )
    return results[-1]


def rows(result: WrittenCheckpoint) -> list[dict[str, Any]]:
    """All actions of the files that are parquet, without what is null."""
    found = []
    for file in result.files:
        if file.path.endswith(".parquet"):
            for row in pq.read_table(file.local_file).to_pylist():
                found.append({kind: body for kind, body in row.items() if body is not None})
    return found


def paths(result: WrittenCheckpoint, kind: str) -> list[str]:
    return sorted(row[kind]["path"] for row in rows(result) if kind in row)


def on_disk(folder: Path, files: Files) -> None:
    for name, content in files.items():
        path = folder / LOG / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def held(folder: Path) -> Contents:
    storage = LocalStorage(str(folder))
    (checkpoint,) = arrange(storage.list_from(LOG)).checkpoints
    return contents_of(CheckpointReader(storage, checkpoint))


def without(kind: str) -> list[Action]:
    place = next(n for n, action in enumerate(ACTIONS) if kind in action)
    return ACTIONS[:place] + ACTIONS[place + 1 :]


@pytest.fixture
def right(tmp_path: Path) -> Contents:
    """What the checkpoint should say."""
    on_disk(tmp_path / "right", classic(0, ACTIONS))
    return held(tmp_path / "right")


def test_a_checkpoint_that_reads_back_right(tmp_path: Path, right: Contents) -> None:
    check(str(tmp_path / "right"), right)
    on_disk(tmp_path / "parts", multipart(0, ACTIONS))
    check(str(tmp_path / "parts"), right)
    on_disk(tmp_path / "no tombstone", classic(0, without("remove")))
    check(str(tmp_path / "no tombstone"), right, tombstones=False)


DAMAGES: list[Callable[[], Files]] = [
    *(lambda kind=kind: classic(0, without(kind)) for kind in ("protocol", "metaData")),
    *(lambda kind=kind: classic(0, without(kind)) for kind in ("txn", "add", "remove")),
    lambda: classic(0, [*ACTIONS, add(5)]),
    lambda: classic(0, [*ACTIONS[:-2], add(4, size=15), ACTIONS[-1]]),
    lambda: {**classic(0, ACTIONS), **classic(1, ACTIONS)},
    lambda: dict(list(multipart(0, ACTIONS).items())[:2]),
    lambda: {f"{0:020d}.checkpoint.parquet": parquet(ACTIONS)[:-9]},
    lambda: {"other.parquet": b""},
]
NAMES = [
    "no-protocol", "no-metadata", "no-txn", "no-add", "no-remove", "one-more", "other-size", "two",
    "half", "torn", "none",
]  # fmt: skip


@pytest.mark.parametrize("files", DAMAGES, ids=NAMES)
def test_one_that_reads_back_wrong_is_refused(
    tmp_path: Path, right: Contents, files: Callable[[], Files]
) -> None:
    on_disk(tmp_path / "wrong", files())
    with pytest.raises(StorageError) as caught:
        check(str(tmp_path / "wrong"), right)
    assert caught.value.code == "CHECKPOINT_NOT_AS_WRITTEN"
    assert "nothing was written to the table" in caught.value.message


def test_what_was_written_is_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uri = table(tmp_path, add(0), add(1))
    monkeypatch.setattr(checkpoint_writer._Spread, "add", lambda spread, rows: None)
    with pytest.raises(StorageError) as caught:
        written(uri, CLASSIC, tmp_path / "made")
    assert caught.value.code == "CHECKPOINT_NOT_AS_WRITTEN"


def test_everything_of_the_table_is_in_one_file(tmp_path: Path) -> None:
    uri = table(tmp_path, add(0), add(1), {"remove": {"path": "gone", "deletionTimestamp": 7}})
    result = written(uri, CLASSIC, tmp_path / "made")
    (file,) = result.files
    assert (file.path, file.rows, result.adds) == (CLASSIC.files[0], 5, 2)
    assert file.size == os.path.getsize(file.local_file)
    assert paths(result, "add") == ["part-0", "part-1"]
    assert paths(result, "remove") == ["gone"]
    assert [next(iter(row)) for row in rows(result)[:2]] == ["protocol", "metaData"]


def test_old_tombstones_and_transactions_are_left_out(tmp_path: Path) -> None:
    actions = [
        *({"remove": {"path": f"r{time}", "deletionTimestamp": time}} for time in (6, 7, 8)),
        *({"txn": {"appId": f"t{time}", "version": 1, "lastUpdated": time}} for time in (6, 7, 8)),
        {"txn": {"appId": "timeless", "version": 1}},
    ]
    uri = table(tmp_path, *actions)
    found = rows(written(uri, CLASSIC, tmp_path / "made", Retention(removes=7, transactions=7)))
    assert [row["remove"]["path"] for row in found if "remove" in row] == ["r8"]
    assert [row["txn"]["appId"] for row in found if "txn" in row] == ["t8"]
    kept = rows(written(uri, CLASSIC, tmp_path / "all", Retention(removes=0)))
    assert [row["txn"]["appId"] for row in kept if "txn" in row] == ["t6", "t7", "t8", "timeless"]


def test_parts_share_the_files_and_each_of_them_is_written(tmp_path: Path) -> None:
    uri = table(tmp_path, *map(add, range(20)))
    names = tuple(f"{STEM}.{part:010d}.{3:010d}.parquet" for part in (1, 2, 3))
    result = written(uri, Layout(0, CheckpointKind.MULTIPART, names), tmp_path / "made")
    assert tuple(file.path for file in result.files) == names
    assert sum(file.rows for file in result.files) == 22
    assert paths(result, "add") == sorted(f"part-{number}" for number in range(20))
    assert all(2 < file.rows < 20 for file in result.files)


@pytest.mark.parametrize(
    ("files", "a_file", "expected"),
    [
        (5, 3, [3, 2]),
        (6, 3, [3, 3]),
        (7, 3, [3, 4]),  # the last one takes what is left
        (3, 3, [3]),  # one that would be empty is not needed
        (2, 3, [2]),
        (2, 1, [1, 1]),
    ],
)
def test_sidecars_are_filled_one_after_the_other(
    tmp_path: Path, files: int, a_file: int, expected: list[int]
) -> None:
    uri = table(tmp_path, *map(add, range(files)), head=V2)
    names = tuple(f"{LOG}/_sidecars/{name}.parquet" for name in ("one", "two"))
    top = f"{STEM}.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    layout = Layout(0, CheckpointKind.V2, names, top, a_file)
    *sidecars, last = written(uri, layout, tmp_path / "made").files
    assert [file.rows for file in sidecars] == expected
    assert last.path == top
    lines = [json.loads(line) for line in Path(last.local_file).read_text().splitlines()]
    assert lines[0]["checkpointMetadata"] == {
        "version": 0,
        "tags": {
            "sidecarNumActions": str(files),
            "sidecarSizeInBytes": str(sum(file.size for file in sidecars)),
            "numOfAddFiles": str(files),
        },
    }
    assert [line["sidecar"]["sizeInBytes"] for line in lines if "sidecar" in line] == [
        file.size for file in sidecars
    ]
    assert [next(iter(line)) for line in lines[-2:]] == ["protocol", "metaData"]


def test_tombstones_fill_the_sidecar_that_files_left_unfilled(tmp_path: Path) -> None:
    removes = ({"remove": {"path": f"r{n}", "deletionTimestamp": 7}} for n in range(3))
    uri = table(tmp_path, add(0), add(1), *removes, head=V2)
    names = tuple(f"{LOG}/_sidecars/{name}.parquet" for name in ("one", "two"))
    top = f"{STEM}.80a083e8-7026-4e79-81be-64bd76c43a11.json"
    layout = Layout(0, CheckpointKind.V2, names, top, 3)
    *sidecars, _ = written(uri, layout, tmp_path / "made").files
    assert [file.rows for file in sidecars] == [3, 2]


V2_TOP = f"{STEM}.80a083e8-7026-4e79-81be-64bd76c43a11"
SIDECARS = (f"{LOG}/_sidecars/one.parquet",)


@pytest.mark.parametrize(
    ("layout", "head"),
    [(CLASSIC, LEGACY), (Layout(0, CheckpointKind.V2, SIDECARS, f"{V2_TOP}.parquet"), V2)],
    ids=["classic", "v2"],
)
def test_files_have_the_types_of_parquet_alone(
    tmp_path: Path, layout: Layout, head: Action
) -> None:
    uri = table(tmp_path, add(0), head=head)
    files = written(uri, layout, tmp_path / "made").files
    assert [file.path for file in files] == list(layout.paths)
    noted = [pq.read_metadata(file.local_file).metadata for file in files]
    assert noted == [None] * len(files), "Arrow's schema says the same again, for Arrow alone"


def test_columns_in_which_values_repeat_have_dictionaries(tmp_path: Path) -> None:
    stats = '{"numRecords":1,"minValues":{"a":1},"maxValues":{"a":1},"nullCount":{"a":0}}'
    uri = table(tmp_path, *(add(number, stats=stats, tags={"k": "v"}) for number in range(9)))
    (file,) = written(uri, CLASSIC, tmp_path / "made").files
    footer = pq.ParquetFile(file.local_file).metadata
    group = footer.row_group(footer.num_row_groups - 1)
    columns = [group.column(place) for place in range(group.num_columns)]
    held = {column.path_in_schema for column in columns if "RLE_DICTIONARY" in column.encodings}
    assert {name.replace("key_value", "kv") for name in held if name.startswith("add.")} == {
        "add.partitionValues.kv.key",
        "add.partitionValues.kv.value",
        "add.partitionValues_parsed.p",
        "add.stats_parsed.nullCount.a",
        "add.tags.kv.key",
        "add.tags.kv.value",
    }
    assert "add.path" in {column.path_in_schema for column in columns}


def test_files_that_an_interrupted_run_left_complete_the_checkpoint(tmp_path: Path) -> None:
    uri = table(tmp_path, *map(add, range(20)))
    names = tuple(f"{STEM}.{part:010d}.{2:010d}.parquet" for part in (1, 2))
    layout = Layout(0, CheckpointKind.MULTIPART, names)
    first = written(uri, layout, tmp_path / "first")
    left = Path(uri, names[0])
    left.write_bytes(Path(first.files[0].local_file).read_bytes())
    again = written(uri, layout, tmp_path / "again", there=frozenset(names[:1]))
    folders = [os.path.relpath(f.local_file, tmp_path / "again") for f in again.files]
    assert folders == [f"completed/{names[0]}", names[1]]
    assert [file.rows for file in again.files] == [file.rows for file in first.files]
    # One of another writer does not fit, so that ours are put.
    left.write_bytes(Path(first.files[1].local_file).read_bytes())
    other = written(uri, layout, tmp_path / "other", there=frozenset(names[:1]))
    folders = [os.path.relpath(f.local_file, tmp_path / "other") for f in other.files]
    assert folders == [names[0], names[1]]


@pytest.mark.parametrize("time", ["7", 7.5, True, None])
def test_a_tombstone_with_an_odd_time_has_expired(tmp_path: Path, time: Any) -> None:
    removes = [{"remove": {"path": "odd", "deletionTimestamp": time}},
               {"remove": {"path": "timeless"}},
               {"remove": {"path": "r", "deletionTimestamp": 8}}]  # fmt: skip
    uri = table(tmp_path, *removes)
    assert paths(written(uri, CLASSIC, tmp_path / "made"), "remove") == ["r"]
