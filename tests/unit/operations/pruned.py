"""Small tables with real files whose columns were widened, and plans to forget that."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from small_tables import Action, Field, field
from widened import NOW, change

from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.changes.report_rows import PhysicalColumn
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.operations.prune.prune_type_changes import FileScan, plan_prune
from deltactl.table.table import open_table

INT, LONG = pa.int32(), pa.int64()


def widened(name: str, data_type: Any, *old: str, path: str | None = None, **more: Any) -> Field:
    """A field of the type, which was each of the `old` types before, since version 1 on."""
    new = data_type if path is None else "integer"
    steps = zip(old, (*old[1:], new), strict=True)
    changes = [change(a, b, path, version) for version, (a, b) in enumerate(steps, start=1)]
    return field(name, data_type, **{"delta.typeChanges": changes}, **more)


def add(path: str, **more: Any) -> Action:
    body = {"path": path, "partitionValues": {}, "size": 700, "modificationTime": 5}
    return {"add": {**body, "dataChange": True, **more}}


def part(
    root: Path, path: str, columns: Mapping[str, Any] | Iterable[pa.Field], **more: Any
) -> Action:
    """Write a file with columns of these types, and no rows, and return its add."""
    schema = pa.schema(columns)
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(schema.empty_table(), file, **more.pop("options", {}))
    return add(path, **more)


def plan(
    uri: str, *columns: str, footers: FooterScanner | None = None, batch: int | None = None
) -> Plan:
    """The plan for the table as it is now."""
    draft = Draft(open_table(uri).snapshot(), now=NOW, fresh=lambda prefix, what: prefix)
    return prune(draft, *columns, footers=footers or FooterScanner(), batch=batch)


def prune(draft: Draft, *columns: str, footers: FooterScanner, batch: int | None = None) -> Plan:
    return plan_prune(draft, columns, FileScan(footers.scan, footers.old_files, batch))


def held(plan: Plan) -> dict[str, dict[str | None, int]]:
    """The number of files by the type in which they hold each column."""
    return {row.path: {t["type"]: t["files"] for t in row.types} for row in rows(plan)}


def rows(plan: Plan) -> Sequence[PhysicalColumn]:
    assert plan.columns is not None
    return plan.columns


def remembering(plan: Plan) -> bool:
    """Whether a field of the table that the plan makes still has type changes."""
    assert plan.metadata is not None
    assert plan.metadata.schema_string is not None
    return "delta.typeChanges" in plan.metadata.schema_string
