"""What calls return: frozen values, each a copy of what the table was at the time of the call."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from os import PathLike
from typing import Any

from deltactl.api.arguments import checks_arguments, file_of
from deltactl.api.executing import raise_refusal
from deltactl.api.maintenance import Finding
from deltactl.api.saved.files import holds_plan, save
from deltactl.api.work import Request, call_of
from deltactl.changes.change_report import ChangeReport
from deltactl.changes.saved_plan import SavedPlan as FileContent
from deltactl.errors import Notice


@dataclass(frozen=True, kw_only=True)
class Change:
    """One change of a schema or a setting.

    Attributes:
        kind: `added`, `dropped`, `renamed`, `widened`, `retyped`, `metadata`, `property`,
            `domain` or `table`.
        path: the column, the property, or the domain.
        before: the value before, None if it was missing.
        after: the value after, None if it is missing.
    """

    kind: str
    path: str
    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """One reason why a plan cannot be applied.

    Attributes:
        code: stable, in upper case; `deltactl explain CODE` knows it.
        message: what is true.
        hint: what to do next.
    """

    code: str
    message: str
    hint: str | None


@dataclass(frozen=True, kw_only=True)
class Undo:
    """How to go back.

    Attributes:
        commands: commands of deltactl, or statements of Spark SQL, in their order.
        note: what else a person must know.
    """

    commands: tuple[str, ...] = ()
    note: str | None = None


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A change, decided and not done; `DeltaTable.apply` commits it.

    Attributes:
        operation: the operation as history shows it.
        read_version: the version that the plan is for.
        changes: what changes.
        warnings: consequences to know of, each with a `code` and a `message`.
        refusals: every reason against the plan; one with any cannot be applied.
        undo: how to go back.
        clients_lost: clients that can no longer read or write the table, with their versions.
        is_empty: whether the table is already as was asked for.
        request: what was asked for, for `DeltaTable.apply`.
        report: the plan as the command line shows it.
    """

    operation: str
    read_version: int
    changes: tuple[Change, ...]
    warnings: tuple[Notice, ...]
    refusals: tuple[Refusal, ...]
    undo: Undo
    clients_lost: tuple[str, ...]
    is_empty: bool
    request: Request = field(repr=False, compare=False)
    report: ChangeReport = field(repr=False, compare=False)

    @checks_arguments
    def save(self, path: str | PathLike[str]) -> None:
        """Keep the plan in a file, for `load_plan` or `deltactl apply`.

        Another plan in that file is replaced, and nothing else is.

        Raises:
            RefusedError: the plan has refusals, or the file holds something else.
            UsageError: there is no such folder.
        """
        raise_refusal(self.report)
        file = file_of(path)
        holds_plan(file)
        save(file, self.report, call_of(self.request))


@dataclass(frozen=True, kw_only=True)
class SavedPlan:
    """A plan that was read from a file; `DeltaTable.apply` commits it.

    Attributes:
        uri: the table that it is for.
        operation: the operation as history shows it.
        read_version: the version that the plan is for.
        changes: what changes.
        made_by: the version of deltactl that saved it.
        saved: the content of the file.
    """

    uri: str
    operation: str
    read_version: int
    changes: tuple[Change, ...]
    made_by: str
    saved: FileContent = field(repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What became of a change.

    Attributes:
        version: the version that was committed, None if nothing was.
        plan: the plan that was committed, or would be.
        warnings: consequences to know of.
    """

    version: int | None
    plan: Plan
    warnings: tuple[Notice, ...]

    @property
    def committed(self) -> bool:
        """Whether a version was committed."""
        return self.version is not None


@dataclass(frozen=True, kw_only=True)
class Field:
    """A top-level column of a schema.

    Attributes:
        name: its name.
        type: its type, as Delta writes it.
        nullable: whether it may be NULL.
        metadata: what else the schema says of it.
    """

    name: str
    type: str
    nullable: bool
    metadata: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The schema of a table.

    Attributes:
        fields: the columns, in their order.
        json: the schema as Delta's JSON object.
    """

    fields: tuple[Field, ...]
    json: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column, or a field, element, key or value below one.

    Attributes:
        path: its path, such as `a` or `s.x`.
        type: its type, as Delta writes it.
        nullable: whether it may be NULL.
        type_changes: its type changes, oldest first, as Delta writes them.
        details: comment, default, generation and more, None if there is nothing; fields only.
    """

    path: str
    type: str
    nullable: bool
    type_changes: tuple[Mapping[str, Any], ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Protocol:
    """What a client needs to support to read and write a table.

    Attributes:
        min_reader_version: the reader version.
        min_writer_version: the writer version.
        reader_features: the features that readers need, None if the protocol lists none.
        writer_features: the features that writers need, None if the protocol lists none.
    """

    min_reader_version: int
    min_writer_version: int
    reader_features: tuple[str, ...] | None
    writer_features: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True)
class Commit:
    """One commit of the history.

    Attributes:
        version: the version that it made.
        timestamp: when, in UTC.
        operation: the operation, None if the commit does not say.
        changes: what it changed in the schema.
        info: its commitInfo, as it stands in the log.
    """

    version: int
    timestamp: datetime
    operation: str | None
    changes: tuple[Change, ...]
    info: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class DataFile:
    """A live data file.

    Attributes:
        path: its path, as the log has it.
        size: its bytes.
        partition_values: its partition values by column.
        modification_time: when it was written, in UTC; None if the log does not say.
        records: its rows, deleted ones too; None if the log does not say.
        deletion_vector: its deletion vector, as Delta writes it.
    """

    path: str
    size: int
    partition_values: Mapping[str, str | None]
    modification_time: datetime | None
    records: int | None
    deletion_vector: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Property:
    """A property of a table.

    Attributes:
        key: its name.
        value: its value; None if it is not set.
        default: the default of engines, None if there is nothing.
        problem: why engines do not accept the value, None if they do.
    """

    key: str
    value: str | None
    default: str | None
    problem: str | None


@dataclass(frozen=True, kw_only=True)
class Constraint:
    """A condition that every row satisfies.

    Attributes:
        name: the name of a CHECK constraint, or the column that has the rule.
        kind: what it is, such as `check`.
        expression: the condition in SQL.
    """

    name: str
    kind: str
    expression: str


@dataclass(frozen=True, kw_only=True)
class Domain:
    """A metadata domain.

    Attributes:
        name: its name.
        configuration: what it holds.
    """

    name: str
    configuration: str


@dataclass(frozen=True, kw_only=True)
class Detail:
    """A table in figures, as `DESCRIBE DETAIL` of Delta has them.

    Attributes:
        uri: its path or URL.
        id: its id, None if the log does not say.
        name: its name in the metadata, None without one.
        description: its description, None without one.
        version: the version.
        timestamp: when the version was committed, in UTC; None if that is lost.
        partition_columns: the columns that it is partitioned by.
        properties: the properties that are set.
        num_files: its live files.
        size_in_bytes: their bytes.
        num_records: its rows, deleted ones not among them; None if they were not counted.
        findings: what a quick check found.
    """

    uri: str
    id: str | None
    name: str | None
    description: str | None
    version: int
    timestamp: datetime | None
    partition_columns: tuple[str, ...]
    properties: Mapping[str, str]
    num_files: int
    size_in_bytes: int
    num_records: int | None
    findings: tuple[Finding, ...]
