"""The list of its version's files that a checksum may have: engines read it instead of the log."""

from collections.abc import Callable, Iterator

from deltactl.errors import BrokenLogError
from deltactl.findings import Finding, shown
from deltactl.log.replay import FileKey, file_key
from deltactl.spec.actions.file_action import AddFile
from deltactl.text import strict_json
from deltactl.verify.files.live_totals import facts_of

_LIST = "allFiles"
# The digest of a live file; None for a file that is not live.
DigestOf = Callable[[FileKey], int | None]


def check(text: bytes, name: str, live: Callable[[], DigestOf]) -> Iterator[Finding]:
    """Yield whether each file that the checksum `name` lists is the live one; one finding a kind.

    `live` is asked only for a list. How many there are is compared elsewhere.
    """
    listed = _listed(text)
    if not listed:
        return
    digest_of, seen = live(), set[FileKey]()
    told: dict[str, list[str]] = {"is no live file": [], "differs": [], "is there twice": []}
    subject = f"{name}: {_LIST}"
    for body in listed:
        try:
            add = AddFile.from_json(body)
        except BrokenLogError as error:
            yield Finding("CHECKSUM_WRONG", subject, "adds", error.message, repairable=True)
            return
        key = file_key(add)
        digest = digest_of(key)
        if key in seen:
            told["is there twice"].append(add.path)
        elif digest is None:
            told["is no live file"].append(add.path)
        elif digest != facts_of(add).digest:
            told["differs"].append(add.path)
        seen.add(key)
    for words, paths in told.items():
        if paths:
            more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
            found = shown(f"{paths[0]} {words}{more}")
            expected = "the adds of the commits"
            yield Finding("CHECKSUM_WRONG", subject, expected, found, repairable=True)


def _listed(text: bytes) -> list[dict[str, object]]:
    """Return the bodies in the list; none if the text is no checksum, a finding of its own."""
    if b'"allFiles"' not in text:
        return []
    try:
        value = strict_json.loads(text.decode())
    except (ValueError, RecursionError):
        return []
    held = value.get(_LIST) if isinstance(value, dict) else None
    return [body for body in held if isinstance(body, dict)] if isinstance(held, list) else []
