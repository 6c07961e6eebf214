"""Widening columns."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Unpack

from deltactl.api.arguments import wrong
from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.api.work import Planner, Work
from deltactl.changes.cached_scan import CachedScan
from deltactl.changes.draft import Draft
from deltactl.changes.plan import ChangePlan
from deltactl.operations.widen.widen import WidenRequest, plan_widen
from deltactl.spec.schema.schema import Node
from deltactl.table.snapshot import Snapshot

if TYPE_CHECKING:
    from deltactl.operations.physical_types import Counted
    from deltactl.operations.widen.fix_stats import FixedBounds


class Widening(Verbs[R]):
    """Columns get types that hold more."""

    @verb
    def widen(
        self,
        columns: Mapping[str, str] | Sequence[tuple[str, str]],
        *,
        enable: bool = False,
        migrate_preview: bool = False,
        fix_stats: bool = False,
        count: bool = False,
        **options: Unpack[Options],
    ) -> R:
        """Widen columns, all in one commit that rewrites no file.

        Args:
            columns: the type that each column becomes. A column is a path: `a`, `s.x`.
            enable: add the property and the features that are missing.
            migrate_preview: add the stable feature to a table with the preview.
            fix_stats: float to double: correct the statistics of old files.
            count: count files by the type in which they hold the columns.
            options: see `Options`.
        """
        pairs = columns.items() if isinstance(columns, Mapping) else columns
        asked = [WidenRequest(column, type) for column, type in pairs]
        if not asked:
            raise wrong("columns", "columns names no column")

        def request(work: Work) -> Planner:
            fix = CachedScan(_Bounds(work)) if fix_stats else None
            counted = CachedScan(_Types(work)) if count else None

            def plan(draft: Draft) -> ChangePlan:
                return plan_widen(
                    draft,
                    asked,
                    enabling=enable,
                    migrating=migrate_preview,
                    fix=fix,
                    count=counted,
                )

            return plan

        return self._make(request, options)


# Looking at files loads pyarrow, which takes longer than a change that looks at none.
class _Bounds:
    """Reads the statistics that a widening must correct."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, snapshot: Snapshot, nodes: Sequence[Node]) -> "FixedBounds":
        module = import_module("deltactl.operations.widen.fix_stats")
        with self._work.progress("reading statistics") as bar:
            found: FixedBounds = module.fixed_bounds(snapshot, nodes, bar.advance)
        return found


class _Types:
    """Counts files by the type in which they hold columns."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def __call__(self, snapshot: Snapshot, nodes: Sequence[Node]) -> "Counted":
        module = import_module("deltactl.operations.physical_types")
        with self._work.progress("reading footers") as bar:
            found: Counted = module.count_types(snapshot, nodes, bar.advance)
        return found
