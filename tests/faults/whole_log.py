"""What must hold of a log whatever befell the writer."""

import json
import re
from pathlib import Path

LITTER = re.compile(r"\.\d{20}\.(json|crc)\.\d+-[0-9a-f]{8}\.tmp")
_IDS = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIMES = re.compile(rb"\b1[78][0-9]{11}\b")


def files_of(table: Path) -> dict[str, bytes]:
    """Every file of the log, by name."""
    return {path.name: path.read_bytes() for path in (table / "_delta_log").iterdir()}


def commit_name(version: int) -> str:
    return f"{version:020d}.json"


def side_file(version: int) -> str:
    """Hadoop's checksum of a commit."""
    return f".{commit_name(version)}.crc"


def versions(files: dict[str, bytes]) -> list[int]:
    """The versions that are there."""
    return sorted(int(name[:20]) for name in files if re.fullmatch(r"\d{20}\.json", name))


def litter(files: dict[str, bytes]) -> list[str]:
    """What readers ignore: unfinished files, under names of their own."""
    return [name for name in files if LITTER.fullmatch(name)]


def timeless(content: bytes) -> bytes:
    """A file without what differs between two runs: ids that were made up, and times."""
    return _TIMES.sub(b"TIME", _IDS.sub(b"ID", content))


def assert_whole(before: dict[str, bytes], after: dict[str, bytes], whole: dict[str, bytes]) -> int:
    """Assert that a log is `before`, or that and what is new in `whole`; its newest version.

    Nothing that was there has changed, and what is new is complete, to the last byte. The checksum
    comes after the commit or never.
    """
    newest = versions(before)[-1] + 1
    assert {name: after.get(name) for name in before} == before
    new = {name: content for name, content in after.items() if name not in before}
    for name in litter(new):
        new.pop(name)
    expected = {name: timeless(content) for name, content in whole.items() if name not in before}
    assert commit_name(newest) in expected
    assert {name: timeless(content) for name, content in new.items()}.items() <= expected.items()
    assert commit_name(newest) in new or not new
    for content in new.values():
        for line in content.splitlines():
            assert isinstance(json.loads(line), dict)
    return newest if new else newest - 1
