import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checkpoints import UUID, classic, parquet
from small_tables import LEGACY, Action, commit_info, field, metadata, protocol, write_log

from deltactl.errors import BrokenLogError
from deltactl.log.filenames import LOG
from deltactl.operations.inspect.files import report_files
from deltactl.operations.inspect.show import report_show
from deltactl.operations.protocol.show import report_protocol
from deltactl.storage.local.local import LocalStorage
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.table import Table, open_table
from deltactl.verify.quick import quick_findings

CLUSTERED = protocol(writer=["domainMetadata", "clustering"])
METADATA = metadata(field("a", "integer"))
CLUSTERING: Action = {
    "domainMetadata": {
        "domain": "delta.clustering",
        "configuration": '{"clusteringColumns":[["a"]]}',
        "removed": False,
    }
}
STATS = '{"numRecords":4}'
CHECKPOINT = f"{2:020d}.checkpoint.parquet"


def add(number: int) -> Action:
    fields = {"path": f"part-{number}.parquet", "partitionValues": {}, "size": 500}
    return {"add": {**fields, "modificationTime": 1, "dataChange": True, "stats": STATS}}


CREATE = [commit_info(), CLUSTERED, METADATA, CLUSTERING]
APPENDS = [[commit_info(), add(number)] for number in (1, 2, 3)]
ROWS = [CLUSTERED, METADATA, CLUSTERING, add(1), add(2)]
WHOLE = parquet(ROWS)
ROTTEN = parquet(ROWS, compression="none", write_page_checksum=True).replace(b"integer", b"inteGer")
DAMAGED = {
    "garbage": b"garbage",
    "cut off": WHOLE[:300],
    "footer lost": WHOLE[:-8] + b"\0" * 8,
    "a bit of the schema": ROTTEN,
}


@pytest.fixture(params=[*DAMAGED.values()], ids=[*DAMAGED])
def damaged(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A clustered table of three files whose checkpoint at version 2 cannot be read."""
    hint = {"_last_checkpoint": b'{"version":2,"size":5}'}
    return write_log(tmp_path, [CREATE, *APPENDS], others={CHECKPOINT: request.param, **hint})


def active(report: Any) -> dict[str, bool | None]:
    return {row.name: row.is_active for row in report.features}


def test_without_older_files_the_checkpoint_must_come_from_a_copy(
    damaged: str, tmp_path: Path
) -> None:
    os.remove(tmp_path / LOG / f"{0:020d}.json")
    with pytest.raises(BrokenLogError) as caught:
        report_show(open_table(damaged))
    assert caught.value.code == "CHECKPOINT_UNREADABLE"
    assert not caught.value.message.endswith(".")
    expected = f"deltactl log TABLE shows the log; {CHECKPOINT} must be restored from a copy"
    assert caught.value.hint == expected


def test_the_protocol_of_a_clustered_table_is_known_from_its_commits(damaged: str) -> None:
    report = report_protocol(open_table(damaged))
    assert report.version == 3
    assert active(report) == {"domainMetadata": True, "clustering": True}


def test_the_protocol_of_a_clustered_table_is_known_from_a_newer_commit(tmp_path: Path) -> None:
    again = [commit_info(), CLUSTERED, METADATA]
    path = write_log(tmp_path, [CREATE, *APPENDS, again], others={CHECKPOINT: b"garbage"})
    report = report_protocol(open_table(path))
    assert report.version == 4
    assert active(report) == {"domainMetadata": True, "clustering": True}


def test_clustering_that_was_removed_after_the_checkpoint_is_not_active(tmp_path: Path) -> None:
    gone = {"domainMetadata": {**CLUSTERING["domainMetadata"], "removed": True}}
    commits = [CREATE, *APPENDS, [commit_info(), gone]]
    path = write_log(tmp_path, commits, others={CHECKPOINT: WHOLE})
    assert active(report_protocol(open_table(path))) == {
        "domainMetadata": True,
        "clustering": False,
    }


def test_a_checkpoint_that_was_not_read_is_not_shown(damaged: str) -> None:
    report = report_show(open_table(damaged), check=quick_findings)
    body = report.body()
    assert body["version"] == 3
    assert body["checkpoint"] is None
    assert body["files"]["count"] == 3
    assert body["files"]["records"] == 12
    assert [notice.code for notice in report.warnings] == ["CHECKPOINT_UNREADABLE"]
    codes = [finding["code"] for finding in body["health"]]
    assert codes == ["CHECKPOINT_UNREADABLE"]


def test_a_checkpoint_that_only_the_files_need_is_not_shown_where_it_is_damaged(
    tmp_path: Path,
) -> None:
    # Protocol and metadata stand above the checkpoint, so nothing but the files asks for it.
    again = [commit_info(), CLUSTERED, METADATA]
    path = write_log(tmp_path, [CREATE, *APPENDS, again], others={CHECKPOINT: b"garbage"})
    report = report_show(open_table(path))
    assert report.body()["checkpoint"] is None
    assert report.body()["files"]["count"] == 3
    assert [notice.code for notice in report.warnings] == ["CHECKPOINT_UNREADABLE"]


def test_the_older_checkpoint_that_was_read_is_shown(tmp_path: Path) -> None:
    older = classic(1, [CLUSTERED, METADATA, CLUSTERING, add(1)])
    others = {**older, CHECKPOINT: b"garbage"}
    report = report_show(open_table(write_log(tmp_path, [CREATE, *APPENDS], others=others)))
    assert report.body()["checkpoint"] == {"version": 1, "kind": "classic", "parts": 1}
    assert report.body()["files"]["count"] == 3


def with_sidecars(root: Path, *sizes: int) -> str:
    """A V2 checkpoint of version 0 with one file in each sidecar, which say to be so large."""
    pointers = [
        {"sidecar": {"path": f"{number}.parquet", "sizeInBytes": size}}
        for number, size in enumerate(sizes)
    ]
    v2 = protocol(reader=["v2Checkpoint"])
    top = parquet([{"txn": {"appId": "a", "version": 1}}, v2, METADATA, *pointers])
    others = {f"{0:020d}.checkpoint.{UUID}.parquet": top}
    for number in range(len(sizes)):
        others[f"_sidecars/{number}.parquet"] = parquet([add(number)])
    return write_log(root, [[commit_info(), v2, METADATA]], others=others)


def test_sidecars_count_in_the_size_of_their_checkpoint(tmp_path: Path) -> None:
    path = with_sidecars(tmp_path, 1_000_000, 2_000_000)
    (checkpoint,) = open_table(path).log.listing().checkpoints
    reader = CheckpointReader(LocalStorage(path), checkpoint)
    assert reader.size - checkpoint.size == 3_000_000


@pytest.mark.parametrize(("mebibytes", "records"), [(1, 8), (5, None)])
def test_rows_are_counted_unasked_only_where_the_sidecars_are_small(
    tmp_path: Path, mebibytes: int, records: int | None
) -> None:
    path = with_sidecars(tmp_path, mebibytes << 20, mebibytes << 20)
    assert report_show(open_table(path)).body()["files"]["records"] == records
    assert report_show(open_table(path), rows=True).body()["files"]["records"] == 8


def test_a_table_without_a_checkpoint_shows_none(tmp_path: Path) -> None:
    path = write_log(tmp_path, [[commit_info(), LEGACY, METADATA]])
    assert report_show(open_table(path)).body()["checkpoint"] is None


def half_readable(*heads: Action) -> dict[str, bytes]:
    """A checkpoint of version 2 in two parts, of which the one with the files is damaged."""
    part = f"{2:020d}.checkpoint.{{:010d}}.{2:010d}.parquet"
    return {part.format(1): parquet(list(heads)), part.format(2): b"garbage"}


@pytest.mark.parametrize(
    "heads",
    [(CLUSTERED, metadata(field("b", "integer"))), (LEGACY, METADATA)],
    ids=["metadata", "protocol"],
)
@pytest.mark.parametrize("read", [report_show, report_files])
def test_files_are_not_mixed_with_what_a_damaged_checkpoint_says(
    tmp_path: Path, read: Callable[[Table], Any], heads: tuple[Action, Action]
) -> None:
    path = write_log(tmp_path, [CREATE, *APPENDS], others=half_readable(*heads))
    with pytest.raises(BrokenLogError) as raised:
        read(open_table(path))
    assert raised.value.code == "CHECKPOINT_UNREADABLE"
    name = f"{2:020d}.checkpoint.{1:010d}.{2:010d}.parquet"
    assert raised.value.message == (
        f"checkpoint {name} cannot be read to its end, and older files do not have its protocol "
        "and metaData"
    )
    assert raised.value.hint == "deltactl verify-checksum TABLE --repair"


def test_commits_stand_in_for_a_checkpoint_that_says_the_same(tmp_path: Path) -> None:
    path = write_log(tmp_path, [CREATE, *APPENDS], others=half_readable(CLUSTERED, METADATA))
    report = report_show(open_table(path))
    assert report.body()["files"]["count"] == 3
    assert [notice.code for notice in report.warnings] == ["CHECKPOINT_UNREADABLE"]


@pytest.mark.parametrize("pointer", [{"path": None, "sizeInBytes": 9}, {"sizeInBytes": 9}])
def test_a_sidecar_without_a_path_loses_no_file(tmp_path: Path, pointer: Action) -> None:
    v2 = protocol(reader=["v2Checkpoint"])
    rows = pq.read_table(BytesIO(parquet([v2, METADATA, {"txn": {"appId": "a", "version": 1}}])))
    types = {"path": pa.string(), "sizeInBytes": pa.int64()}
    kind = pa.struct([(key, types[key]) for key in pointer])
    sink = BytesIO()
    pq.write_table(
        rows.drop_columns("sidecar").append_column(
            "sidecar", pa.array([None, None, pointer], kind)
        ),
        sink,
    )
    top = {f"{1:020d}.checkpoint.{UUID}.parquet": sink.getvalue()}
    commits = [[commit_info(), v2, METADATA], [commit_info(), add(1)]]
    report = report_show(open_table(write_log(tmp_path, commits, others=top)))
    assert report.body()["files"]["count"] == 1
    assert [notice.code for notice in report.warnings] == ["CHECKPOINT_UNREADABLE"]
