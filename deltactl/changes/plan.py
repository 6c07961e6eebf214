"""A change of a table, decided and not done: what is shown, asked, saved and carried out."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from deltactl.changes.file_changes import (
    NOT_COUNTED,
    Action,
    DataFiles,
    FileActions,
    LogFileChange,
    PreparedFile,
    Rewrites,
)
from deltactl.changes.jobs import Job
from deltactl.changes.refusal import Refusal, kind_of_error
from deltactl.changes.report_rows import ClientImpact, PhysicalColumn, SettingChange
from deltactl.changes.rows import BACKFILL, Counterexample, RowsChecked, backfill_json
from deltactl.changes.undo import Undo
from deltactl.errors import DeltactlError, Notice
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.spec.schema.diff import SchemaChange
from deltactl.table.snapshot import Snapshot
from deltactl.table.version_facts import protocol_json
from deltactl.text.identifiers import table_at

_NO_FILE_ACTIONS: Mapping[str, Any] = {"count": 0, "sample": []}


# No object is of this class alone: methods made for it would only slow the start down.
@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class _Plan(ABC):
    """What every plan says, and why it may not be carried out, if so."""

    operation: str
    base: Snapshot
    undo: Undo | None = None
    warnings: tuple[Notice, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def read_version(self) -> int:
        return self.base.version

    def error(self) -> DeltactlError | None:
        """Return the first refusal as the error that the command ends with."""
        if not self.refusals:
            return None
        first = self.refusals[0]
        more = len(self.refusals) - 1
        message = first.message if not more else f"{first.message} (and {more} more, see refusals)"
        error = kind_of_error(self.refusals)
        return error(first.code, message, hint=first.hint, details=dict(first.details))

    def naming(self, called: str, uri: str) -> Self:
        """Return the plan with hints that name the table, and to SQL its place."""

        place = table_at(uri)
        return replace(
            self,
            undo=self.undo and self.undo.named(called, place),
            refusals=tuple(refusal.named(called, place) for refusal in self.refusals),
        )

    def retyped(self, again: Callable[[str], str]) -> Self:
        """Return the plan with hints that are whole commands, as `Words.retyped` does."""
        return replace(self, refusals=tuple(r.retyped(again) for r in self.refusals))

    def to_json(self) -> dict[str, Any]:
        """Return the plan as documents hold it."""
        return {
            "operation": self.operation,
            "readVersion": self.read_version,
            **self._contents(),
            "undo": self.undo and self.undo.to_json(),
            "warnings": [{"code": n.code, "message": n.message} for n in self.warnings],
            "refusals": [refusal.to_json() for refusal in self.refusals],
        }

    @abstractmethod
    def _contents(self) -> dict[str, Any]:
        """Return what the plan is to bring about; every kind of plan has the same members."""


# No object is of this class alone: methods made for it would only slow the start down.
@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class _ChangePlan(_Plan):
    """What would become of the table, by a commit of ours or by those of a job.

    An action that is None is unchanged. `clients_lost` are those that lose access,
    `already_incompatible` those that would, had they not lost it before. `columns` are those that
    files were asked about, None if they were not.
    """

    parameters: Mapping[str, str]
    protocol: Protocol | None = None
    metadata: Metadata | None = None
    domains: tuple[DomainMetadata, ...] = ()
    schema_changes: tuple[SchemaChange, ...] = ()
    settings: tuple[SettingChange, ...] = ()
    clients_lost: tuple[ClientImpact, ...] = ()
    already_incompatible: tuple[ClientImpact, ...] = ()
    data_files: DataFiles = NOT_COUNTED
    rows_checked: RowsChecked | None = None
    counterexamples: tuple[Counterexample, ...] = ()
    columns: tuple[PhysicalColumn, ...] | None = None
    rewrites: Rewrites | None = None

    @property
    def version(self) -> int:
        """The version that carrying it out makes, or the first of several."""
        return self.read_version + 1

    @property
    def rewrites_first(self) -> Rewrites | None:
        """The data files that Spark rewrites before all else, if there are any."""
        return self.rewrites if self.rewrites and self.rewrites.come_first else None

    @property
    def takes_spark(self) -> bool:
        """Whether jobs run on Spark before the commit, after it, or instead of it."""
        return self.rewrites_first is not None

    @property
    @abstractmethod
    def backfill(self) -> Job | None:
        """What gives old rows the value of a new column, if anything is to."""

    @property
    def intent(self) -> tuple[Any, ...]:
        """What the plan is to bring about; equal for plans that do the same on other versions."""
        settings = [
            s._replace(before=None, after=None) if s.depends_on_version else s
            for s in self.settings
        ]
        # Type changes tell the version that makes them; the types say what is asked for.
        changes = [change._replace(type_changes=((), ())) for change in self.schema_changes]
        return (type(self), self.operation, changes, settings, self.protocol)

    def _contents(self) -> dict[str, Any]:
        return {
            "changes": [
                *(change.to_json() for change in self.schema_changes),
                *(setting.to_json() for setting in self.settings),
            ],
            "protocol": self.protocol
            and {
                "before": protocol_json(self.base.protocol),
                "after": protocol_json(self.protocol),
                "clientsLost": [impact.to_json() for impact in self.clients_lost],
            },
            "actions": {
                "metaData": self.metadata and self.metadata.to_json(),
                "protocol": self.protocol and self.protocol.to_json(),
                "domains": [domain.to_json() for domain in self.domains],
                "fileActions": self._file_actions_json(),
            },
            "files": [],
            "dataFiles": self.data_files.to_json(),
            "rowsChecked": self.rows_checked and self.rows_checked._asdict(),
            "counterexamples": [example.to_json() for example in self.counterexamples],
            "rewrites": self.rewrites and self.rewrites.to_json(),
            **self._job_json(),
            "backfill": self.backfill and backfill_json(self.backfill),
        }

    def _file_actions_json(self) -> Mapping[str, Any]:
        return _NO_FILE_ACTIONS

    def _job_json(self) -> Mapping[str, Any]:
        return {}


@dataclass(frozen=True, kw_only=True)
class CommitPlan(_ChangePlan):
    """A change that a commit of ours makes, as version `read_version + 1`.

    `follow_up` is done by Spark after the commit, in one of Delta's own. `known_domains` are those
    of `base`, None if they were not read.
    """

    transactions: tuple[Transaction, ...] = ()
    file_actions: FileActions | None = None
    follow_up: Job | None = None
    in_commit_timestamp: int | None = None
    known_domains: tuple[DomainMetadata, ...] | None = field(default=None, repr=False)

    @property
    def is_empty(self) -> bool:
        """Whether the table is already as was asked for."""
        return not (self.protocol or self.metadata or self.domains or self.file_actions)

    @property
    def takes_spark(self) -> bool:
        """Whether jobs run on Spark before the commit, or after it."""
        return self.follow_up is not None or super().takes_spark

    @property
    def backfill(self) -> Job | None:
        """What gives old rows the value of a new column after the commit, if anything is to."""
        return _backfill(self.follow_up)

    @property
    def all_domains(self) -> tuple[DomainMetadata, ...] | None:
        """Every domain of the version that it makes, if anybody looked for them."""
        if self.known_domains is None:
            return None
        found = {domain.domain: domain for domain in (*self.known_domains, *self.domains)}
        return tuple(found[name] for name in sorted(found) if not found[name].removed)

    def with_transaction(self, transaction: Transaction) -> "CommitPlan":
        """Return the plan whose commit also notes what an application has written."""
        return replace(self, transactions=(*self.transactions, transaction))

    def actions(self) -> Iterator[Action]:
        """Yield every action but the first, `commitInfo`."""
        if self.protocol is not None:
            yield "protocol", self.protocol.to_json()
        if self.metadata is not None:
            yield "metaData", self.metadata.to_json()
        for domain in self.domains:
            yield "domainMetadata", domain.to_json()
        for transaction in self.transactions:
            yield "txn", transaction.to_json()
        if self.file_actions is not None:
            yield from self.file_actions.stream()

    def _file_actions_json(self) -> Mapping[str, Any]:
        files = self.file_actions
        if files is None:
            return _NO_FILE_ACTIONS
        return {"count": files.number, "sample": [dict(action) for action in files.sample]}


@dataclass(frozen=True, kw_only=True)
class JobPlan(_ChangePlan):
    """A change that `job` makes on Spark, in commits of Delta's own.

    What it says of protocol and metadata is what these come to. `first` plans what we have to
    commit before anything else is looked at, on a draft of its own. `between` plans what we have
    to commit after files were rewritten and before the job.
    """

    job: Job
    first: Callable[[Any], "ChangePlan"] | None = field(default=None, repr=False)
    between: Callable[[Any], "ChangePlan"] | None = field(default=None, repr=False)

    @property
    def is_empty(self) -> bool:
        """False: what is left to do is found by the job."""
        return False

    @property
    def takes_spark(self) -> bool:
        """True: the job runs there."""
        return True

    @property
    def backfill(self) -> Job | None:
        """What gives old rows the value of a column, if the job is for that."""
        return _backfill(self.job)

    def _job_json(self) -> Mapping[str, Any]:
        return {"job": self.job.to_json()}


@dataclass(frozen=True, kw_only=True)
class LogFilePlan(_Plan):
    """A change of files of the log, which makes no version.

    `prepare` makes what is to be in those that are written, below a folder of this machine, in
    the order in which they are to appear. Some of it may be in `scratch`, a folder of the log
    that is gone afterwards. If the files are of use only `as_one`, an error takes away those that
    were put before it.
    """

    files: tuple[LogFileChange, ...]
    prepare: Callable[[str], Sequence[PreparedFile]] = field(repr=False)
    scratch: str | None = None
    as_one: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether the files are already as was asked for."""
        return not self.files

    def _contents(self) -> dict[str, Any]:
        return {
            "changes": [],
            "protocol": None,
            "actions": {
                "metaData": None,
                "protocol": None,
                "domains": [],
                "fileActions": _NO_FILE_ACTIONS,
            },
            "files": [file.to_json() for file in self.files],
            "dataFiles": NOT_COUNTED.to_json(),
            "rowsChecked": None,
            "counterexamples": [],
            "rewrites": None,
            "backfill": None,
        }


ChangePlan = CommitPlan | JobPlan
"""A plan that makes versions of the table."""

Plan = ChangePlan | LogFilePlan


def _backfill(job: Job | None) -> Job | None:
    return job if job is not None and job.name == BACKFILL else None
