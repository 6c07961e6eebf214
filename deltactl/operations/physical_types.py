"""`files --physical`: in which types the live files hold a column, by their footers."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import tee
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Node, Path, find
from deltactl.spec.schema.types import VARIANT
from deltactl.table.parquet.footers import UnreadableFileError
from deltactl.table.parquet.many_footers import types_of_files
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import prepare_state
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref

Advance = Callable[[int], None]
# A column's path in data files, and its field ids where those count.
ColumnPlace = tuple[Path, tuple[int | None, ...] | None]
# The types that a file has at some places; or why it cannot be read.
FileTypes = list[str | None] | Notice

NAMED = 20


@dataclass(slots=True)
class PhysicalType:
    """Files that hold the column in one type; `type` is None if they do not have the column."""

    type: str | None
    files: int = 0
    size: int = 0

    def note(self, size: int) -> None:
        """Count one more file of that size."""
        self.files += 1
        self.size += size

    def to_json(self) -> dict[str, Any]:
        return {"type": self.type, "files": self.files, "bytes": self.size}


@dataclass(frozen=True, kw_only=True)
class PhysicalTypesReport(Report):
    """In which types the data files hold one column.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        node: the column.
        types: the types, those of most files first.
        unreadable: how many files cannot be read.
        warnings: what is odd, each with a `code` and a `message`.
    """

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


class Counted(NamedTuple):
    """What the footers say: for each column its types, most files first, and what is unreadable."""

    types: tuple[tuple[PhysicalType, ...], ...]
    faults: tuple[Notice, ...]
    notices: tuple[Notice, ...]


class _File(NamedTuple):
    path: str
    size: int


def report_physical_types(
    table: Table, column: Path, at: At = None, advance: Advance = lambda _: None
) -> PhysicalTypesReport:
    """Read the footer of every live file; `advance` is told of each that was read.

    Raises:
        NotFoundError: there is no such column.
    """
    snapshot = table.snapshot(at)
    node = find(snapshot.usable_schema, column)
    counted = count_types(snapshot, [node], advance)
    return PhysicalTypesReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        node=node,
        types=counted.types[0],
        unreadable=len(counted.faults),
        warnings=(*snapshot.notices, *counted.notices, *counted.faults[:NAMED]),
    )


def count_types(
    snapshot: Snapshot, nodes: Sequence[Node], advance: Advance = lambda _: None
) -> Counted:
    """Return how many live files hold each column in which type; read each footer once."""
    places = places_in_files(snapshot, nodes)
    state = prepare_state(snapshot)
    found: list[dict[str | None, PhysicalType]] = [{} for _ in nodes]
    faults: list[Notice] = []
    files = (
        _File(path, size or 0)
        for batch in state.batches(("size",))
        for path, size in zip(
            batch.column("path").to_pylist(), batch.column("size").to_pylist(), strict=True
        )
    )
    paths, sizes = tee(files)
    answers = read_physical_types(snapshot, (file.path for file in paths), places, advance)
    for file, answer in zip(sizes, answers, strict=True):
        if isinstance(answer, Notice):
            faults.append(answer)
            continue
        for node, types, name in zip(nodes, found, answer, strict=True):
            # A variant is a struct of two binaries to parquet.
            name = "variant" if name == "struct" and node.type == VARIANT else name
            types.setdefault(name, PhysicalType(name)).note(file.size)
    return Counted(tuple(map(most_first, found)), tuple(faults), state.notices)


def most_first(types: Mapping[str | None, PhysicalType]) -> tuple[PhysicalType, ...]:
    """Return the types of one column, those of most files first."""
    return tuple(sorted(types.values(), key=lambda t: (-t.files, t.type or "")))


def places_in_files(snapshot: Snapshot, nodes: Sequence[Node]) -> list[ColumnPlace]:
    """Return where data files have the columns: their physical paths, and in id mode their ids."""
    schema = snapshot.usable_schema
    by_id = column_mapping.mode(snapshot.configuration) == "id"
    return [
        (
            column_mapping.physical_path(schema, node),
            column_mapping.id_path(schema, node) if by_id else None,
        )
        for node in nodes
    ]


def read_physical_types(
    snapshot: Snapshot,
    paths: Iterable[str],
    places: Sequence[ColumnPlace],
    advance: Advance = lambda _: None,
) -> Iterator[FileTypes]:
    """Yield each file's types at the places, in order, or why they cannot be read."""
    answers = types_of_files(snapshot.log.storage, paths, places, advance)
    # Whoever asks no further ends the threads, too.
    with closing(answers):
        for answer in answers:
            if isinstance(answer, UnreadableFileError):
                yield Notice(answer.code, answer.message)
            else:
                yield answer
