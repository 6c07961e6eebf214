"""Protocol and metadata: each well formed, and neither asking for what the other does not have."""

from collections import Counter
from collections.abc import Iterator, Mapping

from deltactl.errors import BrokenLogError, DeltactlError, Notice, RefusedError
from deltactl.findings import Finding, shown
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.keys import (
    COLUMN_MAPPING_MAX_ID,
    COLUMN_MAPPING_NESTED_IDS,
    ENABLE_IN_COMMIT_TIMESTAMPS,
    ENABLE_ROW_TRACKING,
    FEATURE_PREFIX,
    ICT_ENABLEMENT_TIMESTAMP,
    ICT_ENABLEMENT_VERSION,
    MATERIALIZED_ROW_COLUMNS,
    TYPE_WIDENING_FEATURES,
    is_enabled,
)
from deltactl.spec.properties import registry
from deltactl.spec.protocol import features
from deltactl.spec.protocol.protocol import check_form, protocol_warnings, supported
from deltactl.spec.schema import column_mapping, type_changes
from deltactl.spec.schema.schema import faults, format_path, parse_schema, walk
from deltactl.spec.schema.types import Struct
from deltactl.text.strict_json import DIGITS
from deltactl.verify.log import type_chains
from deltactl.verify.log.notices import finding_from_notice

_ICT_SINCE = (
    ICT_ENABLEMENT_VERSION,
    ICT_ENABLEMENT_TIMESTAMP,
)
# What a client that is too old says of a table; the table is sound.
_OF_CLIENTS = {"UNSUPPORTED_WRITER_VERSION", "UNSUPPORTED_WRITER_FEATURE"}


def check_protocol(protocol: Protocol, subject: str) -> Iterator[Finding]:
    """Yield whether the protocol's versions and lists are such as a protocol can have."""
    try:
        check_form(protocol)
    except RefusedError:
        return  # A table for newer clients: what they may write here nobody knows.
    except BrokenLogError as error:
        yield finding_from_notice(error, subject)
        return
    for notice in protocol_warnings(protocol):
        if notice.code not in _OF_CLIENTS:
            yield finding_from_notice(notice, subject)


def check_metadata(metadata: Metadata, subject: str) -> Iterator[Finding]:
    """Yield whether the schema, and what refers to its columns, is sound."""
    for key in metadata.configuration:
        row = registry.lookup(key)
        is_feature = key.casefold().startswith(FEATURE_PREFIX)
        if is_feature or (row is not None and row.owner is registry.Owner.PROTOCOL):
            yield Finding("PROTOCOL_KEY_IN_PROPERTIES", subject, "no such property", key)
    if metadata.schema_string is None:
        yield Finding("SCHEMA_MISSING", subject, "a schemaString", "none")
        return
    try:
        schema = parse_schema(metadata.schema_string)
    except DeltactlError as error:
        yield finding_from_notice(error, subject)
        return
    for notice in faults(schema):
        yield finding_from_notice(notice, subject)
    names = {field.name.casefold() for field in schema.fields}
    for column in metadata.partition_columns:
        if column.casefold() not in names:
            code, expected = "PARTITION_COLUMN_NOT_IN_SCHEMA", "a column of the schema"
            yield Finding(code, subject, expected, format_path((column,)))
    yield from _mapping(schema, metadata.configuration, subject)
    yield from type_chains.check(schema, subject)


def check_pair(protocol: Protocol, metadata: Metadata, subject: str) -> Iterator[Finding]:
    """Yield whether the protocol has every feature that the metadata asks for."""
    have, configuration = supported(protocol), metadata.configuration
    for row, key in features.properties_missing_feature(configuration, have):
        expected = f"the feature {row.name} in the protocol"
        value = shown(f"{key} = {configuration[key]}")
        yield Finding("PROPERTY_WITHOUT_FEATURE", subject, expected, value)
    schema = _schema(metadata)
    if schema is not None and not have & TYPE_WIDENING_FEATURES:
        for node in type_changes.fields_with_changes(schema):
            message = f"column {node} has type changes"
            yield finding_from_notice(Notice("TYPE_CHANGES_WITHOUT_FEATURE", message), subject)
    if is_enabled(configuration, ENABLE_ROW_TRACKING):
        for key in MATERIALIZED_ROW_COLUMNS:
            if not configuration.get(key):
                yield Finding("ROW_TRACKING_INCOMPLETE", subject, f"the property {key}", "none")
    if is_enabled(configuration, ENABLE_IN_COMMIT_TIMESTAMPS):
        there = [key for key in _ICT_SINCE if key in configuration]
        if len(there) == 1:
            both = " and ".join(_ICT_SINCE)
            yield Finding("ICT_ENABLEMENT_INCOMPLETE", subject, both, there[0])


def _schema(metadata: Metadata) -> Struct | None:
    try:
        return None if metadata.schema_string is None else parse_schema(metadata.schema_string)
    except DeltactlError:
        return None


def _mapping(schema: Struct, configuration: Mapping[str, str], subject: str) -> Iterator[Finding]:
    """Yield whether each column can be found in files, and no two in one place."""
    mode = column_mapping.mode(configuration)
    if mode not in ("none", "name", "id"):
        yield Finding("COLUMN_MAPPING_MODE", subject, "none, name or id", shown(mode))
    if mode == "none":
        return
    try:
        column_mapping.check_complete(schema, configuration)
    except BrokenLogError as error:
        yield finding_from_notice(error, subject)
        return
    fields = [node for node in walk(schema) if node.is_field]
    ids = [(column_mapping.column_id(node.field), str(node)) for node in fields]
    for nested in (node.field.metadata.get(COLUMN_MAPPING_NESTED_IDS) for node in fields):
        if isinstance(nested, dict):
            ids += [(value, name) for name, value in nested.items() if type(value) is int]
    for number, times in Counter(number for number, _ in ids).items():
        if number is not None and times > 1:
            both = " and ".join(name for found, name in ids if found == number)
            yield Finding("COLUMN_ID_TWICE", subject, "each id once", f"id {number} on {both}")
    paths = Counter(column_mapping.physical_path(schema, node) for node in fields)
    for path, times in paths.items():
        if times > 1:
            place = format_path(path)
            yield Finding("PHYSICAL_NAME_TWICE", subject, "each physical name once", place)
    highest = max((number for number, _ in ids if number is not None), default=0)
    stored = str(configuration.get(COLUMN_MAPPING_MAX_ID, ""))
    if not stored.isdecimal() or len(stored) > DIGITS or int(stored) < highest:
        found = shown(stored or "none")
        yield Finding("MAX_COLUMN_ID_TOO_LOW", subject, f"at least {highest}", found)
