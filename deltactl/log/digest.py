"""What history needs of a commit's text, in one pass that parses only what it shows."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from deltactl.log.commit import BOM, KNOWN_ACTIONS, Found, parse_line


class FileCounts(NamedTuple):
    """How many files a commit added, removed, and wrote for the change data feed."""

    added: int
    removed: int
    cdc: int


@dataclass(slots=True)
class Digest:
    """A commit's info, files and heads, and what is odd about its text."""

    info: dict[str, Any] = field(default_factory=dict)
    info_is_first: bool = True
    has_blank_lines: bool = False
    has_bom: bool = False
    files: FileCounts = FileCounts(0, 0, 0)
    protocols: list[Found] = field(default_factory=list)
    metadatas: list[Found] = field(default_factory=list)

    def read(self, block: bytes, name: str, first: int = 1) -> None:
        """Add a block of whole lines, the first of which is the line `first` of the file.

        Raises:
            BrokenLogError: a line that is shown, or of a form that no engine writes, is not JSON.
        """
        added, removed, cdc = self.files
        lines = block.split(b"\n")
        if not lines[-1]:
            lines.pop()
        for number, line in enumerate(lines, first):
            if line.startswith(b'{"add":'):
                added += 1
            elif line.startswith(b'{"remove":'):
                removed += 1
            elif line.startswith(b'{"cdc":'):
                cdc += 1
            else:
                for kind in self._read_line(line, name, number):
                    added += kind == "add"
                    removed += kind == "remove"
                    cdc += kind == "cdc"
        self.files = FileCounts(added, removed, cdc)

    def _read_line(self, line: bytes, name: str, number: int) -> list[str]:
        """Keep what the line says; the kinds of its actions."""
        self.has_bom |= line.startswith(BOM)
        text = line.removeprefix(BOM).strip()
        self.has_blank_lines |= not text
        if not text or _kind(text) in ("txn", "domainMetadata"):
            return []
        value = parse_line(text, name, number)
        for kind, body in value.items():
            if not isinstance(body, dict):
                continue
            if kind == "commitInfo":
                self.info, self.info_is_first = body, number == 1
            elif kind == "protocol":
                self.protocols.append(Found(body, text))
            elif kind == "metaData":
                self.metadatas.append(Found(body, text))
        return list(value)


def _kind(line: bytes) -> str | None:
    """The kind of action that a line begins with, as far as its bytes tell."""
    kind = line[2 : line.find(b'"', 2, 32)].decode("ascii", "replace")
    return kind if line.startswith(b'{"') and kind in KNOWN_ACTIONS else None
