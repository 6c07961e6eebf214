"""In which types the live files hold columns, by their footers and by their partition values."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import Notice
from deltactl.log.stats.partition_text import is_text_of
from deltactl.operations.physical_types import (
    NAMED,
    Advance,
    ColumnPlace,
    FileTypes,
    PhysicalType,
    most_first,
    places_in_files,
    read_physical_types,
)
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Node, Path, steps
from deltactl.spec.schema.type_changes import changes_of
from deltactl.spec.schema.types import STRING, DataType, kind, type_from_json
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import TableState, prepare_state
from deltactl.table.state.type_change_versions import Sighting, TypeChangePlace, find_versions

# The type of each column in one file; None where the file does not have the column.
ColumnTypes = tuple[str | None, ...]
# Asks files, by path and size, what they have at the places; as `read_physical_types` answers.
ReadTypes = Callable[
    [Snapshot, Mapping[str, int], Sequence[ColumnPlace], Advance], Iterator[FileTypes]
]


@dataclass
class PhysicalTypeScan:
    """What all live files hold of some columns.

    `types` has for each column the types that files hold it in. `old` are the files that hold any
    of them in an old type, `sample` the first of these. `unread` files do not say what they hold;
    `faults` is why, of the first of them. `since` is when each type change came, `notices` what is
    odd about the log.
    """

    columns: "Sequence[_Column]"
    types: list[dict[str | None, PhysicalType]]
    since: Mapping[TypeChangePlace, Sighting]
    notices: tuple[Notice, ...]
    files: int = 0
    old: PhysicalType = field(default_factory=lambda: PhysicalType(None))
    sample: list[str] = field(default_factory=list)
    unread: int = 0
    faults: list[Notice] = field(default_factory=list)
    _oldest_rows: int | None = None
    _unnumbered: int = 0

    def types_of(self, node: Node) -> tuple[PhysicalType, ...]:
        """Return the types that files hold one of the columns in, those of most files first."""
        return most_first(self.types[self._places[node.path]])

    @cached_property
    def _places(self) -> Mapping[Path, int]:
        return {column.node.path: place for place, column in enumerate(self.columns)}

    def note(self, path: str, size: int, held: "ColumnTypes | Notice") -> None:
        """Count one more file."""
        self.files += 1
        if isinstance(held, Notice):
            self.unread += 1
            if len(self.faults) < NAMED:
                self.faults.append(held)
            return
        for types, name in zip(self.types, held, strict=True):
            types.setdefault(name, PhysicalType(name)).note(size)
        if _is_old(self.columns, held):
            self.old.note(size)
            if len(self.sample) < NAMED:
                self.sample.append(path)

    def note_versions(self, versions: pa.Int64Array) -> None:
        """Look at the defaultRowCommitVersion of some files."""
        self._unnumbered += versions.null_count
        lowest = pc.min(versions).as_py()
        if lowest is not None and (self._oldest_rows is None or lowest < self._oldest_rows):
            self._oldest_rows = lowest

    def permits(self, version: int | None) -> bool | None:
        """Return whether the draft would drop a type change of that version; it proves nothing.

        None if the version is not known, of which the draft says nothing.
        """
        if version is None:
            return None
        late = self._oldest_rows is None or self._oldest_rows >= version
        return late and not self._unnumbered


class FooterScanner:
    """Looks at the live files of one table for one command.

    A plan may be made several times, on newer versions too: a file whose footer was read is not
    read again, for a file never changes. `ask` is told of `lot` files or more at a time, or of all.
    """

    def __init__(self, ask: ReadTypes = read_physical_types, lot: int = 1) -> None:
        self.ask = ask
        self._lot = lot
        self._columns: Sequence[_Column] = ()
        self._known: dict[str, ColumnTypes] = {}
        self._distinct: dict[ColumnTypes, ColumnTypes] = {}

    def scan(
        self, snapshot: Snapshot, nodes: Sequence[Node], advance: Advance = lambda _: None
    ) -> PhysicalTypeScan:
        """Count the live files by the types in which they hold the columns.

        `advance` is told of each footer that was read.
        """
        columns = _columns(snapshot, nodes)
        if [column.ways for column in columns] != [column.ways for column in self._columns]:
            self._known, self._distinct = {}, {}
        self._columns = columns
        state = prepare_state(snapshot)
        types: list[dict[str | None, PhysicalType]] = [{} for _ in nodes]
        scan = PhysicalTypeScan(columns, types, find_versions(snapshot), state.notices)
        for batch, held in self._typed_batches(state, advance):
            scan.note_versions(batch.column("defaultRowCommitVersion"))
            rows = (batch.column(name).to_pylist() for name in ("path", "size"))
            for path, size, answer in zip(*rows, held, strict=True):
                scan.note(path, size or 0, answer)
        return scan

    def old_files(self, snapshot: Snapshot) -> Iterator[tuple[str, int]]:
        """Yield the paths and sizes of the files that the last scan found to be old."""
        for batch, held in self._typed_batches(prepare_state(snapshot)):
            rows = (batch.column(name).to_pylist() for name in ("path", "size"))
            for path, size, answer in zip(*rows, held, strict=True):
                if not isinstance(answer, Notice) and _is_old(self._columns, answer):
                    yield path, size or 0

    def _typed_batches(
        self, state: TableState, advance: Advance = lambda _: None
    ) -> Iterator[tuple[pa.RecordBatch, list[ColumnTypes | Notice]]]:
        """Yield the live files in batches, each file with what it holds."""
        has_texts = any(column.partition is not None for column in self._columns)
        wanted = ("size", "defaultRowCommitVersion", *(["partitionValues"] if has_texts else []))
        for lot in self._lots(state.batches(wanted)):
            faults = self._learn(state.snapshot, lot, advance)
            for batch in lot:
                paths = batch.column("path").to_pylist()
                held = [faults.get(path) or self._known[path] for path in paths]
                if has_texts:
                    texts = batch.column("partitionValues").to_pylist()
                    held = [
                        answer if isinstance(answer, Notice) else self._with_texts(answer, row)
                        for answer, row in zip(held, map(_mapping, texts), strict=True)
                    ]
                yield batch, held

    def _lots(self, batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
        """Yield the batches, with the ones to come while there are fewer files than a lot."""
        lot: list[pa.RecordBatch] = []
        for batch in batches:
            lot.append(batch)
            if sum(one.num_rows for one in lot) >= self._lot:
                yield lot
                lot = []
        if lot:
            yield lot

    def _learn(
        self, snapshot: Snapshot, batches: Sequence[pa.RecordBatch], advance: Advance
    ) -> dict[str, Notice]:
        """Ask the files of which nothing is known yet; return those that cannot be read."""
        new: dict[str, int] = {}
        for batch in batches:
            rows = (batch.column(name).to_pylist() for name in ("path", "size"))
            new |= {p: size or 0 for p, size in zip(*rows, strict=True) if p not in self._known}
        places = [probe.place for column in self._columns for way in column.ways for probe in way]
        faults = {}
        answers = self.ask(snapshot, new, places, advance)
        for path, found in zip(new, answers, strict=True):
            if isinstance(found, Notice):
                faults[path] = found
            else:
                self._known[path] = self._of_columns(found)
        return faults

    def _of_columns(self, found: Sequence[str | None]) -> ColumnTypes:
        left = iter(found)
        held = tuple(column.type_in(left) for column in self._columns)
        # One tuple for all that are equal: there may be millions.
        return self._distinct.setdefault(held, held)

    def _with_texts(self, held: ColumnTypes, values: Mapping[str, str | None]) -> ColumnTypes:
        """Return what a file holds, its partition values taken for what their texts are."""
        texts = {key.casefold(): value for key, value in values.items()}
        return tuple(
            column.in_partition(name, texts)
            for column, name in zip(self._columns, held, strict=True)
        )


class FooterPath(NamedTuple):
    """A question to a footer: what is at a place; `kind` is what a place above the column must be.

    If that is something else, the type of the column in the file is unknown.
    """

    place: ColumnPlace
    kind: str | None


class _Partition(NamedTuple):
    """A partition column: its key in partitionValues, and its types, that of today first."""

    key: str
    types: tuple[DataType, ...]


class _Column(NamedTuple):
    """A column, and the ways to find it in a file, of which the first that finds it counts.

    In id mode files are also asked by name: one without any ids is not one without the column.
    """

    node: Node
    ways: tuple[tuple[FooterPath, ...], ...]
    partition: _Partition | None

    @property
    def today(self) -> str:
        """The type that the table says."""
        return str(self.node.type)

    def type_in(self, answers: Iterator[str | None]) -> str | None:
        """Return the type in a file, from the answers to the probes of all ways."""
        found = [_followed(way, list(islice(answers, len(way)))) for way in self.ways]
        return next((name for name in found if name is not None), None)

    def in_partition(self, held: str | None, texts: Mapping[str, str | None]) -> str | None:
        """Return the type in a file, by its text, too: that is what readers take for the value."""
        text = None if self.partition is None else texts.get(self.partition.key)
        if self.partition is None or not text or held not in (None, self.today):
            return held
        types = self.partition.types
        return str(next((old for old in types if is_text_of(text, old)), STRING))


def _mapping(pairs: Any) -> Mapping[str, str | None]:
    return dict(pairs or ())


def _is_old(columns: Sequence[_Column], held: ColumnTypes) -> bool:
    return any(n not in (None, c.today) for c, n in zip(columns, held, strict=True))


def _followed(way: Sequence[FooterPath], names: Sequence[str | None]) -> str | None:
    for probe, name in zip(way, names, strict=True):
        if name is None or name != probe.kind:
            return name
    return None


def _columns(snapshot: Snapshot, nodes: Sequence[Node]) -> list[_Column]:
    schema = snapshot.usable_schema
    partitions = {name.casefold() for name in snapshot.metadata.partition_columns}
    return [
        _Column(node, _ways(steps(schema, node.path), place), _partition(partitions, node))
        for node, place in zip(nodes, places_in_files(snapshot, nodes), strict=True)
    ]


def _ways(nodes: Sequence[Node], place: ColumnPlace) -> tuple[tuple[FooterPath, ...], ...]:
    """Return the ways down to the last of `nodes`, which is at `place` in files."""
    path, ids = place
    kinds = [*(kind(node.type) for node in nodes[:-1]), None]
    by_name = tuple(FooterPath((path[: end + 1], None), kinds[end]) for end in range(len(nodes)))
    if ids is None:
        return (by_name,)
    by_id = tuple(
        probe._replace(place=(probe.place[0], ids[: end + 1])) for end, probe in enumerate(by_name)
    )
    return by_id, by_name


def _partition(partitions: Collection[str], node: Node) -> _Partition | None:
    if len(node.path) > 1 or node.path[0].casefold() not in partitions:
        return None
    earlier = [type_from_json(change.from_type) for change in reversed(changes_of(node))]
    key = column_mapping.physical_name(node.field).casefold()
    return _Partition(key, (node.type, *earlier))
