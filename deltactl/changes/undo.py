"""The way back from a change."""

from typing import Any, NamedTuple

from deltactl.text.hints import Command, Hint, Sql, text_of


class Undo(NamedTuple):
    """How to go back: `commands` to type one after the other, and what else a person must know.

    A command is one of deltactl, or a statement of Spark SQL.
    """

    commands: tuple[Command | Sql, ...] = ()
    note: Hint | None = None

    def named(self, called: str, place: str) -> "Undo":
        """Return the way back with the table's name in it, as `hints.naming` does."""
        commands = tuple(command.named(called, place) for command in self.commands)
        return Undo(commands, self.note and self.note.named(called, place))

    def to_json(self) -> dict[str, Any]:
        return {"commands": list(map(str, self.commands)), "note": text_of(self.note)}


def dropped_feature(command: Command | Sql) -> str | None:
    """Return the table feature that the command drops, if it is for that."""
    match command:
        case Command("protocol drop", (name, *_)) | Sql("ALTER TABLE", ("DROP FEATURE", name)):
            return name
    return None
