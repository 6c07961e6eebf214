"""Versions that are counted from the newest one: `@prev`, `-1`."""

import re
from typing import NamedTuple

PREVIOUS = "@prev"
_BACK = re.compile("@?-([0-9]{1,18})")


class VersionsBack(NamedTuple):
    """A version of a table by its distance from the newest: 1 is the one before it."""

    number: int


def parse_versions_back(text: str) -> VersionsBack | None:
    """Return the version that `@prev` or `-2` means; None for anything else."""
    if text == PREVIOUS:
        return VersionsBack(1)
    found = _BACK.fullmatch(text)
    return VersionsBack(int(found[1])) if found else None
