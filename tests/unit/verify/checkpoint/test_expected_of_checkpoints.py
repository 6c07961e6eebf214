"""What a checkpoint is compared with: an older checkpoint, and the commits above that."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from in_process import say
from small_tables import commit_info, field, metadata, protocol, write_log

from deltactl.table.table import open_table
from deltactl.verify.report import report_verify

MARK = {
    "domain": "delta.rowTracking",
    "configuration": '{"rowIdHighWaterMark":4}',
    "removed": False,
}


def add(stats: str) -> dict[str, object]:
    return {
        "add": {
            "path": "a.parquet",
            "partitionValues": {},
            "size": 9,
            "modificationTime": 1,
            "dataChange": True,
            "stats": stats,
            "baseRowId": 0,
            "defaultRowCommitVersion": 0,
        }
    }


def test_row_ids_below_the_mark_of_the_older_checkpoint_are_no_damage(tmp_path: Path) -> None:
    """A file that is added again, with new statistics, keeps its row ids; the mark stays."""
    table = tmp_path / "table"
    table.mkdir()
    features = protocol(writer=["domainMetadata", "rowTracking"])
    first = [commit_info(), features, metadata(field("a", "long")), {"domainMetadata": MARK}]
    write_log(
        table,
        [[*first, add('{"numRecords":5}')], [commit_info(), add('{"numRecords":5,"x":1}')]],
    )
    for version in ("0", "1"):
        said = say(["checkpoint", str(table), "--at", version, "-o", "json"])
        assert said.exit_code == 0
    (table / "_delta_log" / "_last_checkpoint").unlink()
    path = table / "_delta_log" / f"{1:020d}.checkpoint.parquet"
    rows = pq.read_table(path)
    wrong = rows.to_pylist()
    next(row["add"] for row in wrong if row["add"])["size"] = 8
    pq.write_table(pa.Table.from_pylist(wrong, rows.schema), path)

    (finding,) = [finding for _, finding in report_verify(open_table(str(table))).findings]
    assert finding.code == "CHECKPOINT_FILE_DIFFERS"
    assert (finding.expected, finding.repairable) == ("the files of the commits", True)
