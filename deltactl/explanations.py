"""What each code means, for `deltactl explain`: one entry for every error and warning.

The entries are sections of the files in `data/explanations`, one file a subject:

    # Subject
    next: deltactl show TABLE

    ## CODE
    exit: 4
    also: 5
    next: deltactl history TABLE
    summary: one line

    Why it comes, and what to do about it.

The text of a finding begins with one sentence on what it means for those who use the table.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).with_name("data") / "explanations"
_HEADING = "\n## "
_END_OF_SENTENCE = re.compile(r"(?<=\.)\s+")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What one code means.

    `exit` is the exit code of the command that it ends; None for a warning. `also` are the other
    exit codes: 4 if a plan is refused for it, 5 if it is a finding. `summary` is one line; `text`
    says why it comes, and what to do about it. `subject` is what it belongs to, and `next` the
    command to type: its own, or that of its subject.
    """

    exit: int | None
    summary: str
    text: str
    subject: str
    next: str
    also: tuple[int, ...] = ()

    @property
    def exits(self) -> tuple[int, ...]:
        """All exit codes of commands that it ends."""
        return (*(() if self.exit is None else (self.exit,)), *self.also)

    @property
    def meaning(self) -> str:
        """The first sentence of the text, on one line."""
        return " ".join(_END_OF_SENTENCE.split(self.text, maxsplit=1)[0].split())


@cache
def explanations() -> Mapping[str, Explanation]:
    """Return all entries, in order of their codes."""
    return read(FOLDER)


def read(folder: Path) -> dict[str, Explanation]:
    """Return the entries of all files in `folder`, in order of their codes.

    Raises:
        ValueError: two sections explain the same code, or one is not of the form above.
    """
    found: dict[str, Explanation] = {}
    files: dict[str, str] = {}
    for path in sorted(folder.glob("*.md")):
        text = "\n" + path.read_text(encoding="utf-8")
        head, *sections = text.split(_HEADING)
        subject, _, following = head.strip().removeprefix("# ").partition("\nnext: ")
        if not subject or not following:
            raise ValueError(f"{path.name}: the head needs a subject, and what to type next")
        for section in sections:
            code, _, rest = section.partition("\n")
            if code in files:
                raise ValueError(f"{code} is explained in {files[code]} and in {path.name}")
            files[code] = path.name
            try:
                found[code] = _entry(rest, subject, following)
            except ValueError as error:
                raise ValueError(f"{path.name}, {code}: {error}") from error
    return dict(sorted(found.items()))


def _entry(section: str, subject: str, following: str) -> Explanation:
    head, _, text = section.partition("\n\n")
    members: dict[str, str] = {}
    for line in head.splitlines():
        name, colon, value = line.partition(": ")
        if name not in ("exit", "also", "next", "summary") or not colon:
            raise ValueError(f"unknown member {line!r}")
        if name in members:
            raise ValueError(f"two members {name!r}")
        members[name] = value
    for name in ("exit", "summary"):
        if name not in members:
            raise ValueError(f"missing member {name!r}")
    if not (text := text.strip()):
        raise ValueError("missing text")
    ends = members["exit"]
    also = members.get("also", "").split(", ") if "also" in members else []
    return Explanation(
        exit=None if ends == "none" else int(ends),
        summary=members["summary"],
        text=text,
        subject=subject,
        next=members.get("next", following),
        also=tuple(map(int, also)),
    )
