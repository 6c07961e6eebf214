"""`files --physical`: in which types the live files hold a column, by their footers."""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from deltactl.errors import Notice
from deltactl.log.paths import canonical
from deltactl.model import column_mapping
from deltactl.model.schema import Node, Path, find
from deltactl.model.types import VARIANT
from deltactl.operations.report import Report, TableRef
from deltactl.operations.schema_show import usable_schema
from deltactl.operations.version_facts import table_ref
from deltactl.table.files import prepare_state
from deltactl.table.footers import UnreadableFileError, read_type
from deltactl.table.table import At, Table

# Reading footers waits for the store, so more threads than processors are of use.
THREADS = 16
NAMED = 20


@dataclass(slots=True)
class PhysicalType:
    """Files that hold the column in one type; `type` is None where they do not have the column."""

    type: str | None
    files: int = 0
    size: int = 0

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "files": self.files, "bytes": self.size}


@dataclass(frozen=True, kw_only=True)
class PhysicalTypesReport(Report):
    """The physical types of one column, most files first."""

    command: ClassVar[str] = "files"
    table: TableRef
    version: int
    node: Node
    types: tuple[PhysicalType, ...]
    unreadable: int
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "column": {"path": str(self.node), "type": str(self.node.type)},
            "physicalTypes": list(self.elements()),
            "unreadableFiles": self.unreadable,
        }

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (found.to_json() for found in self.types)


class _File(NamedTuple):
    path: str
    size: int


def report_physical_types(
    table: Table, column: Path, at: At = None, advance: Callable[[int], None] = lambda _: None
) -> PhysicalTypesReport:
    """Read the footer of every live file; `advance` is told of each that was read.

    Raises:
        NotFoundError: there is no such column.
    """
    snapshot = table.snapshot(at)
    schema = usable_schema(snapshot)
    node = find(schema, column)
    physical = column_mapping.physical_path(schema, node)
    ids = None
    if column_mapping.mode(snapshot.configuration) == "id":
        ids = column_mapping.id_path(schema, node)
    state = prepare_state(snapshot)
    found: dict[str | None, PhysicalType] = {}
    faults: list[Notice] = []

    def look(file: _File) -> str | Notice | None:
        try:
            held = read_type(table.storage, canonical(file.path), physical, ids)
            # A variant is a struct of two binaries to parquet.
            return "variant" if held == "struct" and node.type == VARIANT else held
        except UnreadableFileError as error:
            return Notice(error.code, error.message)

    files = (
        _File(path, size or 0)
        for batch in state.batches(("size",))
        for path, size in zip(
            batch.column("path").to_pylist(), batch.column("size").to_pylist(), strict=True
        )
    )
    with ThreadPoolExecutor(THREADS) as pool:
        # In bounded lots: a table may have millions of files.
        while lot := list(islice(files, 1024)):
            for file, answer in zip(lot, pool.map(look, lot), strict=True):
                advance(1)
                if isinstance(answer, Notice):
                    faults.append(answer)
                    continue
                held = found.setdefault(answer, PhysicalType(answer))
                held.files += 1
                held.size += file.size
    return PhysicalTypesReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        node=node,
        types=tuple(sorted(found.values(), key=lambda t: (-t.files, t.type or ""))),
        unreadable=len(faults),
        warnings=(*snapshot.notices, *state.notices, *faults[:NAMED]),
    )
