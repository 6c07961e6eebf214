"""Columns and fields of structs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, Unpack

from deltactl.api.arguments import wrong
from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.api.work import Planner, Request, Work
from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Engine
from deltactl.operations.columns.add import AddColumn
from deltactl.operations.columns.drop import DropColumns
from deltactl.operations.columns.not_null import DropNotNull, SetNotNull
from deltactl.operations.columns.rename import RenameColumn
from deltactl.operations.columns.settings import CommentColumn, DropDefault, SetDefault
from deltactl.operations.columns.verbs import ColumnStep, Verb, plan_columns
from deltactl.operations.row_checks.row_check_result import RowCheckResult
from deltactl.spec.schema.schema import Path


class ColumnVerbs(Verbs[R]):
    """Columns are added, dropped, renamed and described. A column is a path: `a`, `s.x`."""

    GROUP = "columns."

    @verb
    def add(
        self,
        column: str,
        type: str,
        *,
        default: str | None = None,
        backfill: bool = False,
        comment: str | None = None,
        not_null: bool = False,
        first: bool = False,
        after: str | None = None,
        if_not_exists: bool = False,
        enable: bool = False,
        **options: Unpack[Options],
    ) -> R:
        """Add a column; old rows read NULL in it.

        Args:
            column: the new column; it comes last unless `first` or `after` says otherwise.
            type: any type of Spark SQL.
            default: the value of new rows, as an expression.
            backfill: give old rows the default, too, on Spark.
            comment: a comment on the column.
            not_null: only on a table without files.
            first: put it before all others.
            after: put it after this column.
            if_not_exists: do nothing if there is a column of that name.
            enable: add the features that are missing.
            options: see `Options`.
        """
        if first and after is not None:
            raise wrong("after", "first and after cannot be given together")
        if backfill and default is None:
            raise wrong("backfill", "backfill goes with default: it gives old rows that value")
        verb = AddColumn(
            column=column,
            type=type,
            default=default,
            backfill=backfill,
            comment=comment,
            not_null=not_null,
            first=first,
            after=after,
            if_not_exists=if_not_exists,
            enable=enable,
        )
        return self._step(verb, **options)

    @verb
    def drop(
        self,
        *columns: str,
        if_exists: bool = False,
        enable: bool = False,
        **options: Unpack[Options],
    ) -> R:
        """Drop columns, in one commit that rewrites no file; needs column mapping.

        Args:
            columns: the columns.
            if_exists: ignore columns that are missing.
            enable: switch column mapping on.
            options: see `Options`.
        """
        if not columns:
            raise wrong("columns", "columns names no column")
        verb = DropColumns(columns=columns, if_exists=if_exists, enable=enable)
        return self._step(verb, **options)

    @verb
    def rename(
        self,
        column: str,
        new: str,
        *,
        if_exists: bool = False,
        enable: bool = False,
        **options: Unpack[Options],
    ) -> R:
        """Rename a column; needs column mapping.

        Args:
            column: the column.
            new: its new name alone.
            if_exists: do nothing if the column is missing.
            enable: switch column mapping on.
            options: see `Options`.
        """
        verb = RenameColumn(column=column, new=new, if_exists=if_exists, enable=enable)
        return self._step(verb, **options)

    @verb
    def comment(self, column: str, text: str, **options: Unpack[Options]) -> R:
        """Set the comment of a column; an empty one removes it."""
        return self._step(CommentColumn(column=column, text=text), **options)

    @verb
    def set_default(
        self, column: str, expression: str, *, enable: bool = False, **options: Unpack[Options]
    ) -> R:
        """Set the value of a column in new rows; `enable` adds allowColumnDefaults."""
        return self._step(
            SetDefault(column=column, expression=expression, enable=enable), **options
        )

    @verb
    def drop_default(self, column: str, **options: Unpack[Options]) -> R:
        """Remove the default of a column."""
        return self._step(DropDefault(column=column), **options)

    @verb
    def set_not_null(self, column: str, *, enable: bool = False, **options: Unpack[Options]) -> R:
        """Make a column NOT NULL, after a look at the rows; `enable` adds invariants."""
        return self._step(SetNotNull(column=column, enable=enable), **options)

    @verb
    def drop_not_null(self, column: str, **options: Unpack[Options]) -> R:
        """Let a column be NULL."""
        return self._step(DropNotNull(column=column), **options)

    def _step(self, verb: Verb, **options: Unpack[Options]) -> R:
        return self._make(request_of(verb), options)


def request_of(verb: Verb) -> Request:
    """Return the request of one change; that of NOT NULL looks at rows where the call works."""

    def request(work: Work) -> Planner:
        looking = replace(verb, rows=_Nulls(work)) if isinstance(verb, SetNotNull) else verb
        return partial(plan_columns, steps=[ColumnStep(looking)])

    return request


def request_of_steps(steps: Sequence[ColumnStep], *, enable: bool) -> Request:
    """Return the request of several changes, in their order, as one commit."""
    return lambda _: partial(plan_columns, steps=steps, enabling=enable)


class _Nulls:
    """Looks for rows without a value; pyarrow loads with the first look."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._check: Any = None

    def check(self, draft: Draft, path: Path) -> RowCheckResult:
        if self._check is None:
            spark = None
            if self._work.engine is not Engine.LOCAL:
                on_spark = import_module("deltactl.operations.row_checks.on_spark")
                spark = on_spark.SparkRows(self._work, self._work.engine)
            self._check = import_module("deltactl.operations.row_checks.nulls").NullCheck(spark)
        with self._work.progress("looking for nulls") as bar:
            found: RowCheckResult = self._check.check(draft, path, bar.advance)
        return found
