"""What a change does that somebody has to agree to first, in words."""

from collections.abc import Iterator, Sequence

from deltactl.changes.plan import ChangePlan
from deltactl.cli.render.words import count, size
from deltactl.spec.protocol.features import FEATURES, Dropping
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.diff import ChangeKind

_NAMED = 3  # Columns that a question names; the plan above it has them all.


def consent_reasons(plan: ChangePlan) -> tuple[str, ...]:
    """Return what makes the change one to ask about; nothing if it can be made at once.

    Asked about are changes by which clients lose access, data goes out of sight, or files are
    rewritten, and changes that only the loss of later rows takes back. Columns that are widened
    or added are no reason, nor is a feature that comes with a setting and goes as easily.
    """
    return (*_work(plan), *_hidden_data(plan), *_protocol(plan))


def _work(plan: ChangePlan) -> Iterator[str]:
    rewritten = plan.rewrites_first or plan.backfill
    if rewritten:
        yield f"rewrites {count(rewritten.files, 'file')} ({size(rewritten.size)})"
    elif plan.takes_spark and plan.protocol is None:
        yield "makes Spark work on the table"


def _hidden_data(plan: ChangePlan) -> Iterator[str]:
    if dropped := [c.path for c in plan.schema_changes if c.kind is ChangeKind.DROPPED]:
        yield f"hides the values of {_listed(dropped)}"
    if plan.columns is not None and (pruned := _pruned(plan)):
        yield f"removes the type changes of {_listed(pruned)} for good"


def _pruned(plan: ChangePlan) -> list[str]:
    sides = ((change.path, *change.type_changes) for change in plan.schema_changes)
    return [path for path, before, after in sides if not {*before} <= {*after}]


def _protocol(plan: ChangePlan) -> Iterator[str]:
    if plan.protocol is None:
        return
    before, after = supported(plan.base.protocol), supported(plan.protocol)
    added, dropped = sorted(after - before), sorted(before - after)
    stays = [name for name in added if not _is_dropped_easily(name)]
    if stays or (added and (plan.clients_lost or plan.operation == "UPGRADE PROTOCOL")):
        hard = ", which is hard to undo" if stays else ""
        features = f"feature{'s' if added[1:] else ''} {' and '.join(added)}"
        yield f"adds the {features} to the protocol{hard}"
    if dropped:
        yield f"drops {' and '.join(dropped)} from the protocol"
    if plan.clients_lost:
        yield f"cuts off {', '.join(cost.client.title for cost in plan.clients_lost)}"
    if not added and not dropped:
        yield "changes the versions of the protocol"


def _is_dropped_easily(name: str) -> bool:
    known = FEATURES.get(name)
    return known is not None and known.dropping is Dropping.YES


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(columns[:_NAMED])
    more = len(columns) - _NAMED
    return shown if more <= 0 else f"{shown} and {count(more, 'more column')}"
