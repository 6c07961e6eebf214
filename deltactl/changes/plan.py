"""A change of a table, decided and not done: what is shown, asked, saved and committed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.changes.jobs import Job
from deltactl.changes.refusal import Refusal, kind_of_error
from deltactl.changes.rows import BACKFILL, Counterexample, RowsChecked, backfill_json
from deltactl.errors import DeltactlError, Notice
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.spec.protocol.clients import Answer, Client, Verdict
from deltactl.spec.schema.diff import SchemaChange
from deltactl.table.snapshot import Snapshot
from deltactl.table.version_facts import protocol_json
from deltactl.text.hints import naming_table
from deltactl.text.identifiers import table_at

Action = tuple[str, Mapping[str, Any]]

_IN_SQL = re.compile(r"\b((?:ALTER|REORG|RESTORE) TABLE) \.\.\.")


class Kind(StrEnum):
    """What changes beside the schema, whose changes have kinds of their own."""

    PROPERTY = "property"
    DOMAIN = "domain"
    TABLE = "table"


class Setting(NamedTuple):
    """A property, a domain, or a field of the metadata with its value before and after.

    `depends_on_version`: the value is rebuilt for each attempt, and says nothing of what was
    asked for.
    """

    kind: Kind
    path: str
    before: Any
    after: Any
    depends_on_version: bool = False

    def to_json(self) -> dict[str, Any]:
        sides = {"before": self.before, "after": self.after}
        return {"kind": self.kind.value, "path": self.path, **sides, "readersGoOn": True}


class ClientImpact(NamedTuple):
    """A client that could open the table before, and what it can no longer do."""

    client: Client
    before: Verdict
    after: Verdict

    @property
    def loses(self) -> tuple[str, ...]:
        """`read`, `write`: what it could do, or no measurement says that it could not."""
        words = {
            "read": (self.before.reads, self.after.reads),
            "write": (self.before.writes, self.after.writes),
        }
        return tuple(word for word, (was, now) in words.items() if was != now == Answer.NO)

    @property
    def lacked(self) -> tuple[str, ...]:
        """`read`, `write`: what it could not do before either."""
        words = {"read": self.before.reads, "write": self.before.writes}
        return tuple(word for word, was in words.items() if was == Answer.NO)

    @property
    def because(self) -> tuple[str, ...]:
        """What is against it now, and was not before."""
        return tuple(reason for reason in self.after.because if reason not in self.before.because)

    def to_json(self) -> dict[str, Any]:
        return {
            "client": self.client.name,
            "version": self.client.version,
            "loses": list(self.loses),
            "because": list(self.because),
        }


class FileActions(NamedTuple):
    """Adds that are committed again with `what`. `stream` yields them all, as often as called."""

    number: int
    sample: tuple[Mapping[str, Any], ...]
    stream: Callable[[], Iterator[Action]]
    what: str = "new fields"


class DataFiles(NamedTuple):
    """How many data files the table has: as of an older version, or not counted (None).

    `old_types` are those of the changed columns by the type in which files hold them, where that
    was asked for.
    """

    number: int | None = None
    as_of: int | None = None
    old_types: tuple[Mapping[str, Any], ...] | None = None

    def to_json(self) -> dict[str, Any]:
        types = None if self.old_types is None else [dict(row) for row in self.old_types]
        return {"count": self.number, "asOf": self.as_of, "physicalTypes": types}


NOT_COUNTED = DataFiles()


class FileAction(StrEnum):
    """What becomes of a file of the log."""

    PUT_IF_ABSENT = "put-if-absent"
    REPLACE = "replace"
    MOVE_ASIDE = "move-aside"


class LogFileChange(NamedTuple):
    """A file that is written, or moved to `target`, below `_delta_log`.

    `size` and `rows` are None if only writing it will tell.
    """

    path: str
    what: str
    how: FileAction
    target: str | None = None
    size: int | None = None
    rows: int | None = None

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "how": self.how.value}


class PreparedFile(NamedTuple):
    """What is to be in a file: bytes in memory, or those of a file on this machine."""

    path: str
    size: int
    rows: int | None = None
    data: bytes = b""
    local_file: str | None = None


class Undo(NamedTuple):
    """How to go back: `commands` to type one after the other, and what else a person must know.

    A command is one of deltactl, or a statement of Spark SQL.
    """

    commands: tuple[str, ...] = ()
    note: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"commands": list(self.commands), "note": self.note}


class PhysicalColumn(NamedTuple):
    """A column whose type has changed, and the types in which data files hold it.

    `field` is the one whose metadata remembers the `changes`. It can forget them where
    `is_prunable`; `reason` says why, or why not.
    """

    path: str
    field: str
    type: str
    changes: tuple[Mapping[str, Any], ...]
    types: tuple[Mapping[str, Any], ...]
    is_prunable: bool
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "field": self.field,
            "type": self.type,
            "typeChanges": [dict(change) for change in self.changes],
            "physicalTypes": [dict(held) for held in self.types],
            "prunable": self.is_prunable,
            "reason": self.reason,
        }


class Rewrites(NamedTuple):
    """Data files that must be rewritten before the whole change can be made.

    `stream` yields their paths, as their adds have them, and their sizes, as often as it is called.
    If `batch` is set, Spark rewrites them before anything else, that many in a commit.
    `have` is what the files have until then.
    """

    files: int
    size: int
    sample: tuple[str, ...]
    stream: Callable[[], Iterator[tuple[str, int]]]
    batch: int | None = None
    have: str = "old types"

    @property
    def come_first(self) -> bool:
        return self.batch is not None

    def to_json(self) -> dict[str, Any]:
        return {
            "files": self.files,
            "bytes": self.size,
            "sample": list(self.sample),
            "comeFirst": self.come_first,
        }


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What would become version `read_version + 1`, or why nothing may.

    Nothing is written to a log but by carrying out one of these. An action that is None is
    unchanged. `costs` are the clients that lose something, `lost_already` those that would, had
    they not lost it before. `known_domains` are those of `base`, None if they were not read.
    `columns` are those that files were asked about, None if they were not.

    `first` plans what has to be committed before anything else is looked at, on a draft of its own.
    `between` plans what has to be committed after files were rewritten and before the `job`.
    `follow_up` is done by Spark after the commit, in one of Delta's own.

    A plan with a `job` is carried out by that, in commits of Delta's own: what it says of protocol
    and metadata is what these come to.

    A plan with `files` makes no version. `prepare` makes what is to be in those that are written,
    below a folder of this machine, in the order in which they are to appear; some of
    it may be in `scratch`, a folder of the log that is gone afterwards. If they are of use only
    `as_one`, an error takes away those that were put before it.
    """

    operation: str
    parameters: Mapping[str, str]
    base: Snapshot
    protocol: Protocol | None = None
    metadata: Metadata | None = None
    domains: tuple[DomainMetadata, ...] = ()
    transactions: tuple[Transaction, ...] = ()
    file_actions: FileActions | None = None
    data_files: DataFiles = NOT_COUNTED
    rows_checked: RowsChecked | None = None
    counterexamples: tuple[Counterexample, ...] = ()
    columns: tuple[PhysicalColumn, ...] | None = None
    rewrites: Rewrites | None = None
    first: Callable[[Any], "Plan"] | None = field(default=None, repr=False)
    between: Callable[[Any], "Plan"] | None = field(default=None, repr=False)
    job: Job | None = None
    follow_up: Job | None = None
    in_commit_timestamp: int | None = None
    schema_changes: tuple[SchemaChange, ...] = ()
    settings: tuple[Setting, ...] = ()
    costs: tuple[ClientImpact, ...] = ()
    lost_already: tuple[ClientImpact, ...] = ()
    undo: Undo | None = None
    warnings: tuple[Notice, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    known_domains: tuple[DomainMetadata, ...] | None = field(default=None, repr=False)
    files: tuple[LogFileChange, ...] = ()
    prepare: Callable[[str], Sequence[PreparedFile]] | None = field(default=None, repr=False)
    scratch: str | None = None
    as_one: bool = False

    @property
    def read_version(self) -> int:
        return self.base.version

    @property
    def version(self) -> int:
        """The version that carrying it out makes."""
        return self.read_version + 1

    @property
    def is_empty(self) -> bool:
        """Whether the table is already as was asked for."""
        in_commit = self.protocol or self.metadata or self.domains or self.file_actions
        return not (in_commit or self.files or self.job)

    @property
    def needs_consent(self) -> bool:
        """Whether to ask first: other clients may lose the table, or data is rewritten."""
        return self.protocol is not None or self.takes_spark

    @property
    def takes_spark(self) -> bool:
        """Whether jobs run on Spark before the commit, after it, or instead of it."""
        return bool(self.job or self.follow_up or (self.rewrites and self.rewrites.come_first))

    @property
    def backfill(self) -> Job | None:
        """What gives old rows the value of a new column, if anything is to."""
        job = self.job or self.follow_up
        return job if job is not None and job.name == BACKFILL else None

    @property
    def all_domains(self) -> tuple[DomainMetadata, ...] | None:
        """Every domain of the version that it makes, if anybody looked for them."""
        if self.known_domains is None:
            return None
        found = {domain.domain: domain for domain in (*self.known_domains, *self.domains)}
        return tuple(found[name] for name in sorted(found) if not found[name].removed)

    @property
    def intent(self) -> tuple[Any, ...]:
        """What the plan is to bring about; equal for plans that do the same on other versions."""
        settings = [
            s._replace(before=None, after=None) if s.depends_on_version else s
            for s in self.settings
        ]
        return (self.operation, self.schema_changes, settings, self.protocol)

    def error(self) -> DeltactlError | None:
        """Return the first refusal as the error that the command ends with."""
        if not self.refusals:
            return None
        first = self.refusals[0]
        more = len(self.refusals) - 1
        message = first.message if not more else f"{first.message} (and {more} more, see refusals)"
        error = kind_of_error(self.refusals)
        return error(first.code, message, hint=first.hint, details=dict(first.details))

    def naming(self, called: str, uri: str) -> "Plan":
        """Return the plan with hints that name the table, and to SQL its place."""

        def named(text: str) -> str:
            text = _IN_SQL.sub(lambda found: f"{found[1]} {table_at(uri)}", text)
            return naming_table(text, called)

        undo = self.undo
        return replace(
            self,
            undo=undo and Undo(tuple(map(named, undo.commands)), undo.note and named(undo.note)),
            refusals=tuple(r._replace(hint=r.hint and named(r.hint)) for r in self.refusals),
        )

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

    def to_json(self) -> dict[str, Any]:
        """Return the plan as documents hold it."""
        files = self.file_actions
        return {
            "operation": self.operation,
            "readVersion": self.read_version,
            "changes": [
                *({**c.to_json(), "readersGoOn": c.readers_go_on} for c in self.schema_changes),
                *(setting.to_json() for setting in self.settings),
            ],
            "protocol": self.protocol
            and {
                "before": protocol_json(self.base.protocol),
                "after": protocol_json(self.protocol),
                "clientsLost": [cost.to_json() for cost in self.costs],
            },
            "actions": {
                "metaData": self.metadata and self.metadata.to_json(),
                "protocol": self.protocol and self.protocol.to_json(),
                "domains": [domain.to_json() for domain in self.domains],
                "fileActions": {
                    "count": files.number if files else 0,
                    "sample": [dict(action) for action in files.sample] if files else [],
                },
            },
            "files": [file.to_json() for file in self.files],
            "dataFiles": self.data_files.to_json(),
            "rowsChecked": self.rows_checked and self.rows_checked._asdict(),
            "counterexamples": [example.to_json() for example in self.counterexamples],
            "rewrites": self.rewrites and self.rewrites.to_json(),
            **({} if self.job is None else {"job": self.job.to_json()}),
            "backfill": self.backfill and backfill_json(self.backfill),
            "undo": self.undo and self.undo.to_json(),
            "warnings": [{"code": n.code, "message": n.message} for n in self.warnings],
            "refusals": [refusal.to_json() for refusal in self.refusals],
        }
