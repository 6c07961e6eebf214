"""Rows against the log and against their rules, by one job on Spark."""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from deltactl.changes.jobs import Job, JobRunner
from deltactl.findings import Finding, Severity
from deltactl.log.paths import canonical
from deltactl.operations.row_checks.sql import quoted_path
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.keys import COLLATIONS
from deltactl.spec.schema import types
from deltactl.spec.schema.column_mapping import physical_path
from deltactl.spec.schema.schema import Node, parse_schema, walk
from deltactl.spec.schema.types import Array, DataType, Decimal, Map, Struct
from deltactl.storage.base import Storage
from deltactl.verify.data.row_rules import Identity, identities, is_in_structs_only, rules_in_force
from deltactl.verify.findings import Findings

FILES, ROWS = "data files", "rows"
# So many faults of one kind come back from the job; of the rest it says how many there are.
LIMIT = 1000
_SUSPECT = "SUSPECT"
# What the footer says may be why Spark finds other rows than the log.
_SAY_WHY = frozenset(
    {
        "DATA_FILE_MISSING",
        "DATA_FILE_UNREADABLE",
        "DATA_FILE_ROWS",
        "DATA_FILE_TYPE",
        "DATA_FILE_FIELD_IDS",
    }
)
_WHY = "--engine spark asks for it"
_BOUNDED = (
    types.BYTE, types.SHORT, types.INTEGER, types.LONG, types.FLOAT, types.DOUBLE, types.STRING,
    types.DATE, types.TIMESTAMP, types.TIMESTAMP_NTZ,
)  # fmt: skip


# The code, the path, the place in the file, what was expected, and what was found.
_Fault = tuple[str, str, str, str | None, str | None]


class VerifiedVersion(NamedTuple):
    """What is to be looked at; `left_out` are files that cannot be read, as was found before."""

    storage: Storage
    number: int
    metadata: Metadata
    protocol: Protocol
    left_out: Collection[str]


@dataclass
class Known:
    """What the footers said before Spark looks at rows."""

    found: set[tuple[str, str]] = field(default_factory=set)
    explained: set[str] = field(default_factory=set)
    of_other_size: list[str] = field(default_factory=list)

    def noting(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings, each noted."""
        for finding in findings:
            self.found.add((finding.code, finding.subject))
            path = finding.subject.partition(": ")[0]
            if finding.code in _SAY_WHY:
                self.explained.add(path)
            if finding.code == "DATA_FILE_SIZE":
                self.of_other_size.append(path)
            yield finding


def check_rows(
    runner: JobRunner,
    version: VerifiedVersion,
    batches: Iterable[pa.RecordBatch],
    findings: Findings,
    known: Known,
) -> None:
    """Look at every row of the version; `batches` are its live files.

    Nothing is said again that is `known`.

    Raises:
        SparkError: Spark is not there, or the job failed.
        StorageError: the store does not answer.
    """
    schema = parse_schema(version.metadata.schema_string or '{"type":"struct","fields":[]}')
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
        # Spark takes the size from the log, and looks for the footer at that place.
        "sizes": dict(_sizes(version.storage, known)),
        "limit": LIMIT,
    }
    files = size = 0
    for batch in batches:
        files += batch.num_rows
        size += sum(bytes_ or 0 for bytes_ in batch.column("size").to_pylist())
    result = runner.run(Job("verify", params, _WHY, files=files, size=size))
    of_files, of_rows = findings.check(FILES), findings.check(ROWS)
    of_rows.subjects += result["rows"]
    findings.add(FILES, _of_files(result["faults"], known))
    findings.add(ROWS, _of_rows(result["faults"], known))
    findings.add(ROWS, _of_identities(found_identities, result["identities"]))
    for code, number in result["counts"].items():
        check = of_files if code == _SUSPECT else of_rows
        check.findings += _left(code, number, result["faults"], known)


def _left(code: str, number: int, faults: Iterable[_Fault], known: Known) -> int:
    """Return how many of the `number` faults of a kind are neither in `faults` nor known."""
    if number <= LIMIT:
        return 0
    subjects = {
        path if code == _SUSPECT else f"{path}: {at}" for c, path, at, *_ in faults if c == code
    }
    told = known.explained if code == _SUSPECT else {s for c, s in known.found if c == code}
    return max(0, number - LIMIT - len(told - subjects))


def _sizes(storage: Storage, known: Known) -> Iterator[tuple[str, int]]:
    for path in known.of_other_size:
        with suppress(FileNotFoundError):  # somebody may have deleted it since
            yield path, storage.head(canonical(path)).size


def _columns(schema: Struct, metadata: Metadata) -> Iterator[dict[str, Any]]:
    """Yield the columns of which the log has statistics, if it has any."""
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
    """Return whether its values have one order in every engine."""
    kind: DataType = node.type
    in_order = kind in _BOUNDED or isinstance(kind, Decimal)
    return in_order and COLLATIONS not in node.field.metadata


def _of_files(faults: Iterable[_Fault], known: Known) -> Iterator[Finding]:
    """Yield the files in which Spark finds other rows than the log, and no footer says why."""
    for code, path, _, said, held in faults:
        if code == _SUSPECT and path not in known.explained:
            counts = f"{said} rows that are not deleted", f"{held or 0} rows"
            yield Finding("DATA_FILE_ROWS", path, *counts)


def _of_rows(faults: Iterable[_Fault], known: Known) -> Iterator[Finding]:
    for code, path, place, expected, found in faults:
        subject = f"{path}: {place}"
        if code != _SUSPECT and (code, subject) not in known.found:
            repairable = code == "FLOAT_STATISTICS"
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
