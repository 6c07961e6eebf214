"""Whether a table may be written: what is odd about its log, and what would be odd afterwards."""

from collections.abc import Iterator, Mapping

from deltactl.changes.refusal import Refusal
from deltactl.spec.actions.action import Protocol
from deltactl.spec.keys import (
    ENABLE_DELETION_VECTORS,
    GENERATED_COLUMNS_FEATURE,
    ICEBERG_COMPAT_FEATURES,
    ICEBERG_COMPAT_V2_FEATURE,
    IDENTITY_COLUMNS_FEATURE,
    INVARIANTS_FEATURE,
    TIMESTAMP_NTZ_FEATURE,
    TYPE_WIDENING_FEATURE,
    TYPE_WIDENING_FEATURES,
    UNIVERSAL_FORMATS,
    VARIANT_TYPE_FEATURE,
    is_enabled,
)
from deltactl.spec.protocol import features
from deltactl.spec.protocol.features import By, FeatureKind
from deltactl.spec.protocol.protocol import WRITER_FEATURES, schema_markers, supported
from deltactl.spec.schema import type_changes
from deltactl.spec.schema.schema import walk
from deltactl.spec.schema.types import BYTE, SHORT, TIMESTAMP_NTZ, VOID, Struct
from deltactl.table.commit.newest_commit import newest_commit_warnings
from deltactl.table.snapshot import Snapshot
from deltactl.text.hints import Command

# Notices on the newest protocol, metadata or commit with which engines disagree on what the table
# is, so that what a commit on top of it would mean is not certain either.
_FORBIDDING = {
    "ADD_AND_REMOVE_IN_ONE_COMMIT": "engines disagree on whether the file is part of the table",
    "COMMIT_HAS_BOM": "write the commit again without it",
    "DRAFT_FEATURE_NAME": "no engine can write such a table",
    "DUPLICATE_KEY": "engines may take either of the two values",
    "FIELD_WRONG_TYPE": "restore the commit's proper text first",
    "NAME_NOT_CANONICAL": "move it out of the log, or give it its name of twenty digits",
    "PATH_NOT_ENCODED": "Spark cannot read such a table",
    "READER_FEATURE_NOT_IN_WRITER": "engines disagree on whether such a table can be opened",
    "READER_VERSION_TOO_LOW": "engines disagree on whether such a table can be opened",
    "TWO_METADATA": "engines may take either of them",
    "TWO_PROTOCOLS": "engines may take either of them",
    "UNSUPPORTED_WRITER_VERSION": "a newer client is needed",
    "WRITER_FEATURE_NOT_IN_READER": "engines disagree on whether such a table can be opened",
}


# Features that Spark demands of a protocol with lists where the schema makes use of them.
_ASKED_FOR_BY_SCHEMA = (
    INVARIANTS_FEATURE,
    GENERATED_COLUMNS_FEATURE,
    IDENTITY_COLUMNS_FEATURE,
    TIMESTAMP_NTZ_FEATURE,
    VARIANT_TYPE_FEATURE,
)


_NOT_IN_HUDI = (BYTE, SHORT, TIMESTAMP_NTZ, VOID)


def obstacles_to_writing(snapshot: Snapshot) -> Iterator[Refusal]:
    """Yield every reason against any commit on top of the snapshot."""
    if (write_refusal := snapshot.log.storage.write_refusal) is not None:
        yield Refusal(write_refusal.code, write_refusal.message, write_refusal.remedy)
    for notice in (*snapshot.notices, *newest_commit_warnings(snapshot)):
        if notice.code in _FORBIDDING:
            yield Refusal(notice.code, notice.message, _FORBIDDING[notice.code])
    for name in features.unwritable(supported(snapshot.protocol)):
        if name in features.DRAFT_NAMES:
            continue  # The notice on its name says so.
        row = features.FEATURES.get(name)
        about = f" ({row.purpose.rstrip('.')})" if row else ", which deltactl does not know"
        yield Refusal(
            "UNSUPPORTED_WRITER_FEATURE",
            f"deltactl cannot change a table that has the feature {name}{about}",
            Command("protocol show") + " names the clients that can",
        )


def unlisted_by_schema(protocol: Protocol, schema: Struct) -> Iterator[Refusal]:
    """Yield what a schema asks for that a protocol with feature lists would have to name.

    Older protocols leave such rules dormant. With the lists Spark no longer reads the table.
    """
    if protocol.min_writer_version < WRITER_FEATURES:
        return
    have, found = supported(protocol), schema_markers(schema)
    for name in _ASKED_FOR_BY_SCHEMA:
        row = features.FEATURES[name]
        if not {name, f"{name}-preview"} & have and features.is_active(row, {}, found):
            yield Refusal(
                "DORMANT_RULE",
                f"the schema asks for {name}, which the protocol has never had: once the protocol "
                "lists its features, Spark cannot read the table without it",
                Command("protocol enable", name)
                if row.kind is FeatureKind.READER_WRITER  # a type, which rows have or have not
                else "Spark checks the rows where the rule is taken away and added again",
            )


def contradictions(
    protocol: Protocol, configuration: Mapping[str, str], schema: Struct
) -> Iterator[Refusal]:
    """Yield what asks for a feature that the protocol does not have: some engines then fail."""
    have = supported(protocol)
    for row in features.FEATURES.values():
        names = {row.name, f"{row.name}-preview"}
        if row.activation.by is not By.PROPERTY or row.name.endswith("-preview") or names & have:
            continue
        if features.is_active(row, configuration, ()):
            keys = tuple(key.casefold() for key in row.activation.keys)
            key = next(k for k in configuration if k.casefold().startswith(keys))
            yield Refusal(
                "PROPERTY_WITHOUT_FEATURE",
                f"{key} asks for the feature {row.name}, which the protocol does not have",
                Command("protocol enable", row.name) + ", or " + Command("property unset", key),
            )
    yield from _unfit_for_formats(configuration, schema)
    if not have & TYPE_WIDENING_FEATURES:
        for node in type_changes.fields_with_changes(schema):
            yield Refusal(
                "TYPE_CHANGES_WITHOUT_FEATURE",
                f"column {node} has type changes, but the protocol has no typeWidening",
                Command("protocol enable", TYPE_WIDENING_FEATURE),
            )


def _unfit_for_formats(configuration: Mapping[str, str], schema: Struct) -> Iterator[Refusal]:
    """Yield what Spark refuses with every write while metadata of another format is kept."""
    formats = configuration.get(UNIVERSAL_FORMATS, "").split(",")
    compatible = any(
        features.is_active(features.FEATURES[n], configuration, ()) for n in ICEBERG_COMPAT_FEATURES
    )
    if "iceberg" in formats and not compatible:
        version_2 = features.FEATURES[ICEBERG_COMPAT_V2_FEATURE].activation.keys[0]
        yield Refusal(
            "ICEBERG_NEEDS_COMPAT",
            f"{UNIVERSAL_FORMATS} = iceberg needs a version of IcebergCompat",
            Command("property set", f"{version_2}=true", f"{UNIVERSAL_FORMATS}=iceberg")
            + ", or "
            + Command("property unset", UNIVERSAL_FORMATS),
        )
    if "hudi" not in formats:
        return
    if is_enabled(configuration, ENABLE_DELETION_VECTORS):
        yield Refusal(
            "NOT_IN_HUDI",
            f"{ENABLE_DELETION_VECTORS} is true, and a table that Hudi reads may have no deletion "
            "vectors",
            Command("property set", f"{ENABLE_DELETION_VECTORS}=false", f"{UNIVERSAL_FORMATS}=hudi")
            + ", or "
            + Command("property unset", UNIVERSAL_FORMATS),
        )
    for node in walk(schema):
        if node.type in _NOT_IN_HUDI:
            yield Refusal(
                "NOT_IN_HUDI",
                f"{node} is {node.type}, which a table that Hudi reads may not have",
                Command("property unset", UNIVERSAL_FORMATS),
            )
