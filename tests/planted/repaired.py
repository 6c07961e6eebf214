"""The faults of files that `verify-checksum --repair` puts right."""

from planted.files import FILES

# Whose commits are there: the log can give all of it again.
REPAIRED = [
    "hint-not-json", "hint-double-key", "hint-wrong-digest", "hint-of-nothing", "hint-behind",
    "hint-size", "hint-bytes", "hint-adds", "hint-parts", "hint-schema",
    "hint-size-with-column-parts", "hint-of-other-v2",
    "crc-files", "crc-bytes", "crc-protocol", "crc-property", "crc-schema", "crc-heads",
    "crc-transaction", "crc-domain", "crc-transaction-without-version",
    "crc-domain-without-configuration", "crc-schema-with-null", "crc-histogram",
    "crc-histogram-bytes", "crc-all-files",
    "crc-all-files-twice", "crc-all-files-other", "crc-all-files-sizes", "crc-all-files-time",
    "crc-all-files-partition", "crc-all-files-no-path", "crc-all-files-vector",
    "crc-not-json", "crc-of-vectors", "crc-of-time", "old-crc",
    "checkpoint-empty", "checkpoint-cut", "checkpoint-bit-in-page", "checkpoint-lacks-file",
    "checkpoint-bit-in-page-head", "checkpoint-other-statistics",
    "checkpoint-dead-file", "checkpoint-twice", "checkpoint-other-size", "checkpoint-other-time",
    "checkpoint-other-tags", "checkpoint-lacks-tombstone", "checkpoint-other-tombstone",
    "checkpoint-other-protocol", "checkpoint-other-table", "checkpoint-no-metadata",
    "checkpoint-add-without-path", "checkpoint-add-with-empty-path",
    "checkpoint-add-without-size", "checkpoint-add-without-modificationTime",
    "checkpoint-add-without-partitionValues", "checkpoint-add-of-negative-size",
    "checkpoint-text-not-of-commit", "checkpoint-struct-not-of-commit",
    "sidecar-missing", "sidecar-cut", "sidecar-of-another", "sidecar-without-path",
    "compaction-lies", "compaction-sizes", "compaction-cut",
    "side-file-stale", "side-file-of-longer-file", "side-file-garbage",
]  # fmt: skip
BY_NAME = {fault.name: fault for fault in FILES}
