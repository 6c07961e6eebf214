"""Conditions that every row of a table satisfies."""

from functools import partial
from importlib import import_module
from typing import Unpack

from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.api.work import Planner, Work
from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Engine
from deltactl.changes.plan import ChangePlan
from deltactl.operations.constraints.drop import plan_drop_constraint


class ConstraintVerbs(Verbs[R]):
    """CHECK constraints are added and dropped."""

    GROUP = "constraints."

    @verb
    def add(
        self,
        name: str,
        expression: str,
        *,
        if_not_exists: bool = False,
        **options: Unpack[Options],
    ) -> R:
        """Add a CHECK constraint, after a look at the rows.

        Args:
            name: the name of the constraint.
            expression: must be true for every row; NULL violates it.
            if_not_exists: do nothing if there is a constraint of that name.
            options: see `Options`.
        """

        def request(work: Work) -> Planner:
            # These load pyarrow, and a list of constraints needs none of it.
            module = import_module("deltactl.operations.constraints.add")
            rows = import_module("deltactl.operations.constraints.check").RowCheck()
            spark = None
            if work.engine is not Engine.LOCAL:
                on_spark = import_module("deltactl.operations.row_checks.on_spark")
                spark = on_spark.SparkRows(work, work.engine)

            def plan(draft: Draft) -> ChangePlan:
                with work.progress("reading rows") as bar:
                    made: ChangePlan = module.plan_add_constraint(
                        draft,
                        name,
                        expression,
                        rows=rows,
                        spark=spark,
                        if_not_exists=if_not_exists,
                        advance=bar.advance,
                    )
                return made

            return plan

        return self._make(request, options)

    @verb
    def drop(self, name: str, *, if_exists: bool = False, **options: Unpack[Options]) -> R:
        """Drop a CHECK constraint.

        Args:
            name: the name of the constraint.
            if_exists: do nothing if there is no such constraint.
            options: see `Options`.
        """
        return self._make(
            lambda _: partial(plan_drop_constraint, name=name, if_exists=if_exists), options
        )
