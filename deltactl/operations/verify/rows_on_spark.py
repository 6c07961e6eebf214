"""Data files against the log, and rows against their rules, by one job on Spark."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import pyarrow as pa

from deltactl.log.file_table import records
from deltactl.log.verify.finding import Finding, Severity
from deltactl.model import types
from deltactl.model.actions import Metadata, Protocol
from deltactl.model.column_mapping import physical_path
from deltactl.model.condition_text import COLLATIONS
from deltactl.model.schema import Node, parse_schema, walk
from deltactl.model.types import Array, DataType, Decimal, Map, Struct
from deltactl.operations.jobs import Job, JobRunner
from deltactl.operations.rows.sql import quoted_path
from deltactl.operations.verify import data_files
from deltactl.operations.verify.data_files import DataFile
from deltactl.operations.verify.gathered import Findings
from deltactl.operations.verify.row_rules import (
    Identity,
    identities,
    is_in_structs_only,
    rules_in_force,
)
from deltactl.storage.base import Storage

FILES, ROWS = "data files", "rows"
# So many faults of one kind come back from the job; of the rest it says how many there are.
LIMIT = 1000
_SUSPECT = "SUSPECT"
_WHY = "--engine spark asks for it"
_BOUNDED = (
    types.BYTE, types.SHORT, types.INTEGER, types.LONG, types.FLOAT, types.DOUBLE, types.STRING,
    types.DATE, types.TIMESTAMP, types.TIMESTAMP_NTZ,
)  # fmt: skip


class Version(NamedTuple):
    """What is to be looked at; `left_out` are files that cannot be read, as was found before."""

    storage: Storage
    number: int
    metadata: Metadata
    protocol: Protocol
    left_out: Collection[str]


def check_rows(
    runner: JobRunner,
    version: Version,
    batches: Iterable[pa.RecordBatch],
    findings: Findings,
) -> None:
    """Look at every file and every row of the version; `batches` are its live files.

    Raises:
        SparkError: Spark is not there, or the job failed.
    """
    schema = parse_schema(version.metadata.schema_string or '{"type":"struct","fields":[]}')
    kept = list(batches)
    found_identities = list(identities(schema, version.protocol))
    params = {
        "table": version.storage.uri,
        "version": version.number,
        "columns": list(_columns(schema, version.metadata)),
        "rules": [
            rule._asdict() for rule in rules_in_force(schema, version.metadata, version.protocol)
        ],
        "identities": [identity._asdict() for identity in found_identities],
        "left_out": sorted(version.left_out),
        "limit": LIMIT,
    }
    files = sum(batch.num_rows for batch in kept)
    size = sum(chain.from_iterable(batch.column("size").to_pylist() for batch in kept))
    result = runner.run(Job("verify", params, _WHY, files=files, size=size))
    of_files, of_rows = findings.check(FILES), findings.check(ROWS)
    of_files.subjects += result["files"]
    of_rows.subjects += result["rows"]
    suspects: dict[str, tuple[str | None, str | None]] = {
        path: (said, held) for code, path, _, said, held in result["faults"] if code == _SUSPECT
    }
    suspects |= dict.fromkeys(version.left_out, (None, None))
    findings.take(FILES, _looked_at(version, kept, suspects))
    findings.take(ROWS, _of_rows(result["faults"]))
    findings.take(ROWS, _of_identities(found_identities, result["identities"]))
    for code, number in result["counts"].items():
        check = of_files if code == _SUSPECT else of_rows
        check.findings += max(0, number - LIMIT)


def _columns(schema: Struct, metadata: Metadata) -> Iterator[dict[str, Any]]:
    """The columns of which the log has statistics, if it has any."""
    partitions = {name.casefold() for name in metadata.partition_columns}
    for node in walk(schema):
        is_part = isinstance(node.type, Struct | Array | Map)
        if is_part or node.path[0].casefold() in partitions:
            continue
        if not is_in_structs_only(schema, node):
            continue
        yield {
            "name": str(node),
            "sql": quoted_path(node.path),
            "physical": list(physical_path(schema, node)),
            "bounds": _has_bounds(node),
            "floating": node.type in (types.FLOAT, types.DOUBLE),
            "double": node.type == types.DOUBLE,
            "instant": node.type in (types.TIMESTAMP, types.TIMESTAMP_NTZ),
        }


def _has_bounds(node: Node) -> bool:
    """Whether its values have one order in every engine."""
    kind: DataType = node.type
    in_order = kind in _BOUNDED or isinstance(kind, Decimal)
    return in_order and COLLATIONS not in node.field.metadata


def _looked_at(
    version: Version,
    batches: Iterable[pa.RecordBatch],
    suspects: Mapping[str, tuple[str | None, str | None]],
) -> Iterator[Finding]:
    """What is wrong with the files of which the log and Spark say different things."""
    if not suspects:
        return
    table = data_files.Table(version.metadata)
    for batch in batches:
        rows = zip(
            batch.column("path").to_pylist(),
            batch.column("size").to_pylist(),
            records(batch).to_pylist(),
            batch.column("storageType").is_valid().to_pylist(),
            strict=True,
        )
        for path, size, number, has_vector in rows:
            if path not in suspects:
                continue
            said, held = suspects[path]
            file = DataFile(path, size or 0, number, None, has_vector)
            found = data_files.look(version.storage, table, file)
            yield from found
            if not found and said is not None and said != (held or "0"):
                counts = f"{said} rows that are not deleted", f"{held or 0} rows"
                yield Finding("DATA_FILE_ROWS", path, *counts)


def _of_rows(faults: Iterable[tuple[str, str, str, str, str]]) -> Iterator[Finding]:
    for code, path, place, expected, found in faults:
        if code != _SUSPECT:
            repairable = code == "FLOAT_STATISTICS"
            subject = f"{path}: {place}"
            yield Finding(code, subject, expected or "", found or "", repairable=repairable)


def _of_identities(
    columns: Iterable[Identity], results: Iterable[tuple[int | None, int | None, int, int]]
) -> Iterator[Finding]:
    for column, (low, high, number, different) in zip(columns, results, strict=True):
        # Who may write values of his own may write the same twice.
        severity = Severity.WARNING if column.takes_values else Severity.ERROR
        if number != different:
            yield Finding(
                "IDENTITY_DUPLICATE",
                column.name,
                f"{number} different values",
                f"{different}",
                severity,
            )
        last = high if column.step > 0 else low
        if last is None:
            continue
        mark = column.mark
        if mark is None or (last - mark) * column.step > 0:
            yield Finding(
                "IDENTITY_ABOVE_MARK",
                column.name,
                f"no value beyond the high-water mark, {'none' if mark is None else mark}",
                f"{last}",
                severity,
            )
