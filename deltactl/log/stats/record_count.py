"""The number of rows of a file, read from the head of its statistics where engines write it."""

import json
import re
from functools import lru_cache

# numRecords stands first in the statistics that engines write: nothing behind it need be looked at.
HEAD_PATTERN = r'^\{"numRecords":(?P<records>\d{1,18})[,}]'
_HEAD = re.compile(HEAD_PATTERN)


def records_in(stats: str) -> int | None:
    """Return the number of rows that an add's statistics tell; None if they do not."""
    if head := _HEAD.match(stats):
        return int(head["records"])
    try:
        value = json.loads(stats)
    except (ValueError, RecursionError):
        return None
    found = value.get("numRecords") if isinstance(value, dict) else None
    return found if type(found) is int and -(2**63) <= found < 2**63 else None


def only_records(stats: str) -> str | None:
    """Return the statistics without all but the number of rows; None if they do not tell it."""
    found = records_in(stats)
    return None if found is None else _text(found)


@lru_cache(maxsize=1 << 14)
def _text(records: int) -> str:
    """Return the text of a count, cached since many files have as many rows."""
    return f'{{"numRecords":{records}}}'
