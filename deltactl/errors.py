"""Every deliberate failure: a stable code, an exit code, what is true, and what to type next."""

import copyreg
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from deltactl.text.hints import Words, naming, text_of

EXIT_CODES: dict[int, str] = {
    0: "done, or already so",
    1: "a bug in deltactl (traceback with `-v`; please report it)",
    2: "wrong usage",
    3: "not found: table, column, version or feature",
    4: "refused by a rule: illegal change, feature not enabled, consent missing, "
    "or a feature that deltactl cannot read or write",
    5: "the log is broken, a check failed, or a difference was found",
    6: "conflict: another writer won; nothing was written; safe to run again",
    7: "outcome unknown: the store answered neither the write nor the read-back",
    8: "storage: credentials, permissions, disk, network",
    9: "Spark or Java is not available, or the job failed",
    10: "incomplete: rerun after the time shown",
    130: "interrupted; says whether the commit was made",
}


class Notice(NamedTuple):
    """Something odd that did not stop the work; `deltactl explain` knows its `code`."""

    code: str
    message: str


class DeltactlError(Exception):
    """A failure that was foreseen.

    `code` is stable, upper case, and known to `deltactl explain`; `message` says what is true;
    `hint` is the command to type next or the thing to change; `details` are for machines. `table`
    is the table that was at hand, as documents name it. `remedy` is the hint with places for the
    name of the table, which `name_table` fills in.
    """

    exit_code: ClassVar[int] = 1

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | Words | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.remedy = hint
        self.details = dict(details or {})
        self.table: Mapping[str, str | None] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # A pool of processes sends errors, which Python makes again of `args` alone.
        return copyreg.__newobj__, (type(self), self.message), self.__dict__  # type: ignore[attr-defined]

    @property
    def hint(self) -> str | None:
        """The command to type next, or the thing to change."""
        return text_of(self.remedy)

    def name_table(self, called: str) -> None:
        """Have commands of the hint name the table by these words, of `words_of`."""
        if self.remedy is not None:
            self.remedy = naming(self.remedy, called)


class UsageError(DeltactlError):
    """A call does not say what to do; `details` have the `argument` that is wrong."""

    exit_code = 2


class InvalidUsageError(UsageError):
    """The command line, or a configuration file, does not say what to do."""


class NotFoundError(DeltactlError):
    """The table, column, version or feature that was named does not exist."""

    exit_code = 3


class RefusedError(DeltactlError):
    """A rule forbids it, or the table uses something that deltactl does not know."""

    exit_code = 4


class BrokenLogError(DeltactlError):
    """The log contradicts the protocol; `details` name the file and line if they are known."""

    exit_code = 5


class UnreadableCheckpointError(BrokenLogError):
    """A checkpoint, or a sidecar of it, cannot be read: older files may still give the version."""


class ConflictError(DeltactlError):
    """Another writer came first and the plan no longer holds. Nothing was written."""

    exit_code = 6


class OutcomeUnknownError(DeltactlError):
    """The store answered neither the write nor the read-back; `details` name the version."""

    exit_code = 7


class SparkError(DeltactlError):
    """Spark or Java is not available, or what it was to do failed or is not possible yet."""

    exit_code = 9


class UnfinishedError(DeltactlError):
    """Part of the work is done; the rest is for a later run, whose time the hint names."""

    exit_code = 10


class InterruptedRunError(DeltactlError):
    """The user, or the terminal, ended the command; the message says what was done by then."""

    exit_code = 130


class StorageError(DeltactlError):
    """The store refused or failed: permissions, credentials, disk, network."""

    exit_code = 8
