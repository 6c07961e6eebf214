"""The form of an explanation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one code means.

    `exit` is the exit code of the command that it ends; None for a warning. `also` are the other
    exit codes: 4 where a plan is refused for it, 5 where it is a finding. `summary` is one line;
    `text` says why it comes, and what to do about it.
    """

    exit: int | None
    summary: str
    text: str
    also: tuple[int, ...] = ()
