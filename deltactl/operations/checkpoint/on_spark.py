"""The files of a checkpoint made by a job on Spark, of logs that this machine would not hold."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar

import pyarrow.parquet as pq

from deltactl.changes.jobs import Job, JobRunner
from deltactl.errors import StorageError
from deltactl.log.arrow.files_digest import FilesDigest
from deltactl.log.arrow.spark_types import shape_of
from deltactl.log.checkpoint.checkpoint_schema import CheckpointSchema
from deltactl.log.filenames import LOG
from deltactl.log.segment import Checkpoint, Segment
from deltactl.operations.checkpoint.obstacles import refuse_torn
from deltactl.spec.actions.action import DomainMetadata, Transaction
from deltactl.spec.keys import DELETION_VECTORS_FEATURE
from deltactl.spec.protocol.protocol import supported
from deltactl.storage.base import Storage
from deltactl.table.checkpoint.checkpoint_writer import (
    GROUP,
    Layout,
    Retention,
    Written,
    WrittenCheckpoint,
    write_top,
)
from deltactl.table.checkpoint.contents import Contents, domain_text
from deltactl.table.checkpoint.reader import CheckpointReader
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import vector_not_allowed

T = TypeVar("T")

Runners = Callable[[], AbstractContextManager[JobRunner]]

JOB = "checkpoint"
# Bytes of a file action in a commit; for estimates only.
ACTION = 500


class Weight(NamedTuple):
    """How much a checkpoint is made of: rows of an older one and, about, actions in commits."""

    rows: int
    actions: int
    size: int

    @property
    def files(self) -> int:
        return self.rows + self.actions


class CheckpointWork(NamedTuple):
    """All that the files of a checkpoint are made by; `scratch` is a folder of the log for them."""

    snapshot: Snapshot
    schema: CheckpointSchema
    layout: Layout
    retention: Retention
    without: frozenset[Checkpoint]
    now: int
    scratch: str


def weigh(snapshot: Snapshot, without: frozenset[Checkpoint] = frozenset()) -> Weight:
    """Return how much the version is made of, by footers and sizes alone."""

    def read(segment: Segment) -> Weight:
        size = sum(entry.file.size for entry in segment.entries)
        reader = _reader(snapshot.log.storage, segment)
        rows = 0 if reader is None else reader.rows()
        return Weight(rows, size // ACTION, size + (0 if reader is None else reader.size))

    return _resolved(snapshot, read, without)


def rows_at_most(snapshot: Snapshot) -> int:
    """Return about how many file actions the version has."""
    return weigh(snapshot).files


def write(work: CheckpointWork, folder: str, runners: Runners, why: str) -> WrittenCheckpoint:
    """Have Spark make the files of the checkpoint, which it reads back, and compare.

    They are in the `scratch` of the table: readers look for nothing there.

    Raises:
        StorageError: what was written is not what was to be written.
        BrokenLogError: the log contradicts the protocol.
        DeltactlError: the job failed.
    """
    weight = weigh(work.snapshot, work.without)
    params = _resolved(work.snapshot, lambda segment: _params(work, segment), work.without)
    job = Job(JOB, params, why=why, files=weight.files, size=weight.size)
    with runners() as runner:
        made = runner.run(job)
    _check(work, made)
    contents = _small_contents(work.snapshot, made["small"])
    contents.adds = FilesDigest(files=made["found"]["add"]["files"])
    files = _files(work, folder, made["parts"])
    if work.layout.top is not None:
        files += (write_top(contents, work.schema, work.layout, folder, files, work.now),)
    return WrittenCheckpoint(files, contents.adds.files)


def _resolved(
    snapshot: Snapshot, read: Callable[[Segment], T], without: frozenset[Checkpoint]
) -> T:
    log, version = snapshot.log, snapshot.version
    target = None if log.newest_listed() == version else version
    found, _, notices = log.resolve(target, read, without)
    refuse_torn(notices)
    return found


def _reader(storage: Storage, segment: Segment) -> CheckpointReader | None:
    return None if segment.checkpoint is None else CheckpointReader(storage, segment.checkpoint)


def _params(work: CheckpointWork, segment: Segment) -> Mapping[str, Any]:
    """Return what the job asks for."""
    storage, is_v2 = work.snapshot.log.storage, work.layout.top is not None
    reader = _reader(storage, segment)
    names = [] if reader is None else [file.name for file in reader.checkpoint.files]
    top = [f"{LOG}/{name}" for name in names if name.endswith(".json")]
    base = [f"{LOG}/{name}" for name in names if not name.endswith(".json")]
    if reader is not None:
        reader.open_all()
        base += [reader.sidecar_path(sidecar) for sidecar in reader.sidecars]
        base = [path for path in base if reader.has_file_actions(path)]
    schema = work.schema.sidecar() if is_v2 else work.schema.classic()

    def place(path: str) -> str:
        return _place(storage.uri, path)

    def entries(*, compacted: bool) -> list[str]:
        found = [e.file.name for e in segment.entries if e.is_compacted is compacted]
        return [place(f"{LOG}/{name}") for name in found]

    return {
        "target": place(work.scratch),
        "commits": entries(compacted=False),
        "compacted": entries(compacted=True),
        "top": place(top[0]) if top else None,
        "base": [place(path) for path in base],
        "schema": shape_of(schema),
        "small": _small(work, reader),
        "parts": len(work.layout.files),
        "group": GROUP,
        "expired": work.retention.removes,
    }


def _place(uri: str, path: str) -> str:
    """Return where Spark finds a file of the table; its own default may be another store."""
    whole = path if path.startswith("/") else f"{uri}/{path}"
    return whole if "://" in whole else f"file://{os.path.abspath(whole)}"


def _small(work: CheckpointWork, reader: CheckpointReader | None) -> Mapping[str, Any]:
    """Return the version's actions without files, unless commits have newer ones."""
    kinds = ("txn", "domainMetadata")
    held = [] if reader is None else list(reader.actions(kinds, enough=lambda: False))
    transactions = [Transaction.from_json(body) for kind, body in held if kind == "txn"]
    domains = [DomainMetadata.from_json(body) for kind, body in held if kind == "domainMetadata"]
    return {
        "protocol": work.snapshot.protocol.to_json(),
        "metaData": work.snapshot.metadata.to_json(),
        "txn": {t.app_id: t.to_json() for t in transactions},
        "domainMetadata": {
            d.domain: {**d.to_json(), "configuration": domain_text(d)} for d in domains
        },
        "transactionsSince": work.retention.transactions,
    }


def _small_contents(snapshot: Snapshot, small: Mapping[str, Any]) -> Contents:
    domains = map(DomainMetadata.from_json, small["domainMetadata"].values())
    transactions = map(Transaction.from_json, small["txn"].values())
    return Contents(
        protocol=snapshot.protocol,
        metadata=snapshot.metadata,
        transactions={t.app_id: t for t in transactions},
        domains={d.domain: d for d in domains},
    )


def _check(work: CheckpointWork, made: Mapping[str, Any]) -> None:
    expected, found = made["expected"], made["found"]
    vectors = expected["add"]
    if vectors["vectors"] and DELETION_VECTORS_FEATURE not in supported(work.snapshot.protocol):
        raise vector_not_allowed(vectors["vectorOf"])
    wrong = [
        f"{what} of {kind} actions: {found[kind][what]} instead of {expected[kind][what]}"
        for kind in expected
        for what in ("files", "bytes", "vectors", "mark")
        if found[kind][what] != expected[kind][what]
    ]
    rows = sum(kind["files"] for kind in expected.values())
    if work.layout.top is None:
        rows += 2 + len(made["small"]["txn"]) + len(made["small"]["domainMetadata"])
    held = sum(rows for _, _, rows in made["parts"])
    if held != rows:
        wrong.append(f"the number of rows is {held:,} instead of {rows:,}")
    if wrong:
        raise StorageError(
            "CHECKPOINT_NOT_AS_WRITTEN",
            f"the checkpoint, read back from {work.scratch}, is not what was to be written: "
            f"{'; '.join(wrong)}; readers see nothing of it",
            hint="run it again; what it reads, or a disk, may have changed in between",
        )


def _files(
    work: CheckpointWork, folder: str, parts: Sequence[tuple[int, str, int]]
) -> tuple[Written, ...]:
    """Return what is to be put, by its name in the log: sidecars that are empty are left out."""
    storage = work.snapshot.log.storage
    made = {number: (f"{work.scratch}/{name}", rows) for number, name, rows in parts}
    found = []
    for number, path in enumerate(work.layout.files):
        if number in made:
            own, rows = made[number]
            found.append(Written(path, storage.source(own), rows, storage.head(own).size))
        elif work.layout.top is None:
            # Readers take a multi-part checkpoint for whole only with every part.
            local_file = os.path.join(folder, f"empty-{number}.parquet")
            pq.write_table(work.schema.classic().empty_table(), local_file, store_schema=False)
            found.append(Written(path, local_file, 0, os.path.getsize(local_file)))
    return tuple(found)
