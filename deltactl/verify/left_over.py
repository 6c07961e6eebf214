"""What a repair cannot put right: of what kind it is, and what is still to be had."""

from collections.abc import Collection, Iterator, Mapping

from deltactl.errors import Notice
from deltactl.findings import Finding
from deltactl.log.segment import Checkpoint, Listing
from deltactl.table.table import Table
from deltactl.verify.data.rows_on_spark import ROWS
from deltactl.verify.files.vectors import VECTORS
from deltactl.verify.gathered import Findings, file_of
from deltactl.verify.log.replayed import is_hidden
from deltactl.verify.log.state import name_of
from deltactl.verify.still_readable import is_readable

_COMMITS = "a commit is never changed: the engine that wrote it may write another one"
_DATA = (
    "the log does not have what is in data files: restore them from a copy, or restore the table "
    "to a version without them"
)
_DOUBTFUL = "a damaged commit may be what is wrong, so that they stay"
# By check, why it ends there.
_REASONS: Mapping[str, str] = {
    "names": "only who put the files there knows what they are",
    "commits": _COMMITS,
    "files": _COMMITS,
    "checksums": _DOUBTFUL,
    "checkpoints": _DOUBTFUL,
    VECTORS: _DATA,
    "data files": _DATA,
    ROWS: _DATA,
}


def left_over(table: Table, findings: Findings, lost: Collection[Checkpoint]) -> Iterator[Notice]:
    """Yield what to say of findings of a version that can be read; `lost` are told of already."""
    listing = table.log.listing()
    damaged = set(damaged_commits(listing, findings))
    if damaged:
        yield Notice("NOT_REPAIRABLE", _of_damage(table, min(damaged), len(damaged)))
    names = {name_of(checkpoint) for checkpoint in lost} | {
        listing.commits[version].name for version in damaged
    }
    left = [(check, f) for check, f in findings.held if file_of(f) not in names]
    for check in dict.fromkeys(check for check, finding in left if not finding.repairable):
        all_of_it = "some findings" if findings.repairable.get(check) else "what is found"
        why = _REASONS.get(check, "the log does not have what that takes")
        yield Notice("NOT_REPAIRABLE", f"{check}: {all_of_it} cannot be repaired, for {why}")


def damaged_commits(listing: Listing, findings: Findings) -> Iterator[int]:
    """Yield the versions of commits of which something is lost."""
    torn = {file_of(finding) for _, finding in findings.held if _is_of_damage(finding)}
    for version, file in listing.commits.items():
        if not file.size or file.name in torn:
            yield version


def _is_of_damage(finding: Finding) -> bool:
    return is_hidden(finding) and not finding.repairable


def _of_damage(table: Table, version: int, number: int) -> str:
    listing = table.log.listing()
    name = listing.commits[version].name
    more = f", and {number - 1} more" if number > 1 else ""
    said = f"{name}{more}: what is lost of a commit comes back from a copy of it only"
    above = [c for c in listing.checkpoints if c.version >= version and c.is_complete]
    if above:
        said += f"; {name_of(above[0])} may still have it"
    if version and is_readable(table, version - 1):
        said += f"; --at {version - 1} reads the table as it was before"
    return said
