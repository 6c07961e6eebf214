"""The lines by which a job in another process tells how far it is, and how it ended."""

import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from deltactl import errors
from deltactl.errors import DeltactlError
from deltactl.text.hints import Command, Hint, Option, Sql, Words


class Word(StrEnum):
    """How a line begins; a value in JSON follows."""

    PROGRESS = "DELTACTL-PROGRESS"
    RESULT = "DELTACTL-RESULT"
    ERROR = "DELTACTL-ERROR"


KINDS: dict[int, type[DeltactlError]] = {
    kind.exit_code: kind
    for kind in (
        errors.InvalidUsageError,
        errors.NotFoundError,
        errors.RefusedError,
        errors.BrokenLogError,
        errors.ConflictError,
        errors.OutcomeUnknownError,
        errors.StorageError,
        errors.SparkError,
        errors.UnfinishedError,
        errors.InterruptedRunError,
    )
}


def line(word: Word, value: Any) -> str:
    """Return the line that says `value`."""
    return f"{word} {json.dumps(value)}\n"


def parsed(said: bytes) -> tuple[Word, Any] | None:
    """Return what a line says; None for one that is not of ours, or was cut short."""
    for word in Word:
        head = f"{word} ".encode()
        if said.startswith(head):
            try:
                return word, json.loads(said[len(head) :])
            except ValueError:
                return None
    return None


def error_to_json(error: DeltactlError) -> dict[str, Any]:
    """Return all of an error that another process needs to raise it."""
    return {
        "exit": error.exit_code,
        "code": error.code,
        "message": error.message,
        "hint": _hint_to_json(error.remedy),
        "details": error.details,
    }


def error_from_json(value: Mapping[str, Any]) -> DeltactlError:
    """Return the error that `error_to_json` took apart."""
    kind = KINDS[value["exit"]]
    hint = _hint_from_json(value["hint"])
    return kind(value["code"], value["message"], hint=hint, details=value["details"])


def _hint_to_json(remedy: str | Words | None) -> list[Any] | None:
    """Return the parts of a hint; those that have a place for the table's name are lists."""
    return None if remedy is None else [_part_to_json(part) for part in Hint(remedy).parts]


def _part_to_json(part: str | Command | Sql | Option) -> str | list[str]:
    match part:
        case Option(name):
            return ["option", name]
        case Command(name, words):
            return ["command", name, *words]
        case Sql(statement, clauses):
            return ["sql", statement, *clauses]
        case text:
            return text


def _hint_from_json(parts: Sequence[str | list[str]] | None) -> Hint | None:
    return None if parts is None else Hint(*map(_part_from_json, parts))


def _part_from_json(part: str | list[str]) -> str | Command | Sql | Option:
    match part:
        case ["option", name]:
            return Option(name)
        case ["command", *words]:
            return Command(*words)
        case ["sql", *words]:
            return Sql(*words)
        case _:
            assert isinstance(part, str)
            return part
