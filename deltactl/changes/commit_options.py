"""How a change is to be made, whatever it is, and the names that are made up for it."""

from dataclasses import dataclass
from uuid import uuid4

from deltactl.changes.plan import ChangePlan
from deltactl.changes.refusal import Refusal
from deltactl.errors import ConflictError, DeltactlError
from deltactl.text.hints import Command

Names = dict[tuple[str, str], str]


@dataclass(frozen=True, kw_only=True)
class CommitOptions:
    """How a change is to be made, whatever it is.

    `called` are the words by which commands name the table. `once` is an application's id and
    version.
    """

    called: str | None = None
    dry_run: bool = False
    fail_if_changes: bool = False
    if_version: int | None = None
    message: str | None = None
    once: tuple[str, int] | None = None

    def check_version(self, newest: int) -> None:
        """Refuse a table that is not at the version that was asked for.

        Raises:
            ConflictError: it is not; nothing was written.
        """
        wanted = self.if_version
        if wanted is not None and newest != wanted:
            raise ConflictError(
                "NOT_AT_VERSION",
                f"the table is at version {newest}, not at {wanted}; nothing was written",
                hint=Command("history", "--from", str(wanted + 1)) + " shows what came after it"
                if newest > wanted
                else None,
                details={"version": newest, "wanted": wanted},
            )

    def refusal_of(self, plan: ChangePlan) -> Refusal | None:
        """Reject `--once` for a backfill, which needs two commits."""
        if self.once is None or plan.backfill is None:
            return None
        said = "--once is for changes of one commit, and a backfill needs two"
        return Refusal("BACKFILL_NOT_ONCE", said, "leave --once out")

    def exit_code(self, error: DeltactlError | None, *, waiting: bool) -> int:
        """Return the exit code of a change that ended so, `waiting` if it is still to be made."""
        if error is not None:
            return error.exit_code
        return 5 if waiting and self.dry_run and self.fail_if_changes else 0


class FreshNames:
    """Unique names, each made up once for what it names."""

    def __init__(self, given: Names | None = None) -> None:
        self.given = dict(given or {})

    def __call__(self, prefix: str, what: str) -> str:
        return self.given.setdefault((prefix, what), f"{prefix}{uuid4()}")
