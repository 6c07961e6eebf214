"""Bounds of columns that were float and are double: adds whose bounds hold for both."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

from deltactl.changes.file_changes import Action, FileActions
from deltactl.errors import Notice
from deltactl.log.stats.stats import imprecise, with_exact_floats
from deltactl.operations.physical_types import (
    Advance,
    ColumnPlace,
    places_in_files,
    read_physical_types,
)
from deltactl.spec.actions.file_action import AddFile
from deltactl.spec.schema.schema import Node, Path
from deltactl.spec.schema.types import DOUBLE, FLOAT
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import TableState, read_state
from deltactl.table.state.live_adds import live_adds

_SHOWN = 20
_LOT = 1024

Candidate = tuple[AddFile, tuple[Path, ...]]


class FixedBounds(NamedTuple):
    """The adds to commit again, None if all bounds are right.

    `unfit` is a file whose add cannot be committed again, for it has no modificationTime; `faults`
    are files that do not say whether they hold floats, and are left alone.
    """

    actions: FileActions | None
    unfit: str | None
    faults: tuple[Notice, ...]


def fixed_bounds(
    snapshot: Snapshot, nodes: Sequence[Node], advance: Advance = lambda _: None
) -> FixedBounds:
    """Return the live adds with wrong bounds of columns that are or were float.

    While a column is float so is every file. Once it is double, a bound that no float has may be
    right, and the file's footer says which of the two it holds. `advance` is told of each add.
    """
    columns = _Columns(snapshot, nodes)
    found = _Found()

    def read(state: TableState) -> None:
        nonlocal found
        found = _Found()
        for add, wrong in _decided(snapshot, columns, _candidates(state, columns, advance), found):
            found.note(add, wrong)

    state = read_state(snapshot, read)

    def stream() -> Iterator[Action]:
        again = zip(_candidates(state, columns), found.wrong, strict=True)
        return (("add", _fixed(add, wrong)) for (add, _), wrong in again if wrong)

    sample = tuple({"add": _fixed(add, wrong)} for add, wrong in found.first)
    actions = FileActions(found.number, sample, stream, "right bounds") if found.number else None
    return FixedBounds(actions, found.unfit, tuple(found.faults))


class _Columns:
    """The columns by their paths in statistics, and where files have those that are double."""

    def __init__(self, snapshot: Snapshot, nodes: Sequence[Node]) -> None:
        self.places: dict[Path, ColumnPlace] = {}
        self.paths: list[Path] = []
        for node, place in zip(nodes, places_in_files(snapshot, nodes), strict=True):
            self.paths.append(place[0])
            if node.type == DOUBLE:
                self.places[place[0]] = place


@dataclass
class _Found:
    """What one pass over the live files found; `wrong` is of each candidate, in their order."""

    number: int = 0
    first: list[Candidate] = field(default_factory=list)
    wrong: list[tuple[Path, ...]] = field(default_factory=list)
    unfit: str | None = None
    faults: list[Notice] = field(default_factory=list)
    _known: dict[tuple[Path, ...], tuple[Path, ...]] = field(default_factory=dict)

    def note(self, add: AddFile, wrong: tuple[Path, ...]) -> None:
        # One tuple for all that are equal: there may be millions.
        self.wrong.append(self._known.setdefault(wrong, wrong))
        if not wrong:
            return
        self.number += 1
        if len(self.first) < _SHOWN:
            self.first.append((add, wrong))
        if add.modification_time is None:
            self.unfit = add.path


def _candidates(
    state: TableState, columns: _Columns, advance: Advance = lambda _: None
) -> Iterator[Candidate]:
    """Yield the live adds with bounds that are wrong if they are those of floats."""
    for add in live_adds(state):
        advance(1)
        if wrong := imprecise(add.stats, columns.paths):
            yield add, wrong


def _decided(
    snapshot: Snapshot, columns: _Columns, candidates: Iterator[Candidate], found: _Found
) -> Iterator[Candidate]:
    """Yield the candidates with what is wrong for certain."""
    places = list(columns.places.values())
    while lot := list(islice(candidates, _LOT)):
        doubtful = (add.path for add, wrong in lot if not columns.places.keys().isdisjoint(wrong))
        answers = read_physical_types(snapshot, doubtful, places)
        for add, wrong in lot:
            if not columns.places.keys().isdisjoint(wrong):
                held = next(answers)
                if isinstance(held, Notice):
                    found.faults.append(held)
                    held = [None] * len(places)
                types = dict(zip(columns.places, held, strict=True))
                wrong = tuple(path for path in wrong if types.get(path, FLOAT.name) == FLOAT.name)
            yield add, wrong


def _fixed(add: AddFile, wrong: Sequence[Path]) -> dict[str, object]:
    assert add.stats is not None
    stats = with_exact_floats(add.stats, wrong)
    return replace(add, stats=stats, data_change=False).to_json()
