"""`checkpoint`: the state of a version in files of its own: readers need no older commit then."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import count
from typing import Any, NamedTuple

from deltactl.changes.draft import Draft
from deltactl.changes.file_changes import (
    FileAction,
    LogFileChange,
    PreparedFile,
    moved_aside,
)
from deltactl.changes.jobs import Choice, Engine, choose
from deltactl.changes.log_file_executor import LogFilesReport
from deltactl.changes.plan import LogFilePlan
from deltactl.log.checkpoint.checkpoint_schema import checkpoint_schema
from deltactl.log.filenames import LOG, SIDECARS, CheckpointKind
from deltactl.log.segment import Checkpoint
from deltactl.operations.checkpoint import on_spark
from deltactl.operations.checkpoint.health import CheckpointFacts, ExistingCheckpoints, Part
from deltactl.operations.checkpoint.obstacles import (
    at_option,
    may_lead,
    refuse_faults,
    refuse_faulty,
    refuse_forbidden,
    refuse_format,
    refuse_taken,
    refuse_torn,
)
from deltactl.spec.keys import (
    CHECKPOINT_POLICY,
    CHECKPOINT_STATS_AS_JSON,
    CHECKPOINT_STATS_AS_STRUCT,
    DELETED_FILE_RETENTION,
    TRANSACTION_RETENTION,
    V2_CHECKPOINT_FEATURE,
)
from deltactl.spec.properties.registry import effective
from deltactl.table.checkpoint import checkpoint_writer
from deltactl.table.checkpoint.checkpoint_writer import GROUP, Layout, Retention, WrittenCheckpoint
from deltactl.table.commit.log_files import ABANDONED, HINT, hinted, scratch_folder
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import TableState, prepare_state, read_state
from deltactl.text.hints import Command

OPERATION = "CHECKPOINT"
# Actions of commits that no checkpoint has, which the process keeps in memory: 1.7 KiB each, as
# benchmarks.engine measures. It is quicker than Spark on as many files as it can hold.
SPARK_FROM = 5_000_000

RowsAtMost = Callable[[Snapshot], int]


class CheckpointRequest(NamedTuple):
    """What was asked for. Without a `kind` the table's own; `parts` of it, or as many as needed.

    `json_top`: the file of a V2 checkpoint that names the others is JSON, else parquet. `repair`:
    what is damaged may be moved aside.
    """

    kind: CheckpointKind | None = None
    parts: int | None = None
    json_top: bool = True
    repair: bool = False


class Engines(NamedTuple):
    """Where the files may be made; `runners` starts Spark."""

    wanted: Engine
    runners: on_spark.Runners | None = None


HERE = Engines(Engine.LOCAL)


@dataclass(frozen=True, kw_only=True)
class CheckpointPlan(LogFilePlan):
    """The plan of a checkpoint; `existing` is one that exists and does what was asked for."""

    kind: CheckpointKind
    existing: CheckpointFacts | None = None


@dataclass(frozen=True, kw_only=True)
class CheckpointReport(LogFilesReport):
    """The plan of a checkpoint, and what became of it."""

    plan: CheckpointPlan

    @property
    def checkpoint(self) -> CheckpointFacts | None:
        """The checkpoint that exists now; None if there is nothing that was asked for."""
        plan = self.plan
        if plan.existing is not None or not self.wrote:
            return plan.existing
        parts = (Part(f.path, f.size, f.rows) for f in self.put if f.rows is not None)
        return CheckpointFacts(plan.read_version, plan.kind, tuple(parts))

    def body(self) -> Mapping[str, Any]:
        there = self.checkpoint
        return {**super().body(), "checkpoint": None if there is None else there.to_json()}


def plan_checkpoint(
    draft: Draft,
    request: CheckpointRequest,
    engines: Engines = HERE,
    *,
    dry_run: bool = False,
) -> CheckpointPlan:
    """Plan the checkpoint of the draft's version.

    A `dry_run` reads the commits for what would come up when the files are made.

    Raises:
        BrokenLogError: the version cannot be put together.
        NotFoundError: neither.
    """
    kind = _kind(draft, request)
    refuse_forbidden(draft, kind, request.parts)
    refuse_taken(draft)
    if draft.is_refused:
        return _plan(draft, kind)
    found = ExistingCheckpoints(draft, repair=request.repair)
    if found.damaged and (found.mislead or not request.repair):
        checkpoint, why = found.damaged[0]
        # Once it is moved aside, the version is read again, from the commits.
        repair = (
            Command("verify-checksum", "--repair")
            if found.mislead
            else Command("checkpoint", "--repair", *at_option(draft))
        )
        draft.refuse("CHECKPOINT_DAMAGED", f"{checkpoint.files[0].name} is damaged: {why}", repair)
        return _plan(draft, kind)
    moves = list(_moves(draft, [checkpoint for checkpoint, _ in found.damaged]))
    existing = found.healthy(request.kind)
    if existing is not None:
        facts, adds = existing
        if not _is_hint_due(draft.base, facts.version):
            return _plan(draft, facts.kind, moves, existing=facts)
        text = facts.hint(adds)
        files = [*moves, _hint_change(facts.version, len(text))]
        ready = (PreparedFile(HINT, len(text), data=text),)
        return _plan(draft, facts.kind, files, lambda _: ready, existing=facts)
    refuse_torn(draft.base.notices)
    refuse_format(draft.base.metadata)
    _warn(draft)
    damaged = frozenset(checkpoint for checkpoint, _ in found.damaged)
    if dry_run:
        refuse_faulty(draft.base, damaged)
    maker = _Maker(draft, kind, request, engines, damaged)
    if maker.is_on_spark:
        draft.need_spark(on_spark.JOB)
        if draft.is_refused:
            return _plan(draft, kind)
    abandoned = [c for c in found.unfinished if maker.conflicts_with(c)]
    moves += _moves(draft, abandoned)
    maker.complete(c for c in found.unfinished if c not in abandoned)
    plan = _plan(draft, kind, [*moves, *maker.changes()], maker.prepare)
    return replace(plan, scratch=maker.scratch, as_one=True)


def _plan(
    draft: Draft,
    kind: CheckpointKind,
    files: Sequence[LogFileChange] = (),
    prepare: Callable[[str], Sequence[PreparedFile]] = lambda _: (),
    existing: CheckpointFacts | None = None,
) -> CheckpointPlan:
    plan = draft.file_plan(OPERATION, files, prepare)
    inherited = {field.name: getattr(plan, field.name) for field in fields(plan)}
    return CheckpointPlan(**inherited, kind=kind, existing=existing)


def _kind(draft: Draft, request: CheckpointRequest) -> CheckpointKind:
    """Return the kind that was asked for, or else the one that Spark would write."""
    if request.kind is not None:
        return request.kind
    has_v2 = V2_CHECKPOINT_FEATURE in draft.features
    if has_v2 and effective(draft.configuration, CHECKPOINT_POLICY) == "v2":
        return CheckpointKind.V2
    if request.parts is not None and request.parts > 1:
        return CheckpointKind.V2 if has_v2 else CheckpointKind.MULTIPART
    return CheckpointKind.CLASSIC


def _warn(draft: Draft) -> None:
    configuration = draft.configuration
    if effective(configuration, CHECKPOINT_STATS_AS_JSON) is False and not effective(
        configuration, CHECKPOINT_STATS_AS_STRUCT
    ):
        draft.warn(
            "STATISTICS_NOT_KEPT",
            f"{CHECKPOINT_STATS_AS_JSON} and {CHECKPOINT_STATS_AS_STRUCT} are both false: "
            "the checkpoint holds no statistics, and readers that use it skip no file",
        )


def _moves(draft: Draft, damaged: Sequence[Checkpoint]) -> Iterator[LogFileChange]:
    for checkpoint in damaged:
        what = f"damaged checkpoint of version {checkpoint.version}"
        for file in checkpoint.files:
            yield moved_aside(f"{LOG}/{file.name}", what, draft.now, file.size)


def _is_hint_due(snapshot: Snapshot, version: int) -> bool:
    """Return whether `_last_checkpoint` should name the version and does not."""
    held = hinted(snapshot.log.storage)
    return may_lead(snapshot, version) and (held is None or held.version < version)


def _hint_change(version: int, size: int | None = None) -> LogFileChange:
    return LogFileChange(
        HINT, f"leads to the checkpoint of version {version}", FileAction.REPLACE, size=size
    )


def _chosen(snapshot: Snapshot, engines: Engines, without: frozenset[Checkpoint]) -> Choice:
    """Return where to make the files: this machine, as long as it holds the newer actions."""
    if engines.wanted is Engine.LOCAL or engines.runners is None:
        return choose(Engine.LOCAL, files=0, spark_from=None)
    actions = on_spark.weigh(snapshot, without).actions
    choice = choose(engines.wanted, files=actions, spark_from=SPARK_FROM)
    if engines.wanted is Engine.AUTO and choice.on_spark:
        return choice._replace(why=f"about {actions:,} newer file actions may not fit in memory")
    return choice


def _layout(
    draft: Draft, kind: CheckpointKind, request: CheckpointRequest, rows_at_most: RowsAtMost
) -> Layout:
    version = draft.base.version
    stem = f"{version:020d}.checkpoint"
    if kind is CheckpointKind.CLASSIC:
        return Layout(version, kind, (f"{LOG}/{stem}.parquet",))
    rows = rows_at_most(draft.base) if request.parts is None or kind is CheckpointKind.V2 else 0
    parts = request.parts or max(1, -(-rows // GROUP))
    if kind is CheckpointKind.MULTIPART:
        names = [f"{LOG}/{stem}.{part:010d}.{parts:010d}.parquet" for part in range(1, parts + 1)]
        return Layout(version, kind, tuple(names))
    folder = f"{LOG}/{SIDECARS}"
    names = [
        f"{folder}/{stem}.{part:010d}.{parts:010d}.{draft.fresh('', f'sidecar {part}')}.parquet"
        for part in range(1, parts + 1)
    ]
    form = "json" if request.json_top else "parquet"
    top = f"{LOG}/{stem}.{draft.fresh('', 'checkpoint')}.{form}"
    return Layout(version, kind, tuple(names), top, max(1, -(-rows // parts)))


def _rows_at_most(snapshot: Snapshot) -> int:
    """Return how many file actions the version has, or a few more: by footers and newer commits."""
    state = prepare_state(snapshot)
    older = 0 if state.reader is None else state.reader.rows()
    return older + len(state.replay.files)


class _Maker:
    """Writes the files of a checkpoint, when its plan is carried out."""

    def __init__(
        self,
        draft: Draft,
        kind: CheckpointKind,
        request: CheckpointRequest,
        engines: Engines,
        without: frozenset[Checkpoint],
    ) -> None:
        self._choice = _chosen(draft.base, engines, without)
        self._runners = engines.runners
        on_any = on_spark.rows_at_most if self._choice.on_spark else _rows_at_most
        self._layout = _layout(draft, kind, request, on_any)
        scratch = scratch_folder(draft.base.version, draft.fresh("", "scratch"))
        self.scratch = scratch if self._choice.on_spark else None
        self._snapshot = draft.base
        self._now = draft.now
        self._there: frozenset[str] = frozenset()
        self._without = without
        self._schema = checkpoint_schema(
            draft.schema, draft.partition_columns, draft.configuration, draft.features
        )
        removes = effective(draft.configuration, DELETED_FILE_RETENTION)
        kept = effective(draft.configuration, TRANSACTION_RETENTION)
        self._retention = Retention(
            removes=draft.now - (removes if isinstance(removes, int) else 0),
            transactions=draft.now - kept if isinstance(kept, int) else None,
        )

    @property
    def is_on_spark(self) -> bool:
        """Return if Spark makes the files."""
        return self._choice.on_spark

    def changes(self) -> Iterator[LogFileChange]:
        """Yield the files that there will be; a V2 checkpoint may need fewer of them."""
        layout = self._layout
        number = len(layout.files)
        of = f"of version {layout.version}"
        for place, path in enumerate(layout.files, 1):
            match layout.kind:
                case CheckpointKind.CLASSIC:
                    what = f"classic checkpoint {of}"
                case CheckpointKind.MULTIPART:
                    what = f"part {place} of {number} of the checkpoint {of}"
                case CheckpointKind.V2:
                    what = f"sidecar {place} of {number} of the V2 checkpoint {of}"
            yield LogFileChange(path, what, FileAction.PUT_IF_ABSENT)
        if layout.top is not None:
            yield LogFileChange(layout.top, f"V2 checkpoint {of}", FileAction.PUT_IF_ABSENT)
        if may_lead(self._snapshot, layout.version):
            yield _hint_change(layout.version)

    def conflicts_with(self, unfinished: Checkpoint) -> bool:
        """Return whether parts of an abandoned checkpoint have names of our files.

        A newer checkpoint may be under way, so its parts stay. Parts with the same content as ours
        need not be put again.
        """
        ours = set(self._layout.files)
        is_abandoned = max(file.modified for file in unfinished.files) < self._now - ABANDONED
        return is_abandoned and any(f"{LOG}/{file.name}" in ours for file in unfinished.files)

    def complete(self, unfinished: Iterable[Checkpoint]) -> None:
        """Keep the files of those checkpoints that say what ours would say."""
        there = frozenset(f"{LOG}/{file.name}" for c in unfinished for file in c.files)
        self._there = there.intersection(self._layout.files)

    def prepare(self, folder: str) -> Sequence[PreparedFile]:
        """Write them below `folder`, read back and compared.

        Raises:
            BrokenLogError: the log contradicts the protocol.
            StorageError: they could not be written, or not be read back as they were written.
        """
        result = self._on_spark(folder) if self._choice.on_spark else self._here(folder)
        files = result.files
        ready = [PreparedFile(f.path, f.size, f.rows, local_file=f.local_file) for f in files]
        if may_lead(self._snapshot, self._layout.version):
            parts = tuple(Part(f.path, f.size, f.rows) for f in files)
            hint = CheckpointFacts(self._layout.version, self._layout.kind, parts).hint(result.adds)
            ready.append(PreparedFile(HINT, len(hint), data=hint))
        return ready

    def _here(self, folder: str) -> WrittenCheckpoint:
        attempts = count()
        results: list[WrittenCheckpoint] = []

        def write(state: TableState) -> None:
            refuse_faults(state.replay.faults)
            # One that turns out to be made of a damaged checkpoint is begun again.
            place = os.path.join(folder, str(next(attempts)))
            results.append(
                checkpoint_writer.write(
                    state,
                    self._schema,
                    self._layout,
                    place,
                    self._retention,
                    self._now,
                    self._there,
                )
            )

        state = read_state(
            self._snapshot, write, keep_removes=True, keep_faults=True, without=self._without
        )
        refuse_torn(state.notices)
        return results[-1]

    def _on_spark(self, folder: str) -> WrittenCheckpoint:
        assert self._runners is not None
        assert self.scratch is not None
        work = on_spark.CheckpointWork(
            self._snapshot,
            self._schema,
            self._layout,
            self._retention,
            self._without,
            self._now,
            self.scratch,
        )
        return on_spark.write(work, folder, self._runners, self._choice.why)
