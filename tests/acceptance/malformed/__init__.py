"""Every malformed log of the list, row by row: how it is built, and what reading it must answer."""

from malformed import checkpoints, commits, files, hints, metadata, protocols
from malformed.case import Case

CASES: tuple[Case, ...] = (
    *commits.CASES,
    *protocols.CASES,
    *hints.CASES,
    *checkpoints.CASES,
    *files.CASES,
    *metadata.CASES,
)
