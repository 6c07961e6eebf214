"""What a malformed log must answer, as data: one `Case` a log, one `Read` a command."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from malformed.table import Table

Verdict = Literal["OK", "WARN", "FAIL", ""]
"""What the list says of a later command; empty where it does not say."""

Readable = Literal["yes", "not by rule", "not by files", "not at all"]
"""Whether the snapshot can be read, and if not, who must notice.

"not by rule": listing, protocol or metadata forbid it, so `history`, `log` and `protocol show`
work and say so. "not at all": the same, but no protocol can be found. "not by files": only a
replay of the files finds it, so the three work and need not know.
"""

THREE_FILES: Mapping[str, Any] = {"version": 3, "files": {"count": 3}}


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One command on the damaged table, and what it must answer."""

    args: str
    exit: int = 0
    code: str | None = None  # of the error if `exit` is not 0, else of a warning
    names: tuple[str, ...] = ()  # words that the message must have
    hint: str = ""
    silent: bool = False  # there is no warning at all
    document: Mapping[str, Any] = field(default_factory=dict)  # members, and members of these


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One malformed log: the row of the list, how to build it, and what reading it answers."""

    row: int
    name: str
    build: Callable[[Table], None]
    reads: tuple[Read, ...]
    readable: Readable = "yes"
    verify: Verdict = ""  # verify-checksum
    write: Verdict = ""  # any command that changes the table


def warns(args: str, code: str, *names: str, **document: object) -> Read:
    """The command works and says `code`."""
    return Read(args=args, code=code, names=names, document=document)


def silent(args: str, **document: object) -> Read:
    """The command works and warns of nothing."""
    return Read(args=args, silent=True, document=document)


def works(args: str, **document: object) -> Read:
    """The command works; what it warns of is not the matter."""
    return Read(args=args, document=document)


def fails(args: str, code: str, *names: str, exit_code: int = 5, hint: str = "") -> Read:
    """The command fails with `code`, and says where."""
    return Read(args=args, exit=exit_code, code=code, names=names, hint=hint)


def unreadable(code: str, *names: str, exit_code: int = 5, hint: str = "") -> tuple[Read, ...]:
    """Whatever needs a snapshot fails with `code`."""
    return tuple(
        fails(args, code, *names, exit_code=exit_code, hint=hint)
        for args in ("show", "files", "schema show")
    )


class Rows:
    """Collects the cases of one subject; each builder is decorated with its row."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def row(
        self,
        number: int,
        *reads: Read,
        name: str = "",
        readable: Readable = "yes",
        verify: Verdict = "",
        write: Verdict = "",
    ) -> Callable[[Callable[[Table], None]], Callable[[Table], None]]:
        """Register the decorated builder as a case, under `name` or its own name."""

        def register(build: Callable[[Table], None]) -> Callable[[Table], None]:
            self.cases.append(
                Case(
                    row=number,
                    name=name or build.__name__,
                    build=build,
                    reads=reads,
                    readable=readable,
                    verify=verify,
                    write=write,
                )
            )
            return build

        return register
