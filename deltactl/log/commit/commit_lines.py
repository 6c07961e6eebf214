"""The text of a commit: its lines, its actions, and the quick search for the few that matter."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from deltactl.errors import BrokenLogError, Notice
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.actions.fields import ACTIONS
from deltactl.text import strict_json
from deltactl.text.hints import Command

BOM = b"\xef\xbb\xbf"
BLANKS = strict_json.BLANKS.encode()

KNOWN_ACTIONS = frozenset(ACTIONS)
DRAFT_ACTIONS = frozenset({"rowIdHighWaterMark"})


def parse_line(line: bytes, name: str, number: int) -> dict[str, Any]:
    """Return one line of a commit as the object it holds.

    Raises:
        BrokenLogError: the line is not a JSON object; file and line are named.
    """
    try:
        value = strict_json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise BrokenLogError(
            "COMMIT_NOT_JSON",
            f"{name}, line {number} is not JSON: {_reason(error)}",
            hint=Command("log") + f" shows the log; {name} must be restored from a copy",
            details={"file": name, "line": number},
        ) from error
    if not isinstance(value, dict):
        raise BrokenLogError(
            "COMMIT_NOT_JSON",
            f"{name}, line {number} is not a JSON object",
            details={"file": name, "line": number},
        )
    return value


def lines(block: bytes, first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that hold something, with their numbers; one after the other is cut out."""
    text = _text_of(block, first)
    start, end, number = 0, 0, first
    while end >= 0:
        end = text.find(b"\n", start)
        line = text[start:] if end < 0 else text[start:end]
        if stripped := line.strip(BLANKS):
            yield number, stripped
        start, number = end + 1, number + 1


def actions(block: bytes, name: str, first: int = 1) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yield every action of a block with its line's number, its kind and its body."""
    for number, line in lines(block, first):
        for kind, body in parse_line(line, name, number).items():
            if isinstance(body, dict):
                yield number, kind, body
            elif body is not None and kind in KNOWN_ACTIONS:
                raise BrokenLogError(
                    "ACTION_MALFORMED",
                    f"{name}, line {number}: {kind} is not an object",
                    details={"file": name, "line": number},
                )


def commit_warnings(block: bytes, name: str) -> Iterator[Notice]:
    """Return what engines disagree about in the text of a commit's first block."""
    text = block.removeprefix(BOM)
    blank = text.startswith((b"\n", b"\r\n")) or b"\n\n" in text or b"\n\r\n" in text
    return text_warnings(name, bom=block.startswith(BOM), blank_lines=blank)


def text_warnings(name: str, *, bom: bool, blank_lines: bool) -> Iterator[Notice]:
    """Yield what to say of a text that not every engine takes."""
    if bom:
        said = f"{name} begins with a byte-order mark; Spark reads it, others do not"
        yield Notice("COMMIT_HAS_BOM", said)
    if blank_lines:
        said = f"{name} has blank lines; Delta Kernel cannot read it"
        yield Notice("COMMIT_HAS_BLANK_LINES", said)


def check_ends(block: bytes, name: str) -> None:
    """Refuse a last line that was cut short, without parsing anything.

    Raises:
        BrokenLogError: the last line does not close its object.
    """
    tail = block[-256:].rstrip(BLANKS)
    if tail and not tail.endswith(b"}"):
        number = block.rstrip(BLANKS).count(b"\n") + 1
        raise BrokenLogError(
            "COMMIT_NOT_JSON",
            f"{name}, line {number} is not JSON: it was cut short",
            details={"file": name, "line": number},
        )


class ActionAtLine(NamedTuple):
    """An action's body, and the line that it stands on; empty for one from a checkpoint."""

    body: dict[str, Any]
    line: bytes


def search(block: bytes, kind: str, name: str, first: int = 1) -> list[ActionAtLine]:
    """Return all actions of one kind, found by their bytes before anything is parsed."""
    key, found, position = b'"%s"' % kind.encode(), [], 0
    while (position := block.find(key, position)) >= 0:
        start = block.rfind(b"\n", 0, position) + 1
        end = block.find(b"\n", position)
        end = len(block) if end < 0 else end
        line = _text_of(block[start:end], 1 if start == 0 and first == 1 else 2).strip(BLANKS)
        # The key may also stand in a string, or as a key further in: only its place decides.
        body = parse_line(line, name, first + block.count(b"\n", 0, start)).get(kind)
        if isinstance(body, dict):
            found.append(ActionAtLine(body, line))
        position = end
    return found


def at_most_one(protocols: int, metadatas: int, name: str) -> Iterator[Notice]:
    """Yield what to say of a commit that has an action twice which it may have once."""
    if protocols > 1:
        said = f"{name} has {protocols} protocol actions; the last one counts"
        yield Notice("TWO_PROTOCOLS", said)
    if metadatas > 1:
        said = f"{name} has {metadatas} metaData actions; the last one counts"
        yield Notice("TWO_METADATA", said)


def read_protocol(found: ActionAtLine, name: str, notices: list[Notice]) -> Protocol:
    """Return the protocol found in the file `name`.

    Raises:
        BrokenLogError: a field is missing or of the wrong type.
    """
    notices += _doubled_key(found, name)
    try:
        return Protocol.from_json(found.body)
    except BrokenLogError as error:
        raise _in_file(error, name) from error


def read_metadata(found: ActionAtLine, name: str, notices: list[Notice]) -> Metadata:
    """Return the metadata found in the file `name`.

    Raises:
        BrokenLogError: a field is missing or of the wrong type.
    """
    notices += _doubled_key(found, name)
    try:
        metadata = Metadata.from_json(found.body)
    except BrokenLogError as error:
        raise _in_file(error, name) from error
    if "createdTime" in metadata.unknown:
        said = f"{name}: metaData.createdTime is not a number; Spark cannot read the table"
        notices.append(Notice("FIELD_WRONG_TYPE", said))
    return metadata


def _doubled_key(found: ActionAtLine, name: str) -> Iterator[Notice]:
    if found.line and (key := duplicate_key(found.line)):
        yield Notice("DUPLICATE_KEY", f"{name} has the key {key!r} twice in one object")


def duplicate_key(line: bytes) -> str | None:
    """Return a key that an object of the line has twice: JSON does not say which of them counts."""
    return strict_json.loads_once(line.decode())[1]


def _text_of(block: bytes, first: int) -> bytes:
    """Return the block without a byte order mark, which only the file's first line may have."""
    return block.removeprefix(BOM) if first == 1 else block


def _in_file(error: BrokenLogError, name: str) -> BrokenLogError:
    details = {**error.details, "file": name}
    return BrokenLogError(
        error.code, f"{name}: {error.message}", hint=error.remedy, details=details
    )


def _reason(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
