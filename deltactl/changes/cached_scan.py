"""Looks at the files of a table that are not repeated, though a change is planned twice."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from deltactl.spec.schema.schema import Node
from deltactl.table.snapshot import Snapshot

T = TypeVar("T")


class CachedScan(Generic[T]):
    """A look at the files of a snapshot for some columns; the same question is not asked twice."""

    def __init__(self, look: Callable[[Snapshot, Sequence[Node]], T]) -> None:
        self._look = look
        self._asked: tuple[Snapshot, Sequence[Node]] | None = None
        self._answers: list[T] = []

    def __call__(self, snapshot: Snapshot, nodes: Sequence[Node]) -> T:
        same = self._asked is not None and self._asked[0] is snapshot and self._asked[1] == nodes
        if not same:
            self._answers = [self._look(snapshot, nodes)]
            self._asked = snapshot, nodes
        return self._answers[0]
