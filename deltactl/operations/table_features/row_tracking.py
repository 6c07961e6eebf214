"""Row tracking: the ids that files get when it is switched on, and lose when it is dropped."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.file_changes import Action, FileActions
from deltactl.errors import BrokenLogError
from deltactl.log.arrow.file_table import records
from deltactl.log.stats.record_count import records_in
from deltactl.spec.actions.action import DomainMetadata
from deltactl.spec.actions.file_action import AddFile
from deltactl.spec.keys import (
    ENABLE_ROW_TRACKING,
    MATERIALIZED_ROW_COLUMNS,
    MATERIALIZED_ROW_COMMIT_VERSION,
    MATERIALIZED_ROW_ID,
    ROW_TRACKING_DOMAIN,
    ROW_TRACKING_SUSPENDED,
)
from deltactl.table.state.files import TableState, prepare_state, read_state
from deltactl.table.state.live_adds import live_adds

# Ids are 64 bits wide.
_LAST_ID = 2**63 - 1
_SHOWN = 20
_COLUMNS = ("modificationTime", "baseRowId", "defaultRowCommitVersion")


def number_rows(draft: Draft) -> None:
    """Have every live file say which ids its rows have, in the commit that switches this on.

    Ids that files have already stay. The high-water mark ends up at the last id that is taken,
    or writers would give it out again.
    """
    draft.configuration.pop(ROW_TRACKING_SUSPENDED, None)
    _name_columns(draft)
    mark = _high_water_mark(draft)
    scan = _RowIdScan()
    state = read_state(draft.base, scan.count)
    taken = max(mark, scan.last_taken)
    last = taken + scan.rows
    _refuse_unnumbered(draft, scan, taken)
    if scan.files and not draft.is_refused:
        adds = partial(_numbered, first=taken + 1, last=last, version=draft.version)
        draft.file_actions = _file_actions(state, scan.files, adds, "ids of rows")
    if last > mark:
        configuration = {"rowIdHighWaterMark": last, "domainName": ROW_TRACKING_DOMAIN}
        text = as_text(configuration)
        draft.set_domain(DomainMetadata(domain=ROW_TRACKING_DOMAIN, configuration=text))


def forget_rows(draft: Draft) -> None:
    """Have no live file say anything of ids, nor the table of row tracking at all."""
    for key in (ENABLE_ROW_TRACKING, ROW_TRACKING_SUSPENDED, *MATERIALIZED_ROW_COLUMNS):
        draft.configuration.pop(key, None)
    if (mark := draft.domain(ROW_TRACKING_DOMAIN)) is not None:
        draft.set_domain(replace(mark, removed=True))
    scan = _RowIdScan(finds_ids=True)
    state = read_state(draft.base, scan.count)
    if scan.unfit is not None:
        draft.refuse(*_unfit(scan.unfit))
    if scan.files:
        draft.file_actions = _file_actions(state, scan.files, _bare, "no ids of rows")


@dataclass
class _RowIdScan:
    """What the live files hold: `files` are those to be committed again.

    That are those that lack ids, with `rows` rows to be numbered; or those that have any, with
    `finds_ids`. `last_taken` is the highest id that a file claims.
    """

    finds_ids: bool = False
    files: int = 0
    rows: int = 0
    last_taken: int = -1
    uncounted: int = 0
    first_uncounted: str = ""
    unfit: str | None = None

    def count(self, state: TableState) -> None:
        """Count again: a damaged checkpoint, of which some was read, is told by an older one."""
        self.files = self.rows = self.uncounted = 0
        self.last_taken, self.unfit = -1, None
        for batch in state.batches((*_COLUMNS, *state.records_columns())):
            self._add(batch)

    def _add(self, batch: pa.RecordBatch) -> None:
        first_ids, versions = batch.column("baseRowId"), batch.column("defaultRowCommitVersion")
        has_all = pc.and_(first_ids.is_valid(), versions.is_valid())
        has_none = pc.and_(first_ids.is_null(), versions.is_null())
        concerned = pc.invert(has_none if self.finds_ids else has_all)
        self.files += _true(concerned)
        timeless = pc.and_(concerned, batch.column("modificationTime").is_null())
        if _true(timeless):
            self.unfit = batch.column("path").filter(timeless)[0].as_py()
        if self.finds_ids:
            return
        counts = records(batch)
        known = pc.greater_equal(counts, 0).fill_null(False)
        if unknown := batch.num_rows - _true(known):
            self.first_uncounted = batch.column("path").filter(pc.invert(known))[0].as_py()
            self.uncounted += unknown
        self.rows += pc.sum(counts.filter(pc.and_(known, first_ids.is_null()))).as_py() or 0
        held = pc.and_(known, first_ids.is_valid())
        highest = pc.max(pc.add(first_ids.filter(held), counts.filter(held))).as_py()
        self.last_taken = max(self.last_taken, -1 if highest is None else highest - 1)


def _refuse_unnumbered(draft: Draft, scan: _RowIdScan, taken: int) -> None:
    if scan.uncounted:
        number = scan.uncounted
        draft.refuse(
            "ROW_COUNT_UNKNOWN",
            f"the statistics of {'one file' if number == 1 else f'{number:,} files'} do not say "
            f"how many rows there are ({scan.first_uncounted}): they cannot be numbered",
            "Spark writes statistics for files that it rewrites",
        )
    if scan.unfit is not None:
        draft.refuse(*_unfit(scan.unfit))
    if taken + scan.rows > _LAST_ID:
        draft.refuse(
            "ROW_IDS_EXHAUSTED",
            f"row ids up to {taken} are taken: no id is left for {scan.rows:,} more rows",
        )


def _unfit(path: str) -> tuple[str, str]:
    return (
        "ADD_INCOMPLETE",
        f"{path} has no modificationTime in the log, so that it cannot be committed again",
    )


def _file_actions(
    state: TableState, number: int, adds: Callable[[TableState], Iterator[AddFile]], what: str
) -> FileActions:
    base = state.snapshot

    def stream() -> Iterator[Action]:
        # Read again, for a plan that kept it would hold all that the newer commits say of files.
        return (("add", add.to_json()) for add in adds(prepare_state(base)))

    sample = tuple({"add": add.to_json()} for add in islice(adds(state), _SHOWN))
    return FileActions(number, sample, stream, what)


def _numbered(state: TableState, first: int, last: int, version: int) -> Iterator[AddFile]:
    """Yield the files that lack something, with ids from `first` to `last`, given by `version`."""
    free = first
    for add in live_adds(state):
        if add.base_row_id is None:
            rows = None if add.stats is None else records_in(add.stats)
            changed = replace(add, base_row_id=free)
            free += rows or 0
        elif add.default_row_commit_version is None:
            changed = add
        else:
            continue
        given = add.default_row_commit_version
        yield replace(
            changed,
            data_change=False,
            default_row_commit_version=version if given is None else given,
        )
    if free != last + 1:
        raise BrokenLogError(
            "STATISTICS_DISAGREE",
            f"a checkpoint's two statistics of its files tell {last + 1 - first:,} and "
            f"{free - first:,} rows: they cannot be numbered",
        )


def _bare(state: TableState) -> Iterator[AddFile]:
    """Yield the files that have ids, without them."""
    for add in live_adds(state):
        if add.base_row_id is not None or add.default_row_commit_version is not None:
            yield replace(add, data_change=False, base_row_id=None, default_row_commit_version=None)


def _name_columns(draft: Draft) -> None:
    """Name the columns in which rewritten files keep ids; Spark cannot insert without."""
    for key, prefix in (
        (MATERIALIZED_ROW_ID, "_row-id-col-"),
        (MATERIALIZED_ROW_COMMIT_VERSION, "_row-commit-version-col-"),
    ):
        if key not in draft.configuration:
            draft.configuration[key] = draft.fresh(prefix, key)


def _high_water_mark(draft: Draft) -> int:
    """Return the last id that was ever given out, as the table says; -1 if it does not."""
    domain = draft.domain(ROW_TRACKING_DOMAIN)
    if domain is None:
        return -1
    try:
        value = json.loads(domain.configuration)["rowIdHighWaterMark"]
    except (ValueError, KeyError, TypeError, RecursionError):
        value = None
    if type(value) is int:
        return value
    draft.refuse(
        "ROW_ID_MARK_UNREADABLE",
        f"the domain {ROW_TRACKING_DOMAIN} does not say which row ids are taken: "
        f"{domain.configuration}",
    )
    return -1


def _true(mask: pa.BooleanArray) -> int:
    return pc.sum(mask).as_py() or 0
