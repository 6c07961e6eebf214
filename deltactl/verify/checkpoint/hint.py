"""`_last_checkpoint`: what it says of the checkpoint that it names."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from deltactl.errors import Notice
from deltactl.findings import Finding, Severity, shown
from deltactl.log.checkpoint import last_checkpoint
from deltactl.log.checkpoint.last_checkpoint import Checksum, LastCheckpoint
from deltactl.log.filenames import LAST_CHECKPOINT, CheckpointKind
from deltactl.log.segment import Checkpoint
from deltactl.text.strict_json import DIGITS
from deltactl.verify.log.notices import finding_from_notice


class HintedCheckpoint(NamedTuple):
    """What is true of the named checkpoint: its bytes, rows, adds, and the columns of its files.

    `sidecars` are its sidecars' names, each with its bytes.
    """

    checkpoint: Checkpoint
    size: int
    rows: int
    adds: int
    columns: frozenset[str]
    sidecars: Mapping[str, int]


def read(text: bytes) -> LastCheckpoint | Finding:
    """Return what the hint says, or why it is not believed."""
    hint = last_checkpoint.read(text)
    return finding_from_notice(hint, LAST_CHECKPOINT) if isinstance(hint, Notice) else hint


def rule(hint: LastCheckpoint) -> str:
    """Return by which rule the checksum is right, in words."""
    if hint.checksum is Checksum.ABSENT:
        return "no checksum"
    return f"checksum right by {hint.checksum.value}"


def place(
    hint: LastCheckpoint, checkpoints: Sequence[Checkpoint], doubted: Sequence[Checkpoint] = ()
) -> Iterator[Finding]:
    """Yield a finding unless the hint names the newest complete checkpoint, or a `doubted` one."""
    complete = [c for c in checkpoints if c.is_complete]
    named = [c for c in complete if c.version == hint.version]
    if named and hint.parts is not None and hint.parts not in {c.parts for c in named}:
        yield _wrong("parts", " or ".join(str(c.parts) for c in named), hint.parts)
    newest = max((c.version for c in complete if c not in doubted), default=None)
    if not named:
        found = f"version {hint.version}, which has no complete checkpoint"
        expected = "no such file" if newest is None else f"version {newest}"
        yield Finding(
            "LAST_CHECKPOINT_TARGET_MISSING", LAST_CHECKPOINT, expected, found, repairable=True
        )
    elif hint.file is not None and not checkpoints_meant(hint, named):
        expected = " or ".join(c.files[0].name for c in named)
        yield Finding(
            "LAST_CHECKPOINT_TARGET_MISSING",
            f"{LAST_CHECKPOINT}: v2Checkpoint.path",
            expected,
            shown(hint.file),
            repairable=True,
        )
    elif newest is not None and newest > hint.version:
        said_of = f"version {newest}, the newest checkpoint", f"version {hint.version}"
        yield Finding(
            "LAST_CHECKPOINT_BEHIND",
            LAST_CHECKPOINT,
            *said_of,
            Severity.WARNING,
            repairable=True,
        )


def checkpoints_meant(hint: LastCheckpoint, checkpoints: Sequence[Checkpoint]) -> list[Checkpoint]:
    """Return the checkpoints that the hint can mean, of which a version may have several."""
    here = [c for c in checkpoints if c.version == hint.version]
    if hint.file is not None:
        return [c for c in here if c.files[0].name == hint.file]
    if hint.is_v2:
        kinds = {CheckpointKind.V2}
    elif hint.parts is not None:
        kinds = {CheckpointKind.MULTIPART}
    else:
        kinds = {CheckpointKind.CLASSIC, CheckpointKind.V2}
    return [c for c in here if c.kind in kinds]


def content(text: bytes, named: HintedCheckpoint) -> Iterator[Finding]:
    """Yield whether the figures are those of the checkpoint."""
    value = json.loads(text, parse_int=_number)
    for field, expected in _expected(named).items():
        found = value.get(field)
        if found is not None and found not in expected:
            yield _wrong(field, str(expected[0]), found)
    schema = value.get("checkpointSchema")
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if schema is not None and not isinstance(fields, list):
        yield _wrong("checkpointSchema", "a schema", schema)
    elif fields and named.columns:
        names = {str(field.get("name")) for field in fields if isinstance(field, dict)}
        if strange := sorted(names - named.columns):
            expected_names = ", ".join(sorted(named.columns))
            yield _wrong("checkpointSchema", f"columns of the file: {expected_names}", strange[0])
    v2 = value.get("v2Checkpoint")
    if isinstance(v2, dict):
        yield from _of_v2(v2, named)


def _number(text: str) -> int | str:
    """Return the number, or its text if it has more digits than any number of the log."""
    return int(text) if len(text) <= DIGITS else text


def _of_v2(v2: Mapping[str, Any], named: HintedCheckpoint) -> Iterator[Finding]:
    """Yield whether the sidecars are those of the checkpoint: Spark takes this list for theirs."""
    size = v2.get("sizeInBytes")
    if size is not None and size != named.checkpoint.files[0].size:
        yield _wrong("v2Checkpoint.sizeInBytes", str(named.checkpoint.files[0].size), size)
    listed = v2.get("sidecarFiles")
    if listed is None:
        return
    expected = [f"{name}, {size} bytes" for name, size in sorted(named.sidecars.items())]
    found = sorted(map(_sidecar, listed)) if isinstance(listed, list) else [shown(listed)]
    if found != expected:
        missing = [text for text in expected if text not in found]
        strange = [text for text in found if text not in expected]
        both = f"{len(expected)} sidecars", f"{len(found)} sidecars"
        one, other = (missing or both[:1])[0], (strange or both[1:])[0]
        yield _wrong("v2Checkpoint.sidecarFiles", shown(one), other)


def _sidecar(body: Any) -> str:
    """Return the listed sidecar in the words in which those of the checkpoint are put."""
    path = body.get("path") if isinstance(body, dict) else None
    if not isinstance(path, str):
        return shown(str(body))
    return f"{path.rpartition('/')[2]}, {body.get('sizeInBytes')} bytes"


def _expected(named: HintedCheckpoint) -> dict[str, list[Any]]:
    # Spark counts the rows, Kernel the adds only; delta-rs once wrote the bytes.
    checkpoint = named.checkpoint
    parts = [checkpoint.parts] if checkpoint.kind is CheckpointKind.MULTIPART else []
    return {
        "size": [named.rows, named.adds, named.size],
        "sizeInBytes": [named.size],
        "numOfAddFiles": [named.adds],
        "parts": parts or [1],
    }


def _wrong(field: str, expected: str, found: Any) -> Finding:
    subject = f"{LAST_CHECKPOINT}: {field}"
    return Finding("LAST_CHECKPOINT_WRONG", subject, expected, shown(found), repairable=True)
