"""What every inspection hands to the terminal: one JSON document, and for lists its elements."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from deltactl.errors import DeltactlError, Notice


class TableRef(NamedTuple):
    """Which table a document refers to; `id` and `name` are None if the log does not say."""

    uri: str
    id: str | None = None
    name: str | None = None

    def to_json(self) -> dict[str, str | None]:
        return {"uri": self.uri, "id": self.id, "name": self.name}


class Report(ABC):
    """The answer of one command, independent of how it is printed.

    Concrete reports are frozen dataclasses. `warnings` are printed to stderr in text mode and are
    a member of the document in JSON mode, which `body` need not hold.

    `error` is why what was asked for was not done, where there is more to tell than that; its exit
    code is the report's.

    A list that may be too long to hold is streamed: `streamed` names its member, `body` leaves
    that member out, and `elements` yields it in every format. Where making an object for each
    element costs too much, an element may be `bytes` instead: one or more whole JSON lines in
    UTF-8, each ended by a line feed, with no line feed inside an object.
    """

    streamed: ClassVar[str | None] = None
    table: TableRef | None = None
    warnings: tuple[Notice, ...] = ()
    error: DeltactlError | None = None
    exit_code: int = 0

    @property
    def done(self) -> str | None:
        """What was written, and stays even if this report cannot be printed."""
        return None

    @property
    def errors(self) -> tuple[DeltactlError, ...]:
        """All that people are told of why it was not done; a document has `error` only."""
        return () if self.error is None else (self.error,)

    @abstractmethod
    def body(self) -> Mapping[str, Any]:
        """Return the members beside `deltactl`, `ok`, `command`, `table` and `warnings`."""

    def elements(self) -> Iterator[Mapping[str, Any] | bytes] | None:
        """Return the list that `-o ndjson` prints; None prints the document on one line."""
        return None
