"""What a look at the rows of a table found, and how a draft takes it."""

from typing import NamedTuple

from deltactl.changes.draft import Draft
from deltactl.changes.rows import Counterexample, RowsChecked

# So many rows are shown of those that are not as they must be.
SHOWN = 10


class RowCheckResult(NamedTuple):
    """What all files have; `first` is the first of the files in which rows violate the condition.

    `unsure` is why only Spark can tell.
    """

    files: int = 0
    rows: int = 0
    violations: int = 0
    first: str | None = None
    unsure: str | None = None
    examples: tuple[Counterexample, ...] = ()


def apply_result(draft: Draft, finding: RowCheckResult, code: str, said: str, hint: str) -> None:
    """Note in the plan that the rows are as they must be, or refuse it: `said` is what they are."""
    if not finding.violations:
        draft.rows_checked = RowsChecked(finding.files, finding.rows)
        return
    draft.counterexamples = finding.examples
    draft.refuse(
        code,
        f"{said} in {finding.violations:,} of {finding.rows:,} rows, the first of them in "
        f"{finding.first}",
        hint,
        details={
            "files": finding.files,
            "rows": finding.rows,
            "violations": finding.violations,
            "firstFile": finding.first,
        },
    )
