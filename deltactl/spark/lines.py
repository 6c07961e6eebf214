"""The lines by which a job in another process tells how far it is, and how it ended."""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from deltactl import errors
from deltactl.errors import DeltactlError


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
        "hint": error.hint,
        "details": error.details,
    }


def error_from_json(value: Mapping[str, Any]) -> DeltactlError:
    """Return the error that `error_to_json` took apart."""
    kind = KINDS[value["exit"]]
    return kind(value["code"], value["message"], hint=value["hint"], details=value["details"])
