"""Rows that Spark looks at, because only it can, or because it was asked to."""

from collections.abc import Sequence
from urllib.parse import unquote

from deltactl.changes.draft import Draft
from deltactl.changes.jobs import Engine, Job, JobRunner
from deltactl.changes.rows import Counterexample
from deltactl.errors import SparkError
from deltactl.operations.row_checks.example_columns import ExampleColumns
from deltactl.operations.row_checks.files import FileKey, key_of, live_files
from deltactl.operations.row_checks.row_check_result import SHOWN, RowCheckResult
from deltactl.spec.schema.schema import Path

# With more files than that a job is told of none, and looks at all.
FEW = 10_000
# What Spark raises where it cannot make sense of an expression.
_SENSELESS = ("AnalysisException", "ParseException")


class SparkRows:
    """Has Spark check the rows of one table for one command.

    A planner may run several times: of the rows that were found to be right those of files that
    came since are looked at, and no others.
    """

    def __init__(self, runner: JobRunner, engine: Engine) -> None:
        self._runner = runner
        self.always = engine is Engine.SPARK
        self._condition: str | None = None
        self._right: set[FileKey] = set()
        self._found = RowCheckResult()

    def check(
        self, draft: Draft, condition: str, columns: Sequence[Path], why: str
    ) -> RowCheckResult:
        """Look at every row; `columns` are those of the condition, `why` ends a sentence.

        Raises:
            SparkError: Spark is not there, or the job failed.
        """
        if condition != self._condition:
            self._condition, self._right, self._found = condition, set(), RowCheckResult()
        files, new = self._files(draft)
        if self._right and not new:
            return self._found
        some = bool(self._right) and len(new) <= FEW
        chosen = new if some else files
        job = Job(
            "rows",
            {
                "table": draft.base.log.storage.uri,
                "version": draft.base.version,
                "files": [path for path, _ in new] if some else None,
                "condition": condition,
                "shown": ExampleColumns(draft, columns).sql,
                "limit": SHOWN,
            },
            why,
            files=len(chosen),
            size=sum(chosen.values()),
        )
        result = self._runner.run(job)
        if result["type"] != "boolean":
            draft.refuse(
                "BAD_EXPRESSION",
                f"{condition} is {result['type']}: it is neither true nor false",
                "write a comparison, such as amount > 0",
            )
        examples = tuple(
            Counterexample(_below(draft.base.log.storage.uri, file), values)
            for file, values in result["examples"]
        )
        before = self._found if some else RowCheckResult()
        found = RowCheckResult(
            before.files + job.files,
            before.rows + result["rows"],
            result["violations"],
            examples[0].file if examples else None,
            examples=examples,
        )
        if not found.violations:
            self._right.update(files)
            self._found = found
        return found

    def _files(self, draft: Draft) -> tuple[dict[FileKey, int], dict[FileKey, int]]:
        """Return the size of every live file, and of each of which nothing is known yet."""
        files = {key_of(file): file.size for file in live_files(draft.base)}
        return files, {key: size for key, size in files.items() if key not in self._right}


def non_boolean_reason(error: SparkError) -> str | None:
    """Return why Spark cannot evaluate the expression of a job, if that is why the job failed."""
    kind, cause = error.details.get("class"), error.details.get("cause") or ""
    if kind not in _SENSELESS or cause.startswith("DELTA_"):
        return None
    return error.message.partition(f"{kind}: ")[2] or error.message


def _below(table: str, url: str) -> str:
    """Return the path of a file below the table, from the URL that Spark gives it."""
    path, place = unquote(url), table.rstrip("/") + "/"
    return path.partition(place)[2] or path
