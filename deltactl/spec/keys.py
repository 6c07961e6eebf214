"""Every name that Delta reserves and code uses: properties, field metadata, features, domains.

A constant has the name that it stands for: `delta.enableTypeWidening` is ENABLE_TYPE_WIDENING. The
names of features end in FEATURE, those of domains in DOMAIN, and the beginnings of whole families
of names in PREFIX. Tables of rows, one for each name, spell theirs out.
"""

from collections.abc import Mapping

# What begins with this belongs to Delta: properties, field metadata, domains.
DELTA_PREFIX = "delta."

# Table properties: the `configuration` of the metadata.
APPEND_ONLY = "delta.appendOnly"
CHECKPOINT_INTERVAL = "delta.checkpointInterval"
CHECKPOINT_POLICY = "delta.checkpointPolicy"
CHECKPOINT_STATS_AS_JSON = "delta.checkpoint.writeStatsAsJson"
CHECKPOINT_STATS_AS_STRUCT = "delta.checkpoint.writeStatsAsStruct"
COLUMN_MAPPING_MODE = "delta.columnMapping.mode"
# The highest id that a column has, or ever had.
COLUMN_MAPPING_MAX_ID = "delta.columnMapping.maxColumnId"
CONSTRAINT_PREFIX = "delta.constraints."
DATA_SKIPPING_COLUMN_COUNT = "delta.dataSkippingNumIndexedCols"
DATA_SKIPPING_COLUMNS = "delta.dataSkippingStatsColumns"
DELETED_FILE_RETENTION = "delta.deletedFileRetentionDuration"
# How old the history of a dropped feature must be before it can go.
DROP_FEATURE_RETENTION = "delta.dropFeatureTruncateHistory.retentionDuration"
ENABLE_CHANGE_DATA_CAPTURE = "delta.enableChangeDataCapture"  # the older name of the next
ENABLE_CHANGE_DATA_FEED = "delta.enableChangeDataFeed"
ENABLE_DELETION_VECTORS = "delta.enableDeletionVectors"
ENABLE_ICEBERG_COMPAT = (
    "delta.enableIcebergCompatV1",
    "delta.enableIcebergCompatV2",
    "delta.enableIcebergCompatV3",
)
ENABLE_IN_COMMIT_TIMESTAMPS = "delta.enableInCommitTimestamps"
ENABLE_MATERIALIZE_PARTITION_COLUMNS = "delta.enableMaterializePartitionColumnsFeature"
ENABLE_ROW_IDS = "delta.enableRowIds"  # the draft of the next
ENABLE_ROW_TRACKING = "delta.enableRowTracking"
ENABLE_TYPE_WIDENING = "delta.enableTypeWidening"
# Before a feature's name: asks for it when a table is created, or is changed by an engine.
FEATURE_PREFIX = "delta.feature."
ICT_ENABLEMENT_TIMESTAMP = "delta.inCommitTimestampEnablementTimestamp"
ICT_ENABLEMENT_VERSION = "delta.inCommitTimestampEnablementVersion"
LOG_RETENTION = "delta.logRetentionDuration"
MIN_READER_VERSION = "delta.minReaderVersion"
MIN_WRITER_VERSION = "delta.minWriterVersion"
# The hidden columns in which data files keep what row tracking knows of rows.
MATERIALIZED_ROW_ID = "delta.rowTracking.materializedRowIdColumnName"
MATERIALIZED_ROW_COMMIT_VERSION = "delta.rowTracking.materializedRowCommitVersionColumnName"
MATERIALIZED_ROW_COLUMNS = (MATERIALIZED_ROW_ID, MATERIALIZED_ROW_COMMIT_VERSION)
# The version below which checkpoints, and the history with them, must stay.
PROTECTED_BEFORE_VERSION = "delta.requireCheckpointProtectionBeforeVersion"
ROW_IDS_COLUMN = "delta.rowIds.physicalColumnName"  # the draft of MATERIALIZED_ROW_ID
ROW_TRACKING_SUSPENDED = "delta.rowTrackingSuspended"
TRANSACTION_RETENTION = "delta.setTransactionRetentionDuration"
UNIVERSAL_FORMATS = "delta.universalFormat.enabledFormats"

# Metadata of fields of the schema.
COLUMN_MAPPING_PREFIX = "delta.columnMapping."
COLUMN_MAPPING_ID = "delta.columnMapping.id"
COLUMN_MAPPING_NESTED_IDS = "delta.columnMapping.nested.ids"  # of what is inside arrays and maps
COLUMN_MAPPING_PHYSICAL_NAME = "delta.columnMapping.physicalName"
GENERATION_EXPRESSION = "delta.generationExpression"
IDENTITY_PREFIX = "delta.identity."
IDENTITY_HIGH_WATER_MARK = "delta.identity.highWaterMark"
INVARIANTS = "delta.invariants"
TYPE_CHANGES = "delta.typeChanges"
CHAR_VARCHAR = "__CHAR_VARCHAR_TYPE_STRING"  # the type of a string with a length: `varchar(5)`
COLLATIONS = "__COLLATIONS"
COMMENT = "comment"
CURRENT_DEFAULT = "CURRENT_DEFAULT"

# Domains.
CLUSTERING_DOMAIN = "delta.clustering"
ROW_TRACKING_DOMAIN = "delta.rowTracking"

# Table features.
ALLOW_COLUMN_DEFAULTS_FEATURE = "allowColumnDefaults"
APPEND_ONLY_FEATURE = "appendOnly"
CHANGE_DATA_FEED_FEATURE = "changeDataFeed"
CHECK_CONSTRAINTS_FEATURE = "checkConstraints"
CHECKPOINT_PROTECTION_FEATURE = "checkpointProtection"
CLUSTERING_FEATURE = "clustering"
COLUMN_MAPPING_FEATURE = "columnMapping"
DELETION_VECTORS_FEATURE = "deletionVectors"
DOMAIN_METADATA_FEATURE = "domainMetadata"
GENERATED_COLUMNS_FEATURE = "generatedColumns"
ICEBERG_COMPAT_V1_FEATURE = "icebergCompatV1"
ICEBERG_COMPAT_V2_FEATURE = "icebergCompatV2"
ICEBERG_COMPAT_V3_FEATURE = "icebergCompatV3"
ICEBERG_COMPAT_FEATURES = (
    ICEBERG_COMPAT_V1_FEATURE,
    ICEBERG_COMPAT_V2_FEATURE,
    ICEBERG_COMPAT_V3_FEATURE,
)
IDENTITY_COLUMNS_FEATURE = "identityColumns"
IN_COMMIT_TIMESTAMP_FEATURE = "inCommitTimestamp"
INVARIANTS_FEATURE = "invariants"
MATERIALIZE_PARTITION_COLUMNS_FEATURE = "materializePartitionColumns"
ROW_TRACKING_FEATURE = "rowTracking"
TIMESTAMP_NTZ_FEATURE = "timestampNtz"
TYPE_WIDENING_FEATURE = "typeWidening"
TYPE_WIDENING_PREVIEW_FEATURE = "typeWidening-preview"
# Either lets columns be widened.
TYPE_WIDENING_FEATURES = frozenset({TYPE_WIDENING_FEATURE, TYPE_WIDENING_PREVIEW_FEATURE})
V2_CHECKPOINT_FEATURE = "v2Checkpoint"
VARIANT_TYPE_FEATURE = "variantType"
VARIANT_TYPE_PREVIEW_FEATURE = "variantType-preview"


def is_enabled(configuration: Mapping[str, str], key: str) -> bool:
    """Return whether the property `key` is true, in any letter case, as engines read it.

    No property that is asked for here is true unless it is set. Case is all that is forgiven:
    engines refuse ` true` and `1` when they are set, and fail if they find them.
    """
    return configuration.get(key, "").lower() == "true"
