"""The names in `_delta_log`: what each file is, by its name alone."""

import re
from enum import StrEnum
from typing import NamedTuple


class LogFile(NamedTuple):
    """A file of the log as a listing gives it; `modified` is in milliseconds since the epoch."""

    name: str
    size: int
    modified: int


class LogFileKind(StrEnum):
    """What a file of the log is."""

    COMMIT = "commit"
    CHECKPOINT = "checkpoint"
    COMPACTION = "compaction"
    CHECKSUM = "checksum"
    LAST_CHECKPOINT = "last-checkpoint"
    STRAY_COMMIT = "stray-commit"
    HADOOP_CHECKSUM = "hadoop-checksum"
    TEMPORARY = "temporary"
    OTHER = "other"


class CheckpointKind(StrEnum):
    """How a checkpoint is laid out, least preferred first."""

    CLASSIC = "classic"
    MULTIPART = "multipart"
    V2 = "v2"


class CheckpointName(NamedTuple):
    """A checkpoint file's name, taken apart; `part` and `parts` are 1 but for multi-part ones."""

    version: int
    kind: CheckpointKind
    part: int = 1
    parts: int = 1


LOG = "_delta_log"
LAST_CHECKPOINT = "_last_checkpoint"
SIDECARS = "_sidecars"
STAGED_COMMITS = "_staged_commits"

# The largest version: engines count in 64 bits, and no name beyond that is one of theirs.
_LARGEST = f"{2**63 - 1:020d}"

_STRAY = re.compile(r"([0-9]+)\.json")
_CHECKSUM = re.compile(r"([0-9]{20})\.crc")
_COMPACTION = re.compile(r"([0-9]{20})\.([0-9]{20})\.compacted\.json")
_CHECKPOINT = re.compile(
    r"(?P<version>[0-9]{20})\.checkpoint\."
    r"(?:(?P<part>[0-9]{10})\.(?P<parts>[0-9]{10})\.parquet"
    r"|(?P<uuid>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})\.(?:json|parquet)"
    r"|parquet)"
)


def commit_name(version: int) -> str:
    """Return the name of the commit of `version`."""
    return f"{version:020d}.json"


def commit_version(name: str) -> int | None:
    """Return the version of a commit's name; None for any other file."""
    # Asked of every name in the log, so no regular expression where the shape already says no.
    digits = name[:20]
    if name[20:] == ".json" and digits.isdecimal() and name.isascii() and digits <= _LARGEST:
        return int(digits)
    return None


def compaction_range(name: str) -> tuple[int, int] | None:
    """Return the first and last version that a compaction file covers."""
    found = _COMPACTION.fullmatch(name)
    return (int(found[1]), int(found[2])) if found and found[1] < found[2] <= _LARGEST else None


def checkpoint_name(name: str) -> CheckpointName | None:
    """Return a checkpoint's name taken apart; None for any other file."""
    found = _CHECKPOINT.fullmatch(name)
    version = _version(found["version"]) if found else None
    if found is None or version is None:
        return None
    if found["parts"]:
        part, parts = int(found["part"]), int(found["parts"])
        if not 1 <= part <= parts:
            return None
        return CheckpointName(version, CheckpointKind.MULTIPART, part, parts)
    if found["uuid"]:
        return CheckpointName(version, CheckpointKind.V2)
    return CheckpointName(version, CheckpointKind.CLASSIC)


def checksum_version(name: str) -> int | None:
    """Return the version of a `.crc` file's name; None for any other file."""
    found = _CHECKSUM.fullmatch(name)
    return _version(found[1]) if found else None


def kind_of(name: str) -> tuple[LogFileKind, int | None]:
    """Return what the file is, and the version that it refers to where its name has one."""
    if (version := commit_version(name)) is not None:
        return LogFileKind.COMMIT, version
    if checkpoint := checkpoint_name(name):
        return LogFileKind.CHECKPOINT, checkpoint.version
    if (version := checksum_version(name)) is not None:
        return LogFileKind.CHECKSUM, version
    if covered := compaction_range(name):
        return LogFileKind.COMPACTION, covered[1]
    if name == LAST_CHECKPOINT:
        return LogFileKind.LAST_CHECKPOINT, None
    if stray := _STRAY.fullmatch(name):
        return LogFileKind.STRAY_COMMIT, _version(stray[1].zfill(20))
    if name.startswith(".") and name.endswith(".crc"):
        return LogFileKind.HADOOP_CHECKSUM, None
    if name.endswith(".tmp"):
        return LogFileKind.TEMPORARY, None
    return LogFileKind.OTHER, None


def _version(digits: str) -> int | None:
    """Return the version in twenty digits; None for more digits or too large a number."""
    return int(digits) if len(digits) == 20 and digits <= _LARGEST else None
