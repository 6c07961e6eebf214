"""How many live files a table has, and their bytes, by its log."""

from deltactl.operations.inspect.show import FileTotals
from deltactl.table.snapshot import Snapshot
from deltactl.table.state.files import TableState, read_state


def count_files(snapshot: Snapshot) -> tuple[int, int]:
    """Return the number of live files, and their bytes.

    Raises:
        BrokenLogError: a commit, or every way to the version, is broken.
    """
    totals = FileTotals()

    def count(state: TableState) -> None:
        nonlocal totals
        totals = FileTotals()
        for batch in state.batches(("size",)):
            totals.add(batch, None)

    read_state(snapshot, count, keep_stats=False)
    return totals.count, totals.size
