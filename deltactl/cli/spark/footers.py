"""What commands ask the footers of data files, with a bar while they are read."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from deltactl.changes.cached_scan import CachedScan
from deltactl.changes.jobs import Engine
from deltactl.cli.session import Session
from deltactl.cli.spark.lazy_spark import LazySpark
from deltactl.operations.prune.prune_type_changes import FileScan
from deltactl.spark.install.urls import cluster_of
from deltactl.spec.schema.schema import Node
from deltactl.table.snapshot import Snapshot

if TYPE_CHECKING:
    from deltactl.operations.prune.census import Census, Footers

BATCH = 1000
"""Files that are rewritten in one commit: ended in between, no more than that is done again."""


def footers(session: Session, batch: int | None = None) -> FileScan:
    """Return what asks the files of one table for one command; `batch` lets them be rewritten.

    Where they are asked, the settings say: here, or on Spark.
    """

    # Looking at files loads pyarrow, which takes longer than a look at a table without changes.
    @cache
    def known() -> "Footers":
        settings = session.settings
        found: Footers = import_module("deltactl.operations.prune.footers_on_spark").footers_by(
            LazySpark(session),
            Engine(settings.engine),
            on_cluster=cluster_of(settings.master) is not None,
        )
        return found

    def look(snapshot: Snapshot, nodes: Sequence[Node]) -> "Census":
        with session.progress("reading footers") as bar:
            return known().census(snapshot, nodes, bar.advance)

    def old_files(snapshot: Snapshot) -> Iterator[tuple[str, int]]:
        return known().old_files(snapshot)

    return FileScan(CachedScan(look), old_files, batch)
