"""Every look at a table, as the report that commands print: one value each, with all it has."""

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from deltactl.api.arguments import checks_arguments, wrong
from deltactl.api.reading.lazy_module import LazyModule
from deltactl.spec.versions import VersionsBack
from deltactl.table.table import At, Table

WriteMode = Literal["append", "mergeSchema", "typeWidening", "overwriteSchema"]

if TYPE_CHECKING:
    from deltactl.api.work import Progress
    from deltactl.operations import physical_types
    from deltactl.operations.constraints import list as constraints
    from deltactl.operations.domains import list as domains
    from deltactl.operations.inspect import diff as diffs
    from deltactl.operations.inspect import files, history, log_cat, log_list, show
    from deltactl.operations.properties import get as property_get
    from deltactl.operations.properties import list as properties
    from deltactl.operations.protocol import features
    from deltactl.operations.protocol import show as protocol
    from deltactl.operations.schema import check, column_list, export
    from deltactl.operations.schema import show as schema
    from deltactl.operations.widen import targets
    from deltactl.spec import write_compat
    from deltactl.spec.schema import schema as paths
    from deltactl.table.parquet import data_schema
    from deltactl.verify import quick
else:
    _OPERATIONS = "deltactl.operations"
    check = LazyModule(f"{_OPERATIONS}.schema.check")
    column_list = LazyModule(f"{_OPERATIONS}.schema.column_list")
    constraints = LazyModule(f"{_OPERATIONS}.constraints.list")
    data_schema = LazyModule("deltactl.table.parquet.data_schema")
    diffs = LazyModule(f"{_OPERATIONS}.inspect.diff")
    domains = LazyModule(f"{_OPERATIONS}.domains.list")
    export = LazyModule(f"{_OPERATIONS}.schema.export")
    features = LazyModule(f"{_OPERATIONS}.protocol.features")
    files = LazyModule(f"{_OPERATIONS}.inspect.files")
    history = LazyModule(f"{_OPERATIONS}.inspect.history")
    log_cat = LazyModule(f"{_OPERATIONS}.inspect.log_cat")
    log_list = LazyModule(f"{_OPERATIONS}.inspect.log_list")
    paths = LazyModule("deltactl.spec.schema.schema")
    physical_types = LazyModule(f"{_OPERATIONS}.physical_types")
    properties = LazyModule(f"{_OPERATIONS}.properties.list")
    property_get = LazyModule(f"{_OPERATIONS}.properties.get")
    protocol = LazyModule(f"{_OPERATIONS}.protocol.show")
    quick = LazyModule("deltactl.verify.quick")
    schema = LazyModule(f"{_OPERATIONS}.schema.show")
    show = LazyModule(f"{_OPERATIONS}.inspect.show")
    targets = LazyModule(f"{_OPERATIONS}.widen.targets")
    write_compat = LazyModule("deltactl.spec.write_compat")


class Reports:
    """Every look at a table as the report that the command of that name prints.

    A report is a value of the moment: `warnings` say what is odd, and `body()` returns the members
    of the document that `-o json` prints. The lists of `history`, `files` and `log_file` are not
    among them: `elements()` yields these, as objects or as lines of JSON. Those of `files` and
    `log_file` read the table meanwhile; all other reports are frozen.

    >>> report = deltactl.open("./events").reports.protocol()
    >>> [feature.name for feature in report.features]
    ['appendOnly', 'invariants']
    >>> report.body()["protocol"]["minWriterVersion"]
    2

    A time, such as `at`, has a time zone; `at` is a version or a time, by default now.
    """

    def __init__(self, opened: Callable[[], Table], progress: "Progress") -> None:
        self._opened = opened
        self._progress = progress

    @checks_arguments
    def show(self, *, at: At = None, rows: bool = False) -> "show.ShowReport":
        """Return what the log says of the table, with its files summed up.

        Args:
            at: the version or the time.
            rows: count rows even if that takes a while.
        """
        # Health is known above the floor that sums up, hence an argument.
        return show.report_show(self._opened(), at, rows=rows, check=quick.quick_findings)

    @checks_arguments
    def history(
        self,
        *,
        limit: int | None = None,
        first: int | VersionsBack | None = None,
        last: int | VersionsBack | None = None,
        since: datetime | None = None,
        operation: str | None = None,
        schema_only: bool = False,
    ) -> "history.HistoryReport":
        """Return the commits, newest first.

        Args:
            limit: how many at most.
            first: the oldest version.
            last: the newest version.
            since: none before this time.
            operation: only those of this operation, such as `MERGE`.
            schema_only: only those that changed the schema or the protocol.
        """
        _check_limit(limit)
        if isinstance(first, int) and isinstance(last, int) and first > last:
            raise wrong("first", f"first, {first}, is after last, {last}")
        wanted = history.HistoryFilter(
            first=first,
            last=last,
            since=since,
            operation=operation,
            schema_only=schema_only,
            limit=limit,
        )
        return history.report_history(self._opened(), wanted)

    @checks_arguments
    def files(self, *, at: At = None, limit: int | None = None) -> "files.FilesReport":
        """Return the live files, which are read as they are taken; at most `limit` of them."""
        _check_limit(limit)
        return files.report_files(self._opened(), at, limit=limit)

    @checks_arguments
    def physical_types(self, column: str, *, at: At = None) -> "physical_types.PhysicalTypesReport":
        """Return in which types the data files hold a column, by their footers."""
        with self._progress("reading footers") as bar:
            path = paths.parse_path(column)
            return physical_types.report_physical_types(self._opened(), path, at, bar.advance)

    @checks_arguments
    def log(self) -> "log_list.LogReport":
        """Return the files of the log, however damaged it is."""
        return log_list.report_log(self._opened())

    @checks_arguments
    def log_file(self, name: str | int) -> "log_cat.LogCatReport":
        """Return one file of the log, whose actions are read as they are taken.

        Args:
            name: its name as `log` has it; a version names its commit.
        """
        return log_cat.report_log_cat(self._opened(), str(name))

    @checks_arguments
    def schema(self, *, at: At = None) -> "schema.SchemaReport":
        """Return every column, with what its field says, and when its type changed."""
        return schema.report_schema(self._opened(), at)

    @checks_arguments
    def columns(self, *, at: At = None) -> "column_list.ColumnsReport":
        """Return every column, field, element, key and value, parents first."""
        return column_list.report_columns(self._opened(), at)

    @checks_arguments
    def schema_types(self, column: str, *, at: At = None) -> "targets.SchemaTypesReport":
        """Return the types that a column can be widened to, and what forbids each today."""
        return targets.report_schema_types(self._opened(), paths.parse_path(column), at)

    @checks_arguments
    def schema_diff(
        self,
        before: At,
        after: At = None,
        *,
        other: "Reports | None" = None,
        fail_on_changes: bool = False,
    ) -> "diffs.SchemaDiffReport":
        """Compare the schema at `before` with that at `after`; see `diff` for the arguments."""
        states = self._states(before, after, other)
        return diffs.report_schema_diff(*states, fail_on_changes=fail_on_changes)

    @checks_arguments
    def diff(
        self,
        before: At,
        after: At = None,
        *,
        other: "Reports | None" = None,
        fail_on_changes: bool = False,
    ) -> "diffs.DiffReport":
        """Compare all but the rows at `before` with that at `after`.

        Args:
            before: the version or the time, None for now.
            after: the version or the time, None for now.
            other: the reports of another table, which `after` is of.
            fail_on_changes: have the report's `exit_code` be 5 if there is a difference.
        """
        states = self._states(before, after, other)
        return diffs.report_diff(*states, fail_on_changes=fail_on_changes)

    def _states(
        self, before: At, after: At, other: "Reports | None"
    ) -> tuple[tuple[Table, At], tuple[Table, At]]:
        """Return the two states that a diff compares, each a table and its version or time."""
        table = self._opened()
        second = table if other is None else other._opened()
        return (table, before), (second, after)

    @checks_arguments
    def last_change(self, *, fail_on_changes: bool = False) -> "diffs.DiffReport":
        """Compare the newest version that changed more than rows with the one before it."""
        return diffs.report_last_change(self._opened(), fail_on_changes=fail_on_changes)

    @checks_arguments
    def schema_check(
        self,
        data: "data_schema.DataSchema | str",
        *,
        against: str | None = None,
        mode: WriteMode = "append",
        at: At = None,
    ) -> "check.SchemaCheckReport":
        """Say for each kind of write whether the table accepts data of another schema.

        Args:
            data: the schema of the data; as text columns in Spark SQL, or a Delta schema in JSON.
            against: what the report calls it, by default the text.
            mode: the kind of write whose refusal makes the report's `exit_code` 5.
            at: the version or the time.
        """
        found = data_schema.schema_of_text(data, "data") if isinstance(data, str) else data
        called = against or (data if isinstance(data, str) else found.form)
        asked = write_compat.Mode(mode)
        return check.report_schema_check(self._opened(), called, found, asked, at)

    @checks_arguments
    def schema_export(
        self, form: Literal["ddl", "json", "arrow"] = "ddl", *, at: At = None
    ) -> "export.SchemaExportReport":
        """Return the schema as a CREATE TABLE statement, as Delta's JSON, or as Arrow has it."""
        return export.report_schema_export(self._opened(), form, at)

    @checks_arguments
    def properties(self, *, at: At = None, every: bool = False) -> "properties.PropertiesReport":
        """Return the properties that are set; with `every` also all known ones."""
        return properties.report_properties(self._opened(), at, every=every)

    @checks_arguments
    def property(self, key: str, *, at: At = None) -> "property_get.PropertyReport":
        """Return one property that is set, or has a default."""
        return property_get.report_property(self._opened(), key, at)

    @checks_arguments
    def constraints(self, *, at: At = None) -> "constraints.ConstraintsReport":
        """Return CHECK constraints, then the rules of columns."""
        return constraints.report_constraints(self._opened(), at)

    @checks_arguments
    def domains(self, *, at: At = None) -> "domains.DomainsReport":
        """Return the metadata domains by name."""
        return domains.report_domains(self._opened(), at)

    @checks_arguments
    def protocol(self, *, at: At = None) -> "protocol.ProtocolReport":
        """Return what clients need to support, and which of them do."""
        return protocol.report_protocol(self._opened(), at)


def _check_limit(limit: int | None) -> None:
    if limit is not None and limit < 1:
        raise wrong("limit", f"limit must be 1 or more, not {limit}")


@checks_arguments
def known_features(name: str | None = None) -> "features.FeaturesReport":
    """Return every table feature that deltactl knows, or the one of that name."""
    return features.report_features(name)
