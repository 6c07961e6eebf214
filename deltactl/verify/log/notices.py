"""Findings of what reading the log itself complains about."""

from collections.abc import Mapping

from deltactl.errors import DeltactlError, Notice
from deltactl.findings import Finding, Severity

# What should be there instead, for the codes that come as a sentence.
_EXPECTED: Mapping[str, str] = {
    "ACTION_MALFORMED": "an action in the form of the protocol",
    "ADD_AND_REMOVE_IN_ONE_COMMIT": "one action for a file",
    "BAD_DELETION_VECTOR": "a descriptor that a vector can be found by",
    "CHECKPOINT_EMPTY": "a checkpoint with content, or none",
    "CHECKPOINT_INCOMPLETE": "every part of the checkpoint",
    "CHECKPOINT_UNREADABLE": "a checkpoint that can be read",
    "COLUMN_MAPPING_INCOMPLETE": "an id and a physical name on every field",
    "COMMIT_EMPTY": "at least one action",
    "COMMIT_HAS_BLANK_LINES": "no blank lines",
    "COMMIT_HAS_BOM": "no byte-order mark",
    "COMMIT_LINE_TOO_LONG": "lines that can be read",
    "COMMIT_NOT_JSON": "one JSON object a line",
    "DELETION_VECTOR_WITHOUT_FEATURE": "the feature deletionVectors",
    "DRAFT_ACTION": "actions of the protocol",
    "DRAFT_FEATURE_NAME": "a released feature",
    "DRAFT_PROTOCOL_KEYS": "minReaderVersion and minWriterVersion",
    "DUPLICATE_ADD": "one add for a file",
    "DUPLICATE_COLUMNS": "names that differ in more than case",
    "DUPLICATE_FEATURE": "each feature once",
    "DUPLICATE_KEY": "each key once",
    "DUPLICATE_REMOVE": "one remove for a file",
    "DUPLICATE_TXN": "one txn for an application",
    "EMPTY_PATH": "a path",
    "FEATURES_ON_OLD_PROTOCOL": "no lists of features at these versions",
    "FEATURE_LISTS_MISSING": "lists of features at these versions",
    "FIELD_WRONG_TYPE": "fields of the types that engines decode",
    "LAST_CHECKPOINT_CHECKSUM_MISMATCH": "the MD5 of its canonical form",
    "LAST_CHECKPOINT_DUPLICATE_KEY": "each key once",
    "LAST_CHECKPOINT_UNREADABLE": "a JSON object with a version",
    "LOG_FILE_VANISHED": "a file that stays while it is read",
    "LOG_TRUNCATED": "the first commit, or a complete checkpoint",
    "NAME_NOT_CANONICAL": "twenty digits",
    "NO_METADATA": "a metaData action",
    "NO_PROTOCOL": "a protocol action",
    "PARTITION_COLUMN_NOT_IN_SCHEMA": "partition columns of the schema",
    "PATH_NOT_ENCODED": "a URI-encoded path",
    "PATH_OUTSIDE_TABLE": "a path inside the table",
    "PROTOCOL_VERSION_INVALID": "versions from 1 on",
    "READER_3_NEEDS_WRITER_7": "writer version 7 with reader version 3",
    "READER_FEATURE_NOT_IN_WRITER": "the feature in both lists",
    "READER_VERSION_TOO_LOW": "a reader version that has the feature",
    "SCHEMA_MALFORMED": "a schema that is a struct",
    "SCHEMA_NOT_JSON": "a schema in JSON",
    "SCHEMA_TOO_DEEP": "a schema that can be read",
    "SIDECAR_MISSING": "every sidecar that the checkpoint names",
    "TWO_METADATA": "at most one metaData action",
    "TWO_PROTOCOLS": "at most one protocol action",
    "TYPE_CHANGES_WITHOUT_FEATURE": "the feature typeWidening",
    "UNKNOWN_ACTION": "actions of the protocol",
    "UNKNOWN_TYPE": "a type of the protocol",
    "VERSIONS_NOT_CONTIGUOUS": "a commit for every version",
    "WRITER_FEATURE_NOT_IN_READER": "the feature in both lists",
}
# Read by every engine as it was meant, or by one only that is not to be had any more.
_WARNINGS = {
    "COMMIT_HAS_BLANK_LINES", "DRAFT_ACTION", "DRAFT_FEATURE_NAME", "DUPLICATE_FEATURE",
    "UNKNOWN_ACTION",
}  # fmt: skip
# What is in the way of a good file, which the log can give again.
_REPAIRABLE = {
    "CHECKPOINT_EMPTY", "CHECKPOINT_INCOMPLETE", "CHECKPOINT_UNREADABLE", "SIDECAR_MISSING",
    "LAST_CHECKPOINT_CHECKSUM_MISMATCH", "LAST_CHECKPOINT_DUPLICATE_KEY",
    "LAST_CHECKPOINT_UNREADABLE",
}  # fmt: skip


def finding_from_notice(
    said: Notice | DeltactlError, subject: str, since: int | None = None
) -> Finding:
    """Return the finding that a notice or an error of reading the log comes to."""
    code = said.code
    return Finding(
        code,
        subject,
        _EXPECTED.get(code, "a sound log"),
        said.message,
        Severity.WARNING if code in _WARNINGS else Severity.ERROR,
        since,
        repairable=code in _REPAIRABLE,
    )
