"""What history needs of a commit's text, in one pass that parses only what it shows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

from deltactl.log.commit.commit_info_form import FormedInfo, Forms
from deltactl.log.commit.commit_lines import BLANKS, BOM, ActionAtLine, parse_line
from deltactl.spec.keys import ROW_TRACKING_DOMAIN

_INFO = b'{"commitInfo":{'
_TXN, _DOMAIN = b'{"txn":', b'{"domainMetadata":'
# It moves with the rows of nearly every commit of a table that numbers them.
_COUNTS_ROWS = f'"{ROW_TRACKING_DOMAIN}"'.encode()
_ADD, _REMOVE, _CDC = b'{"add":', b'{"remove":', b'{"cdc":'


class FileCounts(NamedTuple):
    """How many files a commit added, removed, and wrote for the change data feed."""

    added: int
    removed: int
    cdc: int


NO_FILES = FileCounts(0, 0, 0)
# Kept: most commits of a table have the same few.
_file_counts = lru_cache(FileCounts)


@dataclass(slots=True, eq=False, repr=False)
class Digest:
    """A commit's info, files and heads, and what is odd about its text."""

    info: Mapping[str, Any] = field(default_factory=dict)
    info_is_first: bool = True
    has_blank_lines: bool = False
    has_bom: bool = False
    files: FileCounts = NO_FILES
    protocols: tuple[ActionAtLine, ...] = ()
    metadatas: tuple[ActionAtLine, ...] = ()
    domain_lines: tuple[bytes, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to it but info and files."""
        heads = self.protocols or self.metadatas or self.domain_lines
        return self.info_is_first and not (heads or self.has_bom or self.has_blank_lines)

    def read(self, block: bytes, name: str, first: int = 1, forms: Forms | None = None) -> None:
        """Add a block of whole lines, the first of which is the line `first` of the file.

        `forms` learn from its commitInfo.

        Raises:
            BrokenLogError: a line that is shown, or of a form that no engine writes, is not JSON.
        """
        added, removed, cdc = self.files.added, self.files.removed, self.files.cdc
        position, number = 0, first
        if first == 1 and block.startswith(_INFO):
            position = block.find(b"\n") + 1 or len(block)
            number = 2
            info = parse_line(block[:position], name, 1)["commitInfo"]
            # The key may stand there twice, and the last one counts.
            self.info = info if isinstance(info, dict) else {}
            if forms is not None and block.endswith(b"\n", 0, position):
                forms.learn(block[: position - 1], self.info)
        # Lines are looked at where they stand: most are long, and only their first word counts.
        while position < len(block):
            if block.startswith(_ADD, position):
                added += 1
            elif block.startswith(_REMOVE, position):
                removed += 1
            elif block.startswith(_CDC, position):
                cdc += 1
            else:
                end = block.find(b"\n", position)
                line = block[position:] if end < 0 else block[position:end]
                for kind in self._read_line(line, name, number):
                    added += kind == "add"
                    removed += kind == "remove"
                    cdc += kind == "cdc"
            position = block.find(b"\n", position) + 1 or len(block)
            number += 1
        self.files = FileCounts(added, removed, cdc)

    def _read_line(self, line: bytes, name: str, number: int) -> list[str]:
        """Keep what the line says; the kinds of its actions."""
        if not line.startswith(b"{"):
            if number == 1:
                self.has_bom = line.startswith(BOM)
                line = line.removeprefix(BOM)
            line = line.strip(BLANKS)
            self.has_blank_lines |= not line
        if not line or line.startswith(_TXN):
            return []
        if line.startswith(_DOMAIN):
            if _COUNTS_ROWS not in line:
                self.domain_lines = (*self.domain_lines, line)
            return []
        value = parse_line(line, name, number)
        for kind, body in value.items():
            if not isinstance(body, dict):
                continue
            if kind == "commitInfo":
                self.info, self.info_is_first = body, number == 1
            elif kind == "protocol":
                self.protocols = (*self.protocols, ActionAtLine(body, line))
            elif kind == "metaData":
                self.metadatas = (*self.metadatas, ActionAtLine(body, line))
            elif kind == "domainMetadata" and _COUNTS_ROWS not in line:
                self.domain_lines = (*self.domain_lines, line)
        return list(value)


def read_plain(text: bytes, forms: Forms) -> tuple[FormedInfo, FileCounts] | None:
    """Read a whole commit at once, if it is info of a known form and files; None for any other."""
    if not (text.startswith(_INFO) and text.endswith(b"}\n")):
        return None
    end = text.find(b"\n")
    info = forms.read(text[:end])
    if info is None:
        return None
    added = removed = cdc = 0
    position = end + 1
    # Finding each end of a line is several times as fast as counting all lines first.
    while position < len(text):
        if text.startswith(_ADD, position):
            added += 1
        elif text.startswith(_REMOVE, position):
            removed += 1
        elif text.startswith(_CDC, position):
            cdc += 1
        else:
            return None
        position = text.find(b"\n", position) + 1
    return info, _file_counts(added, removed, cdc)
