"""`spark check`: check whether Spark can run, and show remedies."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from deltactl.cli.change_command import with_options
from deltactl.cli.command_options import bare_command
from deltactl.cli.render.blocks import Block, Column, Grid, Label, Span, view
from deltactl.cli.session import Session
from deltactl.cli.spark.spark_jobs import JobBar, spark_config
from deltactl.cli.spark.spark_options import PLACE, STORES
from deltactl.errors import SparkError
from deltactl.report import Report
from deltactl.spark.install.check import DependencyCheck, checks
from deltactl.storage.options.option_rows import NAMES
from deltactl.storage.urls import StoreKind, kind_of


@dataclass(frozen=True)
class SparkCheckReport(Report):
    """What was found of each Spark dependency."""

    checks: tuple[DependencyCheck, ...]
    exit_code: int = 0

    def body(self) -> Mapping[str, Any]:
        """Return the checks."""
        return {"checks": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        """Yield each check; `passed` is null if it was not tried."""
        for check in self.checks:
            error = check.error
            yield {
                "name": check.name,
                "passed": error is None if error or check.found else None,
                "found": check.found,
                "code": error and error.code,
                "message": error and error.message,
                "remedy": error and error.hint,
            }


@view.register
def _(report: SparkCheckReport) -> Iterable[Block]:
    yield Grid([Column("CHECK"), Column("RESULT"), Column("")], _rows(report.checks))


def _rows(checks: Iterable[DependencyCheck]) -> Iterator[Sequence[Label]]:
    for check in checks:
        name = Span(check.name, "name")
        if check.error is not None:
            yield [name, Span("failed", "error"), check.error.message]
            if check.error.hint:
                yield ["", "", Span(check.error.hint, "warning")]
        elif check.found is None:
            yield [name, Span("not tried", "dim"), "the others come first"]
        else:
            yield [name, Span("ok", "added"), check.found]


def _run(session: Session, **stores: bool) -> None:
    """Check all Spark dependencies, and run a job with one row.

    It checks the versions of PySpark and Delta, Java, Delta's jars with their checksums, and the
    connection to the master. Then it runs the job. If a check fails, it shows the remedy and exits
    with code 9.

    --s3, --azure and --gcs also check the jars for that object store. They are checked anyway if
    some of them are installed, or if a table in [tables] is in that store.

    \b
        deltactl spark check
        deltactl spark check --s3
        deltactl spark check --master spark://cluster:7077
        deltactl spark check --remote sc://cluster:15002 -o json
    """
    with session.progress("Spark") as bar:
        wanted = spark_config(session)._replace(stores=_kinds(session, stores))
        found = tuple(checks(wanted, os.environ, JobBar(bar).reached))
    failed = any(check.error for check in found)
    session.show(SparkCheckReport(found, exit_code=SparkError.exit_code if failed else 0))


def _kinds(session: Session, chosen: Mapping[str, bool]) -> tuple[StoreKind, ...]:
    named = {kind_of(alias.uri) for alias in session.settings.tables.values()}
    return tuple(kind for kind in NAMES if chosen[kind] or kind in named)


command = bare_command(with_options({**STORES, **PLACE}, _run))
