"""Rows of a table as a plan has them: those that were looked at, and those that will change."""

import json
from typing import Any, NamedTuple

from deltactl.changes.jobs import Job

BACKFILL = "backfill"
"""The job by which existing rows get the value of a new column."""


class Counterexample(NamedTuple):
    """A row that is not as the change demands: its file, and some values as a JSON object."""

    file: str
    values: str

    def to_json(self) -> dict[str, Any]:
        return {"file": self.file, "values": json.loads(self.values)}


class RowsChecked(NamedTuple):
    """The rows that were read, and found to be as the change demands."""

    files: int
    rows: int


def backfill_json(job: Job) -> dict[str, Any]:
    """Return a backfill as documents hold it."""
    told = {"column": job.params["column"], "value": job.params["value"]}
    return {**told, "files": job.files, "bytes": job.size}
