"""`column set-not-null`: a column that has a value in every row from now on."""

from importlib import import_module
from typing import Any

from deltactl.changes.draft import Draft
from deltactl.changes.executor import Planner
from deltactl.changes.jobs import Engine
from deltactl.cli.change_command import change_command
from deltactl.cli.columns import planner, taking
from deltactl.cli.session import Session
from deltactl.cli.spark.lazy_spark import LazySpark
from deltactl.cli.spark.spark_options import on_any_engine
from deltactl.operations.row_checks.finding import Finding
from deltactl.spec.schema.schema import Path


@change_command
@taking("set-not-null")
@on_any_engine
def command(session: Session, **values: Any) -> Planner:
    """Make COLUMN of TABLE NOT NULL, in old and new rows.

    The existing rows are checked first: by statistics and footers, and where these do not
    tell, by the rows themselves; Spark reads those of files with deleted rows. Rows with NULL are
    shown, up to ten.

    \b
        deltactl column set-not-null ./events id
        deltactl column set-not-null ./events user.id --dry-run
        deltactl column set-not-null ./events id --engine spark --master spark://h:7077
    """
    return planner("set-not-null", {**values, "rows": _Look(session)})


class _Look:
    """Looks for rows without a value, with a bar; pyarrow loads with the first look."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._check: Any = None

    def check(self, draft: Draft, path: Path) -> Finding:
        if self._check is None:
            engine = Engine(self._session.settings.engine)
            spark = None
            if engine is not Engine.LOCAL:
                on_spark = import_module("deltactl.operations.row_checks.on_spark")
                spark = on_spark.SparkRows(LazySpark(self._session), engine)
            self._check = import_module("deltactl.operations.row_checks.nulls").NullCheck(spark)
        with self._session.progress("looking for nulls") as bar:
            found: Finding = self._check.check(draft, path, bar.advance)
        return found
