"""`column add --backfill`: existing rows get the default of the new column, too.

Delta has no such meaning of a default: an UPDATE of its own follows our commit. Two steps of one
application in the log, named for the column as files know it, tell whether that is still to come.
"""

from importlib import import_module

from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Job
from deltactl.changes.rows import BACKFILL
from deltactl.spec.actions.action import Transaction
from deltactl.spec.keys import APPEND_ONLY, is_enabled
from deltactl.spec.schema.column_mapping import physical_name
from deltactl.spec.schema.schema import Path, find, format_path
from deltactl.spec.schema.types import StructField
from deltactl.table.state.restores import was_taken_back
from deltactl.table.state.small_actions import read_transaction
from deltactl.text.hints import Command
from deltactl.text.identifiers import backticked, table_at

_WHY = "only Delta's own UPDATE gives rows a value"


def backfill_new(draft: Draft, path: Path, value: str) -> None:
    """Have the existing rows get `value` in a column that the draft has just got."""
    if not _is_possible(draft, path):
        return
    begun = 2 * draft.version  # An even step is followed by an odd one, which ends it.
    if _follow_up(draft, path, value, begun + 1):
        own = Transaction(app_id=_application(draft, path), version=begun, last_updated=draft.now)
        draft.transactions = (*draft.transactions, own)


def backfill_rest(draft: Draft, path: Path, value: str) -> None:
    """Have the rows without a value in a column that exists get one, unless that was done.

    What RESTORE took back was not done.
    """
    known = read_transaction(draft.base, _application(draft, path))
    if known is not None and known.version % 2:
        undone = was_taken_back(draft.base, known, known.version // 2)
        if undone is None:
            _refuse_unsure(draft, path, value)
        if not undone:
            return
    if _is_possible(draft, path) and _follow_up(draft, path, value, 2 * draft.version + 1):
        draft.undo_with_restore()


def _refuse_unsure(draft: Draft, path: Path, value: str) -> None:
    table, column = table_at(draft.base.log.storage.uri), backticked(_field(draft, path).name)
    draft.refuse(
        "BACKFILL_UNSURE",
        f"{format_path(path)} was filled, but the table was restored since, and the log does not "
        "tell whether that took it back",
        "look at the rows without a value, and if they are to have it, in Spark SQL: "
        f"UPDATE {table} SET {column} = {value} WHERE {column} IS NULL",
    )


def _is_possible(draft: Draft, path: Path) -> bool:
    """Return whether an UPDATE may be made; what forbids it is refused."""
    if is_enabled(draft.configuration, APPEND_ONLY):
        draft.refuse(
            "APPEND_ONLY_TABLE",
            f"{format_path(path)} cannot be filled in old rows: the table is append-only",
            "leave out --backfill, or first: " + Command("property unset", APPEND_ONLY),
        )
        return False
    return True


def _follow_up(draft: Draft, path: Path, value: str, step: int) -> bool:
    """Add the job that comes to that step; False if there is no row to change."""
    totals = import_module("deltactl.table.state.file_totals")
    files, size = totals.count_files(draft.base)
    if not files:
        return False
    params = {
        "column": _field(draft, path).name,
        "value": value,
        "app": _application(draft, path),
        "step": step,
    }
    draft.need_spark(BACKFILL)
    draft.follow_up = Job(BACKFILL, params, _WHY, files=files, size=size)
    return True


def _application(draft: Draft, path: Path) -> str:
    return f"deltactl-backfill-{physical_name(_field(draft, path))}"


def _field(draft: Draft, path: Path) -> StructField:
    return find(draft.schema, path).field
