"""The form of an explanation."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one code means.

    `exit` is the exit code of the command that it ends; None where it is only ever a warning.
    `summary` is one line; `text` says why it comes, and what to do about it.
    """

    exit: int | None
    summary: str
    text: str
