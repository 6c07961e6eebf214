"""The way back from a change."""

from typing import Any, NamedTuple


class Undo(NamedTuple):
    """How to go back: `commands` to type one after the other, and what else a person must know.

    A command is one of deltactl, or a statement of Spark SQL.
    """

    commands: tuple[str, ...] = ()
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"commands": list(self.commands), "note": self.note}
