"""What changes ask the footers of data files, with a bar while they are read."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from deltactl.api.work import Work
from deltactl.changes.cached_scan import CachedScan
from deltactl.operations.prune.prune_type_changes import FileScan
from deltactl.spec.schema.schema import Node
from deltactl.table.snapshot import Snapshot

if TYPE_CHECKING:
    from deltactl.operations.prune.physical_type_scan import FooterScanner, PhysicalTypeScan

BATCH = 1000
"""Files that are rewritten in one commit: ended in between, no more than that is done again."""


def file_scan(work: Work, batch: int | None = None) -> FileScan:
    """Return what asks the files of one table; `batch` lets them be rewritten."""

    # Looking at files loads pyarrow, which takes longer than a look at a table without changes.
    @cache
    def known() -> "FooterScanner":
        module = import_module("deltactl.operations.prune.footers_on_spark")
        found: FooterScanner = module.footer_scanner(
            work, work.engine, on_cluster=work.is_on_cluster
        )
        return found

    def scan(snapshot: Snapshot, nodes: Sequence[Node]) -> "PhysicalTypeScan":
        with work.progress("reading footers") as bar:
            return known().scan(snapshot, nodes, bar.advance)

    def old_files(snapshot: Snapshot) -> Iterator[tuple[str, int]]:
        return known().old_files(snapshot)

    return FileScan(CachedScan(scan), old_files, batch)
