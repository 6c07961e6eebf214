"""Removing type changes that no data file needs."""

from collections.abc import Sequence
from functools import partial
from typing import Unpack

from deltactl.api.arguments import wrong
from deltactl.api.verbs.file_scan import BATCH, file_scan
from deltactl.api.verbs.verbs import Options, R, Verbs, verb
from deltactl.operations.prune.prune_type_changes import plan_prune


class Pruning(Verbs[R]):
    """Type changes that no data file needs are removed."""

    @verb
    def prune_type_changes(
        self,
        columns: Sequence[str] = (),
        *,
        rewrite: bool = False,
        batch: int | None = None,
        **options: Unpack[Options],
    ) -> R:
        """Remove type changes that no data file needs.

        Args:
            columns: the columns, all by default; a named one that cannot be pruned is refused.
            rewrite: rewrite the files that hold an old type first, on Spark.
            batch: how many files one commit rewrites.
            options: see `Options`.
        """
        if batch is not None and (batch < 1 or not rewrite):
            raise wrong("batch", "batch must be 1 or more, and goes with rewrite=True")
        named = tuple(columns)
        chosen = (batch or BATCH) if rewrite else None
        return self._make(
            lambda work: partial(plan_prune, columns=named, files=file_scan(work, chosen)),
            options,
        )
