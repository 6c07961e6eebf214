"""What a planned change looks like: the columns that change, what it costs, how to go back."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import chain
from typing import Any

from deltactl.changes.change_report import ChangeReport, PlanReport
from deltactl.changes.file_changes import FileActions
from deltactl.changes.jobs import Job
from deltactl.changes.plan import ChangePlan, CommitPlan, JobPlan
from deltactl.changes.report_rows import ClientImpact, SettingKind
from deltactl.changes.rows import Counterexample
from deltactl.changes.undo import Undo
from deltactl.cli.render.blocks import (
    Block,
    Column,
    Grid,
    Heading,
    Label,
    Lines,
    Span,
    view,
)
from deltactl.cli.render.column_lines import DiffView, shown_path
from deltactl.cli.render.consent_reasons import consent_reasons
from deltactl.cli.render.differences import difference_blocks, readers_words, summary, title
from deltactl.cli.render.words import count, size
from deltactl.errors import DeltactlError, Notice
from deltactl.report import Report
from deltactl.spec.schema.change_words import type_words
from deltactl.spec.schema.diff import (
    ColumnPair,
    compare,
)
from deltactl.spec.schema.schema import parse_schema
from deltactl.table.differences import Differences, ProtocolChange, ValueChange

# A list that is longer says how many more there are.
SHOWN = 20


@dataclass(frozen=True)
class PreviewReport(Report):
    """A plan, before anyone agreed to it, with what to know before that."""

    plan: ChangePlan
    warnings: tuple[Notice, ...] = ()

    def body(self) -> Mapping[str, Any]:
        return {"plan": self.plan.to_json()}


@dataclass(frozen=True)
class OutcomeReport(Report):
    """What became of a plan that need not be shown, or was; its `warnings` are those since then."""

    change: PlanReport
    warnings: tuple[Notice, ...] = ()
    exit_code: int = 0

    @property
    def done(self) -> str | None:
        """What the change wrote."""
        return self.change.done

    @property
    def errors(self) -> tuple[DeltactlError, ...]:
        """Those of the change."""
        return self.change.errors

    def body(self) -> Mapping[str, Any]:
        return self.change.body()


def outcome_of(change: PlanReport, *, after: PreviewReport | None = None) -> OutcomeReport:
    """Return the outcome alone; `after` a preview, without its warnings."""
    seen = set(after.warnings) if after else set()
    warnings = tuple(notice for notice in change.warnings if notice not in seen)
    return OutcomeReport(change, warnings, change.exit_code)


@view.register
def _(report: PreviewReport) -> Iterable[Block]:
    yield from plan_blocks(report.plan)


@view.register
def _(report: OutcomeReport) -> Iterable[Block]:
    if not report.errors:
        yield Lines([outcome(report.change)])


@view.register
def _(report: ChangeReport) -> Iterable[Block]:
    if report.plan.refusals:
        # The reasons are errors; what else was planned would have no effect.
        yield from _counterexamples(report.plan.counterexamples)
        return
    if not report.plan.is_empty and not report.done_before:
        yield from plan_blocks(report.plan)
    if report.error is None:
        yield Lines([outcome(report)])


@singledispatch
def outcome(report: PlanReport) -> Label:
    """Say what is true now, in one line."""
    raise TypeError(f"{type(report).__name__} has no outcome")


@outcome.register
def _(report: ChangeReport) -> Label:
    version = report.plan.read_version
    if report.version is not None:
        first = f"Rewrote {count(report.rewritten.files, 'file')}. " if report.rewritten else ""
        done = f"{first}Committed as version {report.version}."
        return [Span(f"{done}{_filled(report)}", "added")]
    if report.backfilled is not None:
        return "Nothing to do: every row has a value."
    if report.done_before:
        return f"Done before, by this transaction; the table stays at version {version}."
    if report.saved_as is not None:
        line = f"deltactl apply {report.saved_as}"
        line += " --yes" if consent_reasons(report.plan) else ""
        if report.plan.is_empty:
            said = f"Nothing to do: already up to date (version {version})"
            return f"{said}. Saved nevertheless: {line} does nothing either."
        return [
            Span(f"Saved; the table is at version {version}. To carry it out: {line}", "warning")
        ]
    if report.plan.is_empty:
        return f"Nothing to do: already up to date (version {version})."
    return [Span(f"Dry run: nothing was written; the table is at version {version}.", "warning")]


def _filled(report: ChangeReport) -> str:
    """Return what became of old rows, if they were to get the value of a new column."""
    done = report.backfilled
    if done is None:
        return ""
    if done.version is None:
        return " No row was left without a value."
    where = "" if done.version == report.version else f", as version {done.version}"
    return f" {count(done.rows, 'row')} got the value{where}."


def plan_blocks(plan: ChangePlan) -> Iterator[Block]:
    """Draw the plan: what changes, what it costs, what happens to files, how to go back."""
    # Spark makes commits of its own before ours, or instead of it.
    after = "…" if plan.takes_spark else f"v{plan.version}"
    versions = f"v{plan.read_version} → {after}   {plan.operation}"
    found = _differences(plan)
    yield title(plan.base.metadata.name or plan.base.log.storage.uri, versions, summary(found))
    # Only a table with column mapping drops columns, and its files keep the values.
    shown = DiffView(keeps_values=True, context=0, limit=SHOWN)
    yield from difference_blocks(found, shown, list(_facts(plan, found.pairs)))


def _differences(plan: ChangePlan) -> Differences:
    """Return what the plan changes, as `diff` shows it once it is done."""
    settings = {kind: [s for s in plan.settings if s.kind is kind] for kind in SettingKind}
    values = {
        kind: tuple(ValueChange(s.path, s.before, s.after) for s in held)
        for kind, held in settings.items()
    }
    changed = plan.protocol
    protocol = None if changed is None else ProtocolChange(plan.base.protocol, changed)
    return Differences(
        tuple(_pairs(plan)),
        protocol,
        properties=values[SettingKind.PROPERTY],
        table=values[SettingKind.TABLE],
        domains=values[SettingKind.DOMAIN],
    )


def _counterexamples(rows: Sequence[Counterexample]) -> Iterator[Block]:
    """Show violating rows, with their values in the columns that all of them have."""
    if not rows:
        return
    values = [json.loads(row.values) for row in rows]
    yield Heading("Violating rows")
    yield Grid(
        [*(Column(name) for name in values[0]), Column("FILE")],
        (
            [*(Span(_value(value), "name") for value in row.values()), example.file]
            for row, example in zip(values, rows, strict=True)
        ),
    )


def _pairs(plan: ChangePlan) -> Sequence[ColumnPair]:
    if not (plan.schema_changes and plan.metadata and plan.metadata.schema_string):
        return ()
    assert plan.base.schema is not None
    return compare(plan.base.schema, parse_schema(plan.metadata.schema_string))


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _facts(plan: ChangePlan, pairs: Sequence[ColumnPair]) -> Iterator[tuple[str, Label]]:
    if plan.protocol is not None:
        yield from _clients(plan)
    yield "Data files", _data_files(plan)
    yield from _physical_types(plan)
    if plan.rewrites is not None and plan.rewrites_first is None:
        files = f"{count(plan.rewrites.files, 'file')} ({size(plan.rewrites.size)})"
        yield "Old types", f"in {files}, which --rewrite rewrites first"
    if plan.rows_checked is not None:
        files, rows = count(plan.rows_checked.files, "file"), count(plan.rows_checked.rows, "row")
        yield "Rows", f"{rows} in {files} checked; all satisfy the change"
    if plan.schema_changes:
        yield "Readers", readers_words(pairs)
    if plan.undo:
        yield from _undo(plan.undo)


def _undo(undo: Undo) -> Iterator[tuple[str, Label]]:
    lines = [str(command) for command in undo.commands]
    if undo.note:
        lines.append(str(undo.note if lines else "no command does: " + undo.note))
    return (("" if place else "To go back", line) for place, line in enumerate(lines))


def _clients(plan: ChangePlan) -> Iterator[tuple[str, Label]]:
    if not plan.clients_lost:
        yield "Clients", _no_client(plan.already_incompatible)
    for place, impact in enumerate(plan.clients_lost):
        because = "; ".join(impact.because)
        yield (
            "" if place else "Clients",
            [
                Span(impact.client.title, "name"),
                Span(f" can no longer {' and '.join(impact.loses)} it", "removed"),
                f": {because}" if because else "",
            ],
        )


def _no_client(already_incompatible: Sequence[ClientImpact]) -> str:
    if not already_incompatible:
        return "no known client loses access"
    lacking = [
        f"{c.client.title} cannot {' or '.join(c.lacked)} it already" for c in already_incompatible
    ]
    return f"no additional client loses access ({', '.join(lacking)})"


def _data_files(plan: ChangePlan) -> Label:
    if (first := plan.rewrites_first) is not None:
        files = f"{count(first.files, 'file')} ({size(first.size)})"
        how = f" with {first.have} {_are(first.files)} rewritten first, on Spark"
        return [Span(files, "changed"), how]
    match plan:
        case JobPlan(job=job):
            return _rewritten(job, "rewritten, on Spark")
        case CommitPlan(follow_up=Job() as job):
            return _rewritten(job, "rewritten after that, by a second commit: an UPDATE on Spark")
        case CommitPlan(file_actions=FileActions(number=number, what=what)):
            return f"{count(number, 'file')} committed again with {what}, none rewritten"
    return _not_rewritten(plan)


def _not_rewritten(plan: ChangePlan) -> Label:
    files = plan.data_files
    is_old = files.as_of != plan.read_version
    # What was counted just now stands below, and may be another number.
    if files.number is None or (is_old and files.old_types is not None):
        return "0 files rewritten"
    if is_old:
        return f"0 files rewritten ({files.number:,} at version {files.as_of})"
    return f"0 of {count(files.number, 'file')} rewritten"


def _rewritten(job: Job, how: str) -> Label:
    """Say what a job does to data files, after our commit, or in commits of Delta's."""
    if not job.files:
        return "none is rewritten; Spark writes checkpoints"
    files = f"{count(job.files, 'file')} ({size(job.size)})"
    return [Span(files, "changed"), f" {_are(job.files)} {how}"]


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _physical_types(plan: ChangePlan) -> Iterator[tuple[str, Label]]:
    """Yield the types in which files hold each column, if they were counted."""
    rows = plan.data_files.old_types or [
        {"path": column.path, **held} for column in plan.columns or () for held in column.types
    ]
    for path in dict.fromkeys(row["path"] for row in rows):
        held: list[list[str | Span]] = [
            [
                Span(_type(row["type"]), "type"),
                f" in {count(row['files'], 'file')} ({size(row['bytes'])})",
            ]
            for row in rows
            if row["path"] == path
        ]
        shown = path if plan.base.schema is None else shown_path(plan.base.schema, path)
        yield "", [Span(shown, "name"), ": ", *chain.from_iterable(_separated(held))]


def _type(name: str | None) -> str:
    return "absent" if name is None else type_words(name)


def _separated(labels: Iterable[list[str | Span]]) -> Iterator[list[str | Span]]:
    for place, label in enumerate(labels):
        yield [", ", *label] if place else label
