"""Commits: each action as the protocol wants it, and each commit in keeping with those before."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from deltactl.errors import BrokenLogError, Notice
from deltactl.findings import Finding, shown
from deltactl.log.commit import commit_lines
from deltactl.log.commit.commit_info import wrong_types
from deltactl.log.replay import Replay
from deltactl.spec.actions import validation
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.actions.fields import ACTIONS, json_types
from deltactl.spec.actions.validation import FieldError
from deltactl.spec.keys import (
    APPEND_ONLY,
    APPEND_ONLY_FEATURE,
    DELETION_VECTORS_FEATURE,
    DOMAIN_METADATA_FEATURE,
    ROW_TRACKING_DOMAIN,
    ROW_TRACKING_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol.features import unreadable
from deltactl.spec.protocol.protocol import supported
from deltactl.table.commit_times import gives_time, in_commit_since
from deltactl.text import strict_json
from deltactl.verify.files.partitions import Partitioning
from deltactl.verify.log import protocol_and_metadata
from deltactl.verify.log.notices import finding_from_notice

_MARK = "rowIdHighWaterMark"
_CDC = json_types(ACTIONS["cdc"], required=True)
_HEAD_OF_STATS = '{"numRecords":'
# So many findings of one code a commit names; a torn file has as many as lines.
_NAMED = 5


PROTOCOL, METADATA = ": protocol", ": metaData"


def is_of_protocol_or_metadata(finding: Finding) -> bool:
    """Return whether it concerns a protocol or metadata action that a later one may mend."""
    return PROTOCOL in finding.subject or METADATA in finding.subject


class CommitChecks:
    """Reads commits oldest first, checks each, and hands its actions on to `replay`.

    `protocol`, `metadata` and `in_commit_timestamp` are those of the newest version that was read;
    the time is None if that version has none, or if it is not known.
    """

    def __init__(self, replay: Replay) -> None:
        self.replay = replay
        self.protocol: Protocol | None = None
        self.metadata: Metadata | None = None
        self.in_commit_timestamp: int | None = None
        self.row_id_mark: int | None = None
        self.partitioning: Partitioning | None = None
        # Those of the change data feed, with their sizes.
        self.change_files: list[tuple[str, int]] = []
        self._commit = _Commit("", -1)
        self._told: set[tuple[str, str]] = set()

    def begin(
        self,
        protocol: Protocol | None,
        metadata: Metadata | None,
        name: str,
        time: int | None = None,
    ) -> Iterator[Finding]:
        """Take protocol and metadata from the checkpoint `name`, from which commits continue.

        `time` is the one that the commit of its version gives itself, if that is still there.
        """
        yield from self._set_protocol_and_metadata(protocol, metadata, name)
        gives_times = in_commit_since(self.protocol, self.metadata) is not None
        self.in_commit_timestamp = time if gives_times else None

    def transaction_of(self, version: int) -> str | None:
        """Return the id that the commit of `version` gives itself, if it was read last."""
        return self._commit.transaction_id if self._commit.version == version else None

    def check_newest_protocol_and_metadata(self) -> Iterator[Finding]:
        """Yield what is wrong with the newest protocol and metadata."""
        if self.protocol is not None:
            yield from protocol_and_metadata.check_protocol(self.protocol, PROTOCOL)
        if self.metadata is not None:
            yield from protocol_and_metadata.check_metadata(self.metadata, METADATA)
        if self.protocol is not None and self.metadata is not None:
            yield from protocol_and_metadata.check_pair(self.protocol, self.metadata, METADATA)

    def read(self, version: int, name: str, blocks: Callable[[], Any]) -> Iterator[Finding]:
        """Check the commit of `version`; `blocks` gives its text, as often as it is called."""
        self._commit = _Commit(name, version)
        was_append_only = self._is_append_only()
        counts: dict[str, int] = {}
        for finding in self._read(name, blocks):
            counts[finding.code] = counts.get(finding.code, 0) + 1
            if counts[finding.code] <= _NAMED:
                yield finding._replace(since_version=version)
        for notice in self.replay.notices:
            yield finding_from_notice(notice, name, version)
        self.replay.notices.clear()
        removed = self._commit.data_removed
        if removed and was_append_only and self._is_append_only():
            yield Finding(
                "REMOVE_ON_APPEND_ONLY", name, "no data removed", removed, since_version=version
            )
        for finding in (*self._time(), *self._domains(), *self._row_ids()):
            yield finding._replace(since_version=version)

    def _read(self, name: str, blocks: Callable[[], Any]) -> Iterator[Finding]:
        try:
            for first, block in blocks():
                for notice in commit_lines.commit_warnings(block, name):
                    if notice.code != "COMMIT_HAS_BOM" or first == 1:
                        yield finding_from_notice(notice, name)
                # A line of the same commit that stands further down counts for all of it.
                yield from self._check_protocol_and_metadata(block, name, first)
                for number, line in commit_lines.lines(block, first):
                    yield from self._line(number, line, name)
        except BrokenLogError as error:
            yield finding_from_notice(error, name)

    def _check_protocol_and_metadata(
        self, block: bytes, name: str, first: int
    ) -> Iterator[Finding]:
        found = []
        try:
            for kind in ("protocol", "metaData"):
                found.append(commit_lines.search(block, kind, name, first))
        except BrokenLogError:
            return  # The line itself is told of where its turn comes.
        protocols, metadatas = found
        self._commit.protocols += len(protocols)
        self._commit.metadatas += len(metadatas)
        notices = list(
            commit_lines.at_most_one(self._commit.protocols, self._commit.metadatas, name)
        )
        yield from (finding_from_notice(notice, name) for notice in notices)
        notices.clear()
        try:
            protocol = (
                commit_lines.read_protocol(protocols[-1], name, notices) if protocols else None
            )
            metadata = (
                commit_lines.read_metadata(metadatas[-1], name, notices) if metadatas else None
            )
        except BrokenLogError as error:
            yield finding_from_notice(error, name)
            return
        wrong = (notice for notice in notices if notice.code != "DUPLICATE_KEY")
        yield from (finding_from_notice(notice, name) for notice in wrong)
        yield from self._set_protocol_and_metadata(protocol, metadata, name)

    def _set_protocol_and_metadata(
        self, protocol: Protocol | None, metadata: Metadata | None, name: str
    ) -> Iterator[Finding]:
        if protocol is not None:
            yield from self._once(
                protocol_and_metadata.check_protocol(protocol, f"{name}{PROTOCOL}")
            )
            self.protocol = protocol
        if metadata is not None:
            found = protocol_and_metadata.check_metadata(metadata, f"{name}{METADATA}")
            # A feature that nobody knows here may bring types of its own.
            newer = self.protocol and unreadable(self.protocol.listed)
            yield from self._once(f for f in found if not (newer and f.code == "UNKNOWN_TYPE"))
            self.metadata = metadata
            self.partitioning = Partitioning(metadata)
        if (protocol or metadata) and self.protocol is not None and self.metadata is not None:
            pair = protocol_and_metadata.check_pair(
                self.protocol, self.metadata, f"{name}{METADATA}"
            )
            yield from self._once(pair)

    def _once(self, findings: Iterator[Finding]) -> Iterator[Finding]:
        """Yield those that were not told of an older version: metadata carries its faults along."""
        for finding in findings:
            key = (finding.code, finding.found)
            if key not in self._told:
                self._told.add(key)
                yield finding

    def _line(self, number: int, line: bytes, name: str) -> Iterator[Finding]:
        subject = f"{name}, line {number}"
        try:
            value, doubled = strict_json.loads_once(line.decode())
        except (ValueError, RecursionError) as error:
            expected = "one JSON object a line"
            yield Finding("COMMIT_NOT_JSON", subject, expected, shown(str(error)))
            return
        if not isinstance(value, dict):
            yield Finding("COMMIT_NOT_JSON", subject, "a JSON object", shown(value))
            return
        if doubled is not None:
            yield Finding("DUPLICATE_KEY", subject, "each key once", f"{doubled} twice")
        for kind, body in value.items():
            if isinstance(body, dict):
                yield from self._action(number, kind, body, subject)
                try:
                    self.replay.apply_action(kind, body, name)
                except BrokenLogError as error:
                    yield finding_from_notice(error, subject)
            elif body is not None and kind in commit_lines.KNOWN_ACTIONS:
                expected = "an object"
                yield Finding("ACTION_MALFORMED", f"{subject}: {kind}", expected, shown(body))

    def _action(
        self, number: int, kind: str, body: Mapping[str, Any], subject: str
    ) -> Iterator[Finding]:
        match kind:
            case "add":
                yield from self._add(body, subject)
            case "remove":
                yield from _findings(validation.remove_errors(body), f"{subject}: remove")
                if body.get("dataChange", True) is not False:
                    self._commit.data_removed = self._commit.data_removed or str(body.get("path"))
            case "commitInfo":
                yield from self._info(number, body, subject)
            case "cdc":
                found = validation.missing_fields("CHANGE_FILE_MALFORMED", body, _CDC)
                yield from _findings(found, f"{subject}: cdc")
                if type(body.get("path")) is str and type(body.get("size")) is int:
                    self.change_files.append((body["path"], body["size"]))
                if body.get("dataChange") is True:
                    expected = "dataChange false"
                    yield Finding("CHANGE_FILE_MALFORMED", f"{subject}: cdc", expected, "true")
            case "domainMetadata":
                yield from self._domain(body, subject)
            case "rowIdHighWaterMark":
                mark = body.get("highWaterMark")
                self.row_id_mark = mark if type(mark) is int else self.row_id_mark
            case "checkpointMetadata" | "sidecar":
                yield Finding("ACTION_MALFORMED", subject, "actions of a commit", kind)

    def _add(self, body: Mapping[str, Any], subject: str) -> Iterator[Finding]:
        yield from _findings(validation.add_errors(body), f"{subject}: add")
        values = body.get("partitionValues")
        if self.partitioning is not None and isinstance(values, dict):
            yield from self.partitioning.check(values, f"{subject}: add")
        stats, records = body.get("stats"), None
        if isinstance(stats, str) and stats:
            records, wrong = record_count_in(stats)
            if wrong:
                yield Finding("STATISTICS_NOT_JSON", f"{subject}: add", "a JSON object", wrong)
        vector = body.get("deletionVector")
        if isinstance(vector, dict):
            if records is None:
                expected = "numRecords in the statistics, for there is a deletion vector"
                yield Finding("VECTOR_WITHOUT_RECORDS", f"{subject}: add", expected, "none")
            if self.protocol and DELETION_VECTORS_FEATURE not in supported(self.protocol):
                notice = Notice("DELETION_VECTOR_WITHOUT_FEATURE", "it has a deletion vector")
                yield finding_from_notice(notice, f"{subject}: add")
        base = body.get("baseRowId")
        if type(base) is int:
            last = base + (1 if records is None else records) - 1
            if records != 0 and last > self._commit.last_row_id[0]:
                self._commit.last_row_id = (last, subject)

    def _info(self, number: int, body: Mapping[str, Any], subject: str) -> Iterator[Finding]:
        this = self._commit
        if this.has_info:
            yield Finding("TWO_COMMIT_INFOS", subject, "at most one commitInfo", "another one")
        this.has_info = True
        for field in wrong_types(body):
            expected = "the type that Spark decodes"
            found = shown(f"{field}: {body.get(field)!r}")
            yield Finding("FIELD_WRONG_TYPE", f"{subject}: commitInfo", expected, found)
        if isinstance(transaction := body.get("txnId"), str):
            this.transaction_id = transaction
        own = body.get("inCommitTimestamp")
        if type(own) is int:
            this.time, this.time_is_first = own, number == 1

    def _domain(self, body: Mapping[str, Any], subject: str) -> Iterator[Finding]:
        name = body.get("domain")
        if not isinstance(name, str) or not isinstance(body.get("removed", False), bool):
            expected = "a domain, a configuration and removed"
            yield Finding("ACTION_MALFORMED", f"{subject}: domainMetadata", expected, shown(body))
            return
        if name in self._commit.domains:
            yield Finding("DUPLICATE_DOMAIN", subject, "one action for a domain", name)
        self._commit.domains.add(name)
        if isinstance(body.get("configuration"), dict):
            yield Finding("DRAFT_DOMAIN_CONFIGURATION", f"{subject}: {name}", "a text", "an object")
        if name == ROW_TRACKING_DOMAIN and not body.get("removed"):
            mark = row_id_mark(body.get("configuration"))
            if mark is None:
                found = shown(body.get("configuration"))
                yield Finding("ROW_ID_MARK_UNREADABLE", subject, f"a number as {_MARK}", found)
                self._commit.has_unreadable_mark = True
            elif self.row_id_mark is not None and mark < self.row_id_mark:
                expected = f"at least {self.row_id_mark}"
                yield Finding("ROW_ID_MARK_TOO_LOW", subject, expected, str(mark))
            self.row_id_mark = mark if mark is not None else self.row_id_mark

    def _domains(self) -> Iterator[Finding]:
        if not self._commit.domains or self.protocol is None:
            return
        if DOMAIN_METADATA_FEATURE not in supported(self.protocol):
            found = ", ".join(sorted(self._commit.domains))
            expected = "the feature domainMetadata"
            yield Finding("DOMAIN_WITHOUT_FEATURE", self._commit.name, expected, shown(found))

    def _row_ids(self) -> Iterator[Finding]:
        last, subject = self._commit.last_row_id
        if last < 0 or self._commit.has_unreadable_mark or self.protocol is None:
            return
        if ROW_TRACKING_FEATURE not in supported(self.protocol):
            return
        if self.row_id_mark is None:
            expected = f"the domain {ROW_TRACKING_DOMAIN} with {_MARK} {last} or more"
            yield Finding("ROW_ID_MARK_TOO_LOW", subject, expected, "no such domain")
        elif last > self.row_id_mark:
            expected = f"{_MARK} {last} or more"
            yield Finding("ROW_ID_MARK_TOO_LOW", subject, expected, str(self.row_id_mark))

    def _time(self) -> Iterator[Finding]:
        this = self._commit
        if not gives_time(this.version, self.protocol, self.metadata):
            self.in_commit_timestamp = None
            return
        if this.time is None:
            expected = "commitInfo with inCommitTimestamp"
            yield Finding("ICT_MISSING", this.name, expected, "none")
            return
        if not this.time_is_first:
            expected = "commitInfo in the first line"
            yield Finding("ICT_NOT_FIRST", this.name, expected, "commitInfo further down")
        before = self.in_commit_timestamp
        if before is not None and this.time <= before:
            found = str(this.time)
            yield Finding("ICT_NOT_INCREASING", this.name, f"more than {before}", found)
        self.in_commit_timestamp = this.time

    def _is_append_only(self) -> bool:
        if self.metadata is None or self.protocol is None:
            return False
        is_on = is_enabled(self.metadata.configuration, APPEND_ONLY)
        return is_on and APPEND_ONLY_FEATURE in supported(self.protocol)


class _Commit:
    """What is known of the commit that is being read."""

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version
        self.protocols = self.metadatas = 0
        self.has_info = False
        self.transaction_id: str | None = None
        self.time: int | None = None
        self.time_is_first = False
        self.data_removed = ""
        self.domains: set[str] = set()
        self.last_row_id: tuple[int, str] = (-1, "")
        self.has_unreadable_mark = False


def _findings(found: Iterable[FieldError], subject: str) -> Iterator[Finding]:
    for code, field, wanted, held in found:
        yield Finding(code, subject, f"{field} ({wanted})", shown(held))


def record_count_in(stats: str) -> tuple[int | None, str]:
    """Return the number of rows in the statistics, and why these are malformed, if they are."""
    if stats.startswith(_HEAD_OF_STATS) and stats.endswith("}"):
        digits = stats[len(_HEAD_OF_STATS) :].partition(",")[0].rstrip("}")
        if digits.isdecimal() and len(digits) <= strict_json.DIGITS:
            return int(digits), ""
    try:
        value = json.loads(stats)
    except (ValueError, RecursionError) as error:
        return None, shown(str(error))
    if not isinstance(value, dict):
        return None, shown(value)
    found = value.get("numRecords")
    return (found if type(found) is int else None), ""


def row_id_mark(configuration: Any) -> int | None:
    """Return the highest row id that was given out, as the domain says; None if it does not."""
    if isinstance(configuration, str):
        try:
            configuration = json.loads(configuration)
        except (ValueError, RecursionError):
            return None
    mark = configuration.get(_MARK) if isinstance(configuration, dict) else None
    return mark if type(mark) is int else None
