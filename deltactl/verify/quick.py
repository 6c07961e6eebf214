"""The health of a table as far as a quick look tells: nothing is read that `show` does not read."""

from collections.abc import Iterator, Sequence

from deltactl.findings import Finding
from deltactl.log.filenames import LAST_CHECKPOINT, LOG
from deltactl.spec.actions.action import DomainMetadata, Transaction
from deltactl.table.commit_times import gives_time
from deltactl.table.snapshot import Snapshot
from deltactl.verify.checkpoint import hint
from deltactl.verify.log import checksum, protocol_and_metadata
from deltactl.verify.log.checksum import ReplayedVersion
from deltactl.verify.log.notices import finding_from_notice

# The fields of a checksum whose values `show` does not find out.
_NOT_LOOKED_AT = {
    "fileSizeHistogram",
    "histogramOpt",
    "numDeletionVectorsOpt",
    "numDeletedRecordsOpt",
}


def quick_findings(
    snapshot: Snapshot,
    *,
    files: int,
    size: int,
    domains: Sequence[DomainMetadata],
    transactions: Sequence[Transaction],
) -> tuple[Finding, ...]:
    """Return what is wrong with protocol, metadata, hint, checkpoint names and checksum."""
    found = [
        *protocol_and_metadata.check_protocol(snapshot.protocol, "protocol"),
        *protocol_and_metadata.check_metadata(snapshot.metadata, "metaData"),
        *protocol_and_metadata.check_pair(snapshot.protocol, snapshot.metadata, "metaData"),
        *(finding_from_notice(notice, LOG) for notice in snapshot.segment.notices),
        *(finding_from_notice(notice, LOG) for notice in snapshot.log.damaged_checkpoints),
        *_hint(snapshot),
    ]
    name = f"{snapshot.version:020d}.crc"
    text = snapshot.log.small_file(name)
    if text is None:
        return tuple(dict.fromkeys(found))
    replayed = ReplayedVersion(
        version=snapshot.version,
        protocol=snapshot.protocol,
        metadata=snapshot.metadata,
        transactions=transactions,
        domains=domains,
        gives_time=gives_time(snapshot.version, snapshot.protocol, snapshot.metadata),
        in_commit_timestamp=None,
        files=files,
        size=size,
        has_vectors=False,
        vectors=0,
        deleted_rows=0,
        size_counts=(),
        size_bytes=(),
        deleted_counts=(),
    )
    for finding in checksum.check(text, name, replayed):
        if finding.subject.partition(": ")[2].partition(".")[0] not in _NOT_LOOKED_AT:
            found.append(finding)
    return tuple(dict.fromkeys(found))


def _hint(snapshot: Snapshot) -> Iterator[Finding]:
    text = snapshot.log.small_file(LAST_CHECKPOINT)
    if text is None:
        return
    read = hint.read(text)
    if isinstance(read, Finding):
        yield read
    else:
        yield from hint.place(read, snapshot.log.listing().checkpoints)
