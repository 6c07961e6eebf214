"""What stands against a plan, and the error that it comes to."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from deltactl.errors import DeltactlError, NotFoundError, RefusedError, SparkError, StorageError
from deltactl.text.hints import Words, naming, text_of


class Refusal(NamedTuple):
    """One reason against a plan; `is_missing` where something that was named does not exist.

    `needs_spark`: a Spark that is not here could do it, or find out whether anything is against it.
    `in_storage`: the reason is not a rule but data, which the store lacks or has damaged.
    """

    code: str
    message: str
    hint: str | Words | None = None
    is_missing: bool = False
    needs_spark: bool = False
    in_storage: bool = False
    details: tuple[tuple[str, Any], ...] = ()

    def named(self, called: str, place: str) -> "Refusal":
        """Return the refusal with the table's name in its hint, as `hints.naming` does."""
        return self._replace(hint=self.hint and naming(self.hint, called, place))

    def retyped(self, again: Callable[[str], str]) -> "Refusal":
        """Return the refusal with whole commands in its hint, as `Words.retyped` does."""
        found = self.hint
        return self._replace(hint=found.retyped(again) if isinstance(found, Words) else found)

    def to_json(self) -> dict[str, str | None]:
        return {"code": self.code, "message": self.message, "hint": text_of(self.hint)}

    def error(self) -> DeltactlError:
        """Return the refusal as the error that a command ends with."""
        error = kind_of_error([self])
        return error(self.code, self.message, hint=self.hint, details=dict(self.details))


def kind_of_error(refusals: Sequence[Refusal]) -> type[DeltactlError]:
    """Return the kind of error, and with it the exit code, that several refusals come to."""
    if all(refusal.is_missing for refusal in refusals):
        return NotFoundError
    if all(refusal.needs_spark for refusal in refusals):
        return SparkError
    if all(refusal.in_storage for refusal in refusals):
        return StorageError
    return RefusedError
