"""The next version of a table while it is being planned: verbs change it, a plan comes out."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from deltactl.changes.file_changes import (
    DataFiles,
    FileActions,
    LogFileChange,
    PreparedFile,
    Rewrites,
)
from deltactl.changes.jobs import Job
from deltactl.changes.plan import ChangePlan, CommitPlan, JobPlan, LogFilePlan
from deltactl.changes.preconditions import contradictions, obstacles_to_writing, unlisted_by_schema
from deltactl.changes.refusal import Refusal
from deltactl.changes.report_rows import ClientImpact, PhysicalColumn, SettingChange, SettingKind
from deltactl.changes.rows import Counterexample, RowsChecked
from deltactl.changes.undo import Undo, dropped_feature
from deltactl.errors import (
    BrokenLogError,
    DeltactlError,
    NotFoundError,
    Notice,
    RefusedError,
    SparkError,
    StorageError,
)
from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.spec.constraints.rules import CarriedRules, RowRules, check_rules
from deltactl.spec.keys import (
    COLUMN_MAPPING_MAX_ID,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    ROW_TRACKING_DOMAIN,
)
from deltactl.spec.protocol.clients import CLIENTS, verdict_on
from deltactl.spec.protocol.protocol import supported, with_features
from deltactl.spec.schema.diff import changes
from deltactl.spec.schema.edit import schema_string
from deltactl.spec.schema.types import Struct
from deltactl.table.commit.checksum import known_count
from deltactl.table.commit_times import in_commit_since
from deltactl.table.snapshot import Snapshot, last_commit_time
from deltactl.table.state.small_actions import read_domains
from deltactl.text import strict_json
from deltactl.text.hints import Command, Sql, Words, joined

if TYPE_CHECKING:  # It loads pyarrow, which few changes need.
    from deltactl.table.state.data_files import NewestFiles

Fresh = Callable[[str, str], str]

# Another writer's column takes the number that was the next one.
OF_THE_VERSION = {ICT_ENABLEMENT_VERSION, ICT_ENABLEMENT_TIMESTAMP, COLUMN_MAPPING_MAX_ID}


class Draft:
    """A table that is about to change.

    Verbs assign `schema`, `protocol` and the other parts; what they find to be impossible they
    `refuse`, and continue, so that all reasons are told at once. `now` is the time in milliseconds;
    `fresh(prefix, what)` is a unique name, the same at each call for one `what`. `newest` is the
    table as it is now, for a plan about the files of an older version.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        now: int,
        fresh: Fresh,
        check_spark: Callable[[Job], Notice | None] = lambda _: None,
        newest: Snapshot | None = None,
    ) -> None:
        self.base = snapshot
        self.newest = newest or snapshot
        self.now = now
        self.fresh = fresh
        self._check_spark = check_spark
        self.schema: Struct = snapshot.usable_schema
        self.protocol: Protocol = snapshot.protocol
        self.configuration: dict[str, str] = dict(snapshot.configuration)
        self.partition_columns: tuple[str, ...] = snapshot.metadata.partition_columns
        self.name: str | None = snapshot.metadata.name
        self.description: str | None = snapshot.metadata.description
        self.file_actions: FileActions | None = None
        self.old_types: tuple[Mapping[str, Any], ...] | None = None
        self.rows_checked: RowsChecked | None = None
        self.counterexamples: tuple[Counterexample, ...] = ()
        self.columns: tuple[PhysicalColumn, ...] | None = None
        self.rewrites: Rewrites | None = None
        self.first: Callable[[Draft], ChangePlan] | None = None
        self.between: Callable[[Draft], ChangePlan] | None = None
        self.job: Job | None = None
        self.follow_up: Job | None = None
        self.transactions: tuple[Transaction, ...] = ()
        self.newest_files: NewestFiles | None = None
        """What the newest files hold, once a verb has asked."""
        self._rules: tuple[Struct, Mapping[str, str], RowRules] | None = None
        self._carried = CarriedRules()
        self._domains: dict[str, DomainMetadata] = {}
        self._undo: dict[Command | Sql, str | Words | None] = {}
        self._undo_notes: dict[str | Words, None] = {}
        self._lead = ""
        self._warnings: dict[Notice, None] = dict.fromkeys(
            (*snapshot.notices, *snapshot.log.storage.warnings)
        )
        self._refusals: dict[Refusal, None] = dict.fromkeys(obstacles_to_writing(snapshot))

    @property
    def version(self) -> int:
        """The version that the table is to have."""
        return self.base.version + 1

    @property
    def features(self) -> frozenset[str]:
        """Every feature of the planned protocol."""
        return supported(self.protocol)

    @property
    def rules(self) -> RowRules:
        """The rules for rows in the planned schema and configuration."""
        made = self.schema, dict(self.configuration)
        if self._rules is None or self._rules[0] is not made[0] or self._rules[1] != made[1]:
            carried = self._carried.of(self.schema)
            rules = RowRules([*check_rules(self.configuration), *carried], self.schema)
            self._rules = (*made, rules)
        return self._rules[2]

    def add_features(self, *names: str) -> None:
        """Have the protocol list the features, and what they require."""
        self.protocol = with_features(self.protocol, names)

    @cached_property
    def live_domains(self) -> Mapping[str, DomainMetadata]:
        """The domains of the table as it is; reads the log for them when first asked."""
        return read_domains(self.base)

    def set_domain(self, domain: DomainMetadata) -> None:
        """Write the domain, or with `removed` its tombstone, always with a text."""
        if domain.configuration is None:
            domain = replace(domain, configuration="")  # one that a damaged log has no text of
        elif not isinstance(domain.configuration, str):
            domain = replace(domain, configuration=strict_json.dumps(domain.configuration))
        self._domains[domain.domain] = domain

    def domain(self, name: str) -> DomainMetadata | None:
        """Return the domain as planned, None if there is no such domain."""
        found = self._domains.get(name) or self.live_domains.get(name)
        return None if found is None or found.removed else found

    def refuse(
        self,
        code: str,
        message: str,
        hint: str | Words | None = None,
        *,
        is_missing: bool = False,
        needs_spark: bool = False,
        in_storage: bool = False,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        """Note why the change may not be made; `details` must be hashable; shown in JSON only."""
        said = f"{self._lead}{message}"
        facts = tuple((details or {}).items())
        why = (is_missing, needs_spark, in_storage)
        self._refusals[Refusal(code, said, hint, *why, facts)] = None

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Take what is found or forbidden inside the block as a refusal, and continue behind it."""
        try:
            yield
        except (BrokenLogError, StorageError):
            raise
        except DeltactlError as error:
            missing = isinstance(error, NotFoundError)
            self.refuse(error.code, error.message, error.remedy, is_missing=missing)

    def need_spark(self, job: str) -> None:
        """Refuse the plan if it is known beforehand that Spark cannot do the job on the table.

        A dry run only warns of what this machine lacks.
        """
        if self.is_refused:
            return
        try:
            told = self._check_spark(Job(job, {"table": self.base.log.storage.uri}, ""))
        except (SparkError, RefusedError) as error:
            lacks = isinstance(error, SparkError)
            self.refuse(error.code, error.message, error.remedy, needs_spark=lacks)
        else:
            if told is not None:
                self.warn(told.code, told.message)

    @contextmanager
    def telling(self, lead: str) -> Iterator[None]:
        """Begin every refusal from inside the block with `lead`."""
        outer, self._lead = self._lead, lead
        try:
            yield
        finally:
            self._lead = outer

    @property
    def is_refused(self) -> bool:
        """Whether anything stands against the change so far."""
        return bool(self._refusals)

    def warn(self, code: str, message: str) -> None:
        """Say what to know before the change is made."""
        self._warnings[Notice(code, message)] = None

    def undo_with(self, command: Command | Sql, note: str | Words | None = None) -> None:
        """Add a command that goes back, and what to know of it.

        The commands are told in reverse order; RESTORE stands for all of them.
        """
        if command == self.restore:
            self._undo = {command: note}
        elif self.restore not in self._undo:
            self._undo.setdefault(command, note)

    def undo_by_setting(self, domain: DomainMetadata) -> None:
        """Say that the way back is to set the domain to what it is now."""
        self.undo_with(Command("domain set", domain.domain, str(domain.configuration)))

    @property
    def restore(self) -> Sql:
        """The statement of Spark SQL that goes back to the version as it is."""
        return Sql("RESTORE TABLE", f"TO VERSION AS OF {self.base.version}")

    def undo_with_restore(self, why: str = "") -> None:
        """Say that no command of deltactl goes back; `why` follows what to know of RESTORE."""
        note = f"Spark SQL only; also discards rows written after version {self.base.version}{why}"
        self.undo_with(self.restore, note)

    def undo_note(self, text: str) -> None:
        """Say what a person must know who wants to go back, or why nothing does."""
        self._undo_notes[text] = None

    def plan(self, operation: str, parameters: Mapping[str, str]) -> ChangePlan:
        """Return the plan for what the draft has become."""
        both = self.base.configuration.keys() & self.configuration.keys()
        if self.schema == self.base.schema and COLUMN_MAPPING_MAX_ID in both:
            # Ids that no column got are not a change of the table.
            self.configuration[COLUMN_MAPPING_MAX_ID] = self.base.configuration[
                COLUMN_MAPPING_MAX_ID
            ]
        self._refusals.update(
            dict.fromkeys(contradictions(self.protocol, self.configuration, self.schema))
        )
        if self.protocol != self.base.protocol:
            self._refusals.update(dict.fromkeys(unlisted_by_schema(self.protocol, self.schema)))
        own_time = self._in_commit_timestamp()
        metadata = self._metadata()
        protocol = None if self.protocol == self.base.protocol else self.protocol
        domains = tuple(d for d in self._domains.values() if self._differs(d))
        impacts = () if protocol is None else tuple(_impacts(self.base.protocol, protocol))
        is_commit = bool(protocol or metadata or domains or self.file_actions)
        # Without a commit of ours to follow it is all that there is to do.
        job = self.job or (None if is_commit else self.follow_up)
        said: dict[str, Any] = {
            "operation": operation,
            "parameters": parameters,
            "base": self.base,
            "protocol": protocol,
            "metadata": metadata,
            "domains": domains,
            "data_files": DataFiles(*known_count(self.base), self.old_types),
            "rows_checked": self.rows_checked,
            "counterexamples": self.counterexamples,
            "columns": self.columns,
            "rewrites": self.rewrites,
            "schema_changes": tuple(changes(self.base.usable_schema, self.schema)),
            "settings": tuple(self._settings(domains)),
            "clients_lost": tuple(impact for impact in impacts if impact.loses),
            "already_incompatible": tuple(impact for impact in impacts if not impact.loses),
            "undo": self._planned_undo() if is_commit or job else None,
            "warnings": tuple(self._warnings),
            "refusals": tuple(self._refusals),
        }
        if job is not None:
            return JobPlan(**said, job=job, first=self.first, between=self.between)
        return CommitPlan(
            **said,
            file_actions=self.file_actions,
            follow_up=self.follow_up,
            transactions=self.transactions,
            in_commit_timestamp=own_time,
            known_domains=self._known_domains(),
        )

    def file_plan(
        self,
        operation: str,
        files: Sequence[LogFileChange],
        prepare: Callable[[str], Sequence[PreparedFile]],
    ) -> LogFilePlan:
        """Return the plan that leaves the table as it is, and changes these files of its log."""
        return LogFilePlan(
            operation=operation,
            base=self.base,
            files=tuple(files),
            prepare=prepare,
            warnings=tuple(self._warnings),
            refusals=tuple(self._refusals),
        )

    def _planned_undo(self) -> Undo | None:
        undo = dict(reversed(self._undo.items()))
        notes: dict[str | Words, None] = {note: None for note in undo.values() if note is not None}
        if any(isinstance(command, Sql) and command != self.restore for command in undo):
            notes["ALTER TABLE: Spark SQL only"] = None
        notes |= self._undo_notes
        dropped = {dropped_feature(command) for command in undo}
        stays = self.features - supported(self.base.protocol) - dropped
        if stays and self.protocol.listed:
            notes[f"the protocol keeps {' and '.join(sorted(stays))}"] = None
        elif stays:
            now = self.protocol
            versions = f"({now.min_reader_version},{now.min_writer_version})"
            notes[f"the protocol stays at {versions}"] = None
        if not self._undo and not notes:
            return None
        return Undo(tuple(undo), joined(", and ", notes) if notes else None)

    def _metadata(self) -> Metadata | None:
        """Return the metadata as it is to be; None if it stays, verbatim, as it is."""
        old = self.base.metadata
        same = self.schema == self.base.usable_schema
        new = replace(
            old,
            schema_string=old.schema_string if same else schema_string(self.schema),
            partition_columns=self.partition_columns,
            configuration=self.configuration,
            name=self.name,
            description=self.description,
        )
        return None if new == old else new

    def _in_commit_timestamp(self) -> int | None:
        """Return the time that the commit must give itself, which also dates the switching on.

        None for the commit that switches it off, as in Delta.
        """
        before = in_commit_since(self.base.protocol, self.base.metadata) is not None
        metadata = replace(self.base.metadata, configuration=self.configuration)
        after = in_commit_since(self.protocol, metadata) is not None
        if not after:
            return None
        with self.refusing():
            own = max(self.now, last_commit_time(self.base, in_commit=before) + 1)
            if not before:
                self.configuration[ICT_ENABLEMENT_VERSION] = str(self.version)
                self.configuration[ICT_ENABLEMENT_TIMESTAMP] = str(own)
            return own
        return None

    def _settings(self, domains: Iterable[DomainMetadata]) -> Iterator[SettingChange]:
        old = self.base.metadata
        for key in sorted({**old.configuration, **self.configuration}):
            was, now = old.configuration.get(key), self.configuration.get(key)
            if was != now:
                yield SettingChange(SettingKind.PROPERTY, key, was, now, key in OF_THE_VERSION)
        for domain in domains:
            known = self.live_domains.get(domain.domain)
            was = None if known is None else known.configuration
            now = None if domain.removed else domain.configuration
            # Delta's own follow from what is asked for; a user's are what is asked for.
            yield SettingChange(
                SettingKind.DOMAIN, domain.domain, was, now, domain.domain == ROW_TRACKING_DOMAIN
            )
        for field in ("name", "description"):
            was, now = getattr(old, field), getattr(self, field)
            if was != now:
                yield SettingChange(SettingKind.TABLE, field, was, now)
        if old.partition_columns != self.partition_columns:
            sides = list(old.partition_columns), list(self.partition_columns)
            yield SettingChange(SettingKind.TABLE, "partitionColumns", *sides)

    def _differs(self, domain: DomainMetadata) -> bool:
        known = self.live_domains.get(domain.domain)
        if domain.removed:
            return known is not None
        return known is None or known.configuration != domain.configuration

    def _known_domains(self) -> tuple[DomainMetadata, ...] | None:
        """Return the domains of the table as it is, if anybody looked for them."""
        return tuple(self.live_domains.values()) if "live_domains" in self.__dict__ else None


def as_text(value: Any) -> str:
    """Return a value as `operationParameters` hold it: JSON in a string."""
    return strict_json.dumps(value)


def _impacts(before: Protocol, after: Protocol) -> Iterator[ClientImpact]:
    """Yield the clients that lose access, and those that lost it before."""
    for client in CLIENTS:
        old, new = (verdict_on(client, protocol) for protocol in (before, after))
        impact = ClientImpact(client, old, new)
        if impact.loses or (impact.lacked and impact.because):
            yield impact
