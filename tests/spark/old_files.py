"""A table of several files that hold its only column in an old type, and what it must be after."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from full_tables import commit, newest

from deltactl.changes.executor import Planner
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.operations.prune.prune_type_changes import FileScan, plan_prune
from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds
from deltactl.table.table import open_table

FILES, ROWS = 8, 5


def write(path: Path, files: int = FILES) -> Path:
    """Make the table: files with int32 below a column that says it is long."""
    (path / "_delta_log").mkdir(parents=True)
    change = {"fromType": "integer", "toType": "long", "tableVersion": 0}
    field = {"name": "v", "type": "long", "nullable": True}
    schema = {"type": "struct", "fields": [{**field, "metadata": {"delta.typeChanges": [change]}}]}
    features = {"readerFeatures": ["typeWidening"], "writerFeatures": ["typeWidening"]}
    actions: list[dict[str, Any]] = [
        {"commitInfo": {"timestamp": 1, "operation": "WRITE", "operationParameters": {}}},
        {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}},
        {
            "metaData": {
                "id": "5f3c3f0e-2f6b-4d0e-9a57-6f1f7c1d0002",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": json.dumps(schema),
                "partitionColumns": [],
                "configuration": {"delta.enableTypeWidening": "true"},
            }
        },
    ]
    for number in range(files):
        file = path / f"{number}.parquet"
        values = pa.array(range(number * ROWS, (number + 1) * ROWS), pa.int32())
        pq.write_table(pa.table({"v": values}), file)
        add = {"path": file.name, "partitionValues": {}, "size": file.stat().st_size}
        stats = json.dumps({"numRecords": ROWS})
        actions.append({"add": {**add, "modificationTime": 1, "dataChange": True, "stats": stats}})
    text = "\n".join(map(json.dumps, actions))
    (path / "_delta_log" / f"{0:020d}.json").write_text(f"{text}\n", encoding="utf-8")
    return path


def check(table: Path, files: int = FILES, *, done: bool) -> int:
    """Every version is whole, and has every row once; the number of files that are rewritten."""
    for version in range(1, newest(table) + 1):
        kinds = sorted(next(iter(action)) for action in commit(table, version))
        assert kinds in (["add", "commitInfo", "remove"], ["commitInfo", "metaData"])
    snapshot = open_table(str(table)).snapshot()
    assert ("delta.typeChanges" not in (snapshot.metadata.schema_string or "")) == done
    tables = [pq.read_table(table / add.path) for add in live_adds(prepare_state(snapshot))]
    values = sorted(value for one in tables for value in one.column("v").to_pylist())
    assert values == list(range(files * ROWS))
    return sum(one.schema.field("v").type == pa.int64() for one in tables)


def pruning(*columns: str, batch: int | None = 3) -> Planner:
    """The planner of `prune-type-changes`; with a `batch` that of `--rewrite`."""
    footers = FooterScanner()
    files = FileScan(footers.scan, footers.old_files, batch)
    return lambda draft: plan_prune(draft, columns, files)
