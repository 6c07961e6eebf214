"""Every table feature that is known, one row of data each.

A feature is *supported* by a table when its protocol lists or implies it, and *active* when the
metadata also asks for it. Names in a protocol are compared exactly, as engines compare them;
names that a person types go through `feature`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum, Flag, auto
from typing import NamedTuple

from deltactl.errors import NotFoundError
from deltactl.text.suggestions import nearest


class FeatureKind(Enum):
    """Who must understand a feature; the values are the words shown to people."""

    WRITER = "writer"
    READER_WRITER = "reader-writer"


class By(Enum):
    """What makes a supported feature active."""

    LISTED = "listed in the protocol"
    PROPERTY = "table property"
    SCHEMA = "schema"
    DOMAIN = "domain metadata"


class Activation(NamedTuple):
    """What makes a supported feature active.

    PROPERTY: the first of `keys` that is set has one of `values`, or any value if `values`
    is empty; a key that ends in a dot stands for every property below it. SCHEMA: one of `keys`
    is a type name or a field metadata key of the schema. DOMAIN: the table has one of the domains
    `keys`.
    """

    by: By
    keys: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


class Enabling(Enum):
    """What the commit that enables a feature on a table with files must do or carry."""

    METADATA_ONLY = "a change of the metadata"
    PROTOCOL_ONLY = "a change of the protocol"
    VALIDATES_ROWS = "a check of every row, then a change of the metadata"
    REWRITES_SCHEMA = "new metadata on every field of the schema"
    WRITES_DOMAIN = "a domain metadata action"
    BACKFILL = "every file committed again with new fields"
    CREATE_ONLY = "possible only when the table or column is created"
    NOT_SUPPORTED = "not offered"


class Dropping(Enum):
    """What Spark's DROP FEATURE does with a feature."""

    NO = "cannot be dropped"
    YES = "can be dropped"
    HISTORY_PROTECTION = "can be dropped, and leaves checkpointProtection behind"
    REWRITES_FILES = "can be dropped after files are rewritten; leaves checkpointProtection behind"
    RECOMMITS_FILES = "can be dropped after every file is committed again"
    TRUNCATES_HISTORY = "can be dropped only with TRUNCATE HISTORY"
    UNKNOWN = "not known"


class Support(Flag):
    """What deltactl does with a table that has a feature."""

    NONE = 0
    READ = auto()
    WRITE = auto()
    FULL = READ | WRITE


class Feature(NamedTuple):
    """One table feature.

    `legacy_reader` and `legacy_writer` are the versions from which it is implied without being
    listed; both None for features that must be listed. `requires` are listed with it.
    """

    name: str
    kind: FeatureKind
    purpose: str
    enabling: Enabling
    legacy_reader: int | None = None
    legacy_writer: int | None = None
    requires: tuple[str, ...] = ()
    activation: Activation = Activation(By.LISTED)
    enabling_note: str = ""
    dropping: Dropping = Dropping.NO
    dropping_note: str = ""
    support: Support = Support.FULL

    @property
    def min_reader(self) -> int:
        """The lowest reader version of a table that supports the feature."""
        if self.kind is FeatureKind.WRITER:
            return 1
        return self.legacy_reader or 3

    @property
    def min_writer(self) -> int:
        """The lowest writer version of a table that supports the feature."""
        return self.legacy_writer or 7


NOT_NULL = "not null"
"""The schema marker of a field that is not nullable; no field metadata says it."""

DRAFT_REMARK = "draft name, never released"

OTHER_NAMES: Mapping[str, str] = {"timestampWithoutTimezone": "timestampNtz"}
"""Names that some writers give a released feature, and its own."""

DRAFT_NAMES: Mapping[str, str] = {
    "columnInvariants": "invariants",
    "enableTypeWidening": "typeWidening",
    "rowIds": "rowTracking",
    "timestampNTZ": "timestampNtz",
}
"""Names that only drafts of the protocol use, and the released feature that each became."""


def _when(key: str, *values: str, also: str | None = None) -> Activation:
    return Activation(By.PROPERTY, (key, also) if also else (key,), values or ("true",))


def _schema(*markers: str) -> Activation:
    return Activation(By.SCHEMA, markers)


_WITH_PROTOCOL = "The property and the protocol change go into one commit."
_NOT_IN_SPARK = "Spark does not know the feature."
_CATALOG = ("inCommitTimestamp", "vacuumProtocolCheck")


def _proposed(name: str, kind: FeatureKind, purpose: str, *requires: str) -> Feature:
    """Return the row of a feature that no engine lets anyone enable yet."""
    return Feature(
        name,
        kind,
        purpose,
        requires=requires,
        enabling=Enabling.NOT_SUPPORTED,
        dropping=Dropping.UNKNOWN,
        support=Support.READ if kind is FeatureKind.WRITER else Support.NONE,
    )


_TIMESTAMP_NTZ = Feature(
    "timestampNtz",
    FeatureKind.READER_WRITER,
    "Columns may have the type timestamp_ntz, a timestamp without a time zone.",
    activation=_schema("timestamp_ntz"),
    enabling=Enabling.METADATA_ONLY,
    enabling_note="Spark adds it to an existing table only when asked for it by name.",
)
_TYPE_WIDENING = Feature(
    "typeWidening",
    FeatureKind.READER_WRITER,
    "The type of a column can be widened without rewriting files.",
    activation=_when("delta.enableTypeWidening"),
    enabling=Enabling.METADATA_ONLY,
    enabling_note=_WITH_PROTOCOL,
    dropping=Dropping.REWRITES_FILES,
    dropping_note="Files with old types are rewritten, then the schema loses its type changes.",
)
_VARIANT = Feature(
    "variantType",
    FeatureKind.READER_WRITER,
    "Columns may have the type variant, for semi-structured values.",
    activation=_schema("variant"),
    enabling=Enabling.METADATA_ONLY,
    enabling_note="It comes with a new nullable column of the type.",
)
_VARIANT_SHREDDING = Feature(
    "variantShredding",
    FeatureKind.READER_WRITER,
    "Common parts of variant values may be stored as columns of their own.",
    requires=("variantType",),
    activation=_when("delta.enableVariantShredding"),
    enabling=Enabling.METADATA_ONLY,
    enabling_note=_WITH_PROTOCOL,
)
_GEOSPATIAL = Feature(
    "geospatial",
    FeatureKind.READER_WRITER,
    "Columns may have the types geometry and geography.",
    activation=_schema("geometry", "geography"),
    enabling=Enabling.NOT_SUPPORTED,
    enabling_note="Spark 4.4 has it behind a preview setting.",
    dropping=Dropping.HISTORY_PROTECTION,
    dropping_note="Columns of these types must be dropped first.",
    support=Support.NONE,
)
_CATALOG_MANAGED = Feature(
    "catalogManaged",
    FeatureKind.READER_WRITER,
    "A catalog decides which commits count; the folder alone does not tell the newest version.",
    requires=_CATALOG,
    enabling=Enabling.NOT_SUPPORTED,
    enabling_note="A catalog creates such tables; Spark upgrades none that exists.",
    dropping_note="Spark's command refuses it.",
    support=Support.NONE,
)
_COLLATIONS = _proposed(
    "collations",
    FeatureKind.WRITER,
    "String columns may have rules of their own for comparing and sorting (proposed).",
    "domainMetadata",
)

_ADAPTIVE_METADATA = _proposed(
    "adaptiveMetadata",
    FeatureKind.READER_WRITER,
    "File metadata lies in a tree of manifests (proposed).",
    "catalogManaged",
    "rowTracking",
    "domainMetadata",
    "deletionVectors",
    "columnMapping",
)

_ROWS = (
    Feature(
        "appendOnly",
        FeatureKind.WRITER,
        "Rows may be added, but neither changed nor deleted.",
        legacy_writer=2,
        activation=_when("delta.appendOnly"),
        enabling=Enabling.METADATA_ONLY,
        dropping_note="Set delta.appendOnly to false instead.",
    ),
    Feature(
        "invariants",
        FeatureKind.WRITER,
        "Columns may be NOT NULL or carry an expression that every row must satisfy.",
        legacy_writer=2,
        activation=_schema("delta.invariants", NOT_NULL),
        enabling=Enabling.METADATA_ONLY,
        enabling_note="The existing rows must satisfy it already.",
    ),
    Feature(
        "checkConstraints",
        FeatureKind.WRITER,
        "The table has CHECK constraints that every row must satisfy.",
        legacy_writer=3,
        activation=Activation(By.PROPERTY, ("delta.constraints.",)),
        enabling=Enabling.VALIDATES_ROWS,
        dropping=Dropping.YES,
        dropping_note="All constraints must be dropped first.",
    ),
    Feature(
        "changeDataFeed",
        FeatureKind.WRITER,
        "Writers record changed rows, so that changes between versions can be read.",
        legacy_writer=4,
        activation=_when("delta.enableChangeDataFeed", also="delta.enableChangeDataCapture"),
        enabling=Enabling.METADATA_ONLY,
        enabling_note="Changes can be read from that version on. No column may be named "
        "_change_type, _commit_version or _commit_timestamp.",
    ),
    Feature(
        "generatedColumns",
        FeatureKind.WRITER,
        "Columns may be computed from other columns by an expression.",
        legacy_writer=4,
        activation=_schema("delta.generationExpression"),
        enabling=Enabling.CREATE_ONLY,
        enabling_note="Spark takes generation expressions only when it creates a table.",
    ),
    Feature(
        "columnMapping",
        FeatureKind.READER_WRITER,
        "Columns can be renamed and dropped: data files use a fixed name or id.",
        legacy_reader=2,
        legacy_writer=5,
        activation=_when("delta.columnMapping.mode", "name", "id"),
        enabling=Enabling.REWRITES_SCHEMA,
        enabling_note="Every field gets an id, and its current name as its physical name. Only "
        "mode name: existing files have no field ids.",
        dropping=Dropping.REWRITES_FILES,
        dropping_note="All files are rewritten.",
    ),
    Feature(
        "identityColumns",
        FeatureKind.WRITER,
        "Columns may get a unique number for each row that is inserted.",
        legacy_writer=6,
        activation=_schema(
            "delta.identity.start", "delta.identity.step", "delta.identity.allowExplicitInsert"
        ),
        enabling=Enabling.CREATE_ONLY,
        enabling_note="An existing column cannot become an identity column.",
    ),
    Feature(
        "deletionVectors",
        FeatureKind.READER_WRITER,
        "Rows can be deleted by marking them in a bitmap, without rewriting their file.",
        activation=_when("delta.enableDeletionVectors"),
        enabling=Enabling.METADATA_ONLY,
        enabling_note="A file can get a deletion vector only if its statistics have numRecords.",
        dropping=Dropping.REWRITES_FILES,
        dropping_note="Files with deletion vectors are rewritten (REORG ... PURGE).",
    ),
    _TIMESTAMP_NTZ,
    _TIMESTAMP_NTZ._replace(
        name="timestampWithoutTimezone",
        purpose="Another name of timestampNtz, which older versions of delta-rs wrote.",
        enabling=Enabling.NOT_SUPPORTED,
        enabling_note="Enable timestampNtz.",
        dropping_note=_NOT_IN_SPARK,
    ),
    Feature(
        "domainMetadata",
        FeatureKind.WRITER,
        "Features and applications can keep named configuration in the log.",
        enabling=Enabling.PROTOCOL_ONLY,
        dropping=Dropping.YES,
        dropping_note="Features that need it must go first; all remaining domains are removed.",
    ),
    Feature(
        "rowTracking",
        FeatureKind.WRITER,
        "Every row keeps an id, and the version that last changed it.",
        requires=("domainMetadata",),
        activation=_when("delta.enableRowTracking"),
        enabling=Enabling.BACKFILL,
        enabling_note="Files get baseRowId and defaultRowCommitVersion; needs their numRecords.",
        dropping=Dropping.RECOMMITS_FILES,
        dropping_note="Row tracking is suspended and every file committed again without ids.",
    ),
    Feature(
        "v2Checkpoint",
        FeatureKind.READER_WRITER,
        "Checkpoints may be split into a manifest and sidecar files.",
        activation=_when("delta.checkpointPolicy", "v2"),
        enabling=Enabling.METADATA_ONLY,
        enabling_note="Multi-part checkpoints are forbidden from then on.",
        dropping=Dropping.HISTORY_PROTECTION,
        dropping_note="The policy goes back to classic, with a classic checkpoint, first.",
    ),
    _TYPE_WIDENING,
    _TYPE_WIDENING._replace(
        name="typeWidening-preview",
        purpose="Preview of typeWidening; each type change also records its version.",
        enabling_note="Spark 4.4 adds it only when asked for it by name.",
    ),
    Feature(
        "inCommitTimestamp",
        FeatureKind.WRITER,
        "The time of a version stands in its commit and is not taken from the file.",
        activation=_when("delta.enableInCommitTimestamps"),
        enabling=Enabling.METADATA_ONLY,
        enabling_note="After version 0 the metadata also says from which version and time on.",
        dropping=Dropping.YES,
        dropping_note="The property becomes false and the two enablement properties go.",
    ),
    Feature(
        "vacuumProtocolCheck",
        FeatureKind.READER_WRITER,
        "VACUUM must check the protocol of the table before it deletes files.",
        enabling=Enabling.PROTOCOL_ONLY,
        dropping=Dropping.HISTORY_PROTECTION,
    ),
    Feature(
        "checkpointProtection",
        FeatureKind.WRITER,
        "Log cleanup must spare old checkpoints: a feature was dropped, its history is there.",
        activation=Activation(By.PROPERTY, ("delta.requireCheckpointProtectionBeforeVersion",)),
        enabling=Enabling.PROTOCOL_ONLY,
        enabling_note="It normally comes with DROP FEATURE of a reader-writer feature.",
        dropping=Dropping.TRUNCATES_HISTORY,
        dropping_note="Two runs, at least 24 hours (the default retention) apart.",
    ),
    Feature(
        "clustering",
        FeatureKind.WRITER,
        "Files are laid out by the values of clustering columns.",
        requires=("domainMetadata",),
        activation=Activation(By.DOMAIN, ("delta.clustering",)),
        enabling=Enabling.WRITES_DOMAIN,
        enabling_note="Not on partitioned tables; the clustering columns need statistics.",
    ),
    Feature(
        "allowColumnDefaults",
        FeatureKind.WRITER,
        "Columns may have a default value for rows that leave them out.",
        activation=_schema("CURRENT_DEFAULT"),
        enabling=Enabling.PROTOCOL_ONLY,
        enabling_note="A default changes no row that exists.",
    ),
    Feature(
        "icebergCompatV1",
        FeatureKind.WRITER,
        "Files and schema can be read as an Iceberg table, without arrays and maps.",
        requires=("columnMapping",),
        activation=_when("delta.enableIcebergCompatV1"),
        enabling=Enabling.METADATA_ONLY,
        enabling_note="No deletion vectors, arrays, maps or void; files that break the rules must "
        "be rewritten.",
    ),
    Feature(
        "icebergCompatV2",
        FeatureKind.WRITER,
        "Files and schema can be read as an Iceberg table, arrays and maps included.",
        requires=("columnMapping",),
        activation=_when("delta.enableIcebergCompatV2"),
        enabling=Enabling.REWRITES_SCHEMA,
        enabling_note="What is inside arrays and maps gets ids. No deletion vectors; older files "
        "may need REORG ... UPGRADE UNIFORM.",
    ),
    Feature(
        "icebergCompatV3",
        FeatureKind.WRITER,
        "Files and schema can be read as an Iceberg version 3 table.",
        requires=("columnMapping", "rowTracking"),
        activation=_when("delta.enableIcebergCompatV3"),
        enabling=Enabling.BACKFILL,
        enabling_note="Row tracking is enabled with it.",
    ),
    Feature(
        "icebergWriterCompatV1",
        FeatureKind.WRITER,
        "icebergCompatV2 with column ids that Iceberg writers can use as well.",
        requires=("columnMapping", "icebergCompatV2"),
        activation=_when("delta.enableIcebergWriterCompatV1"),
        enabling=Enabling.CREATE_ONLY,
        enabling_note="Delta Kernel creates such tables, with column mapping by id.",
        dropping=Dropping.UNKNOWN,
        dropping_note=_NOT_IN_SPARK,
        support=Support.READ,
    ),
    Feature(
        "icebergWriterCompatV3",
        FeatureKind.WRITER,
        "icebergCompatV3 with column ids that Iceberg writers can use as well.",
        requires=("columnMapping", "icebergCompatV3"),
        activation=_when("delta.enableIcebergWriterCompatV3"),
        enabling=Enabling.CREATE_ONLY,
        enabling_note="Delta Kernel creates such tables, with column mapping by id.",
        dropping=Dropping.UNKNOWN,
        dropping_note=_NOT_IN_SPARK,
        support=Support.READ,
    ),
    _VARIANT,
    _VARIANT._replace(name="variantType-preview", purpose="Preview of variantType."),
    _VARIANT_SHREDDING,
    _VARIANT_SHREDDING._replace(
        name="variantShredding-preview",
        purpose="Preview of variantShredding.",
        requires=(),
        enabling_note="Spark 4.4 adds it without variantType.",
    ),
    Feature(
        "materializePartitionColumns",
        FeatureKind.WRITER,
        "New data files also hold the partition columns.",
        activation=_when("delta.enableMaterializePartitionColumnsFeature"),
        enabling=Enabling.PROTOCOL_ONLY,
        enabling_note="Existing files stay as they are.",
        dropping=Dropping.YES,
    ),
    _CATALOG_MANAGED,
    _CATALOG_MANAGED._replace(
        name="catalogOwned-preview",
        purpose="Preview of catalogManaged.",
        dropping=Dropping.UNKNOWN,
        dropping_note=_NOT_IN_SPARK,
    ),
    Feature(
        "coordinatedCommits-preview",
        FeatureKind.WRITER,
        "A service beside the log orders the commits (given up for catalogManaged).",
        requires=_CATALOG,
        activation=Activation(By.PROPERTY, ("delta.coordinatedCommits.commitCoordinator-preview",)),
        enabling=Enabling.NOT_SUPPORTED,
        enabling_note="It was given up for catalogManaged.",
        dropping=Dropping.YES,
        dropping_note="Commits that the coordinator holds must be copied into the log first.",
        support=Support.READ,
    ),
    _GEOSPATIAL,
    _GEOSPATIAL._replace(name="geospatial-dev", purpose="Preview of geospatial."),
    _proposed(
        "redirectReaderWriter-preview",
        FeatureKind.READER_WRITER,
        "Reads and writes are sent on to another table.",
    )._replace(
        activation=Activation(By.PROPERTY, ("delta.redirectReaderWriter-preview",)),
        enabling_note="Only tests of Delta use it.",
    ),
    _proposed(
        "redirectWriterOnly-preview", FeatureKind.WRITER, "Writes are sent on to another table."
    )._replace(
        activation=Activation(By.PROPERTY, ("delta.redirectWriterOnly-preview",)),
        enabling_note="Only tests of Delta use it.",
    ),
    _ADAPTIVE_METADATA,
    _ADAPTIVE_METADATA._replace(
        name="adaptiveMetadata-preview", purpose="Preview of adaptiveMetadata (proposed)."
    ),
    _COLLATIONS,
    _COLLATIONS._replace(name="collations-preview", purpose="Preview of collations."),
    _proposed(
        "columnMappingUsageTracking",
        FeatureKind.WRITER,
        "The table records whether a column was ever renamed or dropped (proposed).",
        "columnMapping",
    ),
    _proposed(
        "timestampNanos",
        FeatureKind.READER_WRITER,
        "Timestamps may have nanoseconds (proposed).",
        "timestampNtz",
    ),
)

FEATURES: Mapping[str, Feature] = {row.name: row for row in _ROWS}
"""Every released or proposed feature by its exact name, in the order in which to show them."""


def feature(text: str) -> Feature:
    """Return the feature that a person means by `text`, in any letter case.

    Raises:
        NotFoundError: no released feature has this name; the hint names those that are near.
    """
    by_spelling = {name.casefold(): row for name, row in FEATURES.items()}
    if found := by_spelling.get(text.casefold()):
        return found
    if released := DRAFT_NAMES.get(text):
        near: tuple[str, ...] = (released,)
        message = f"{text!r} is a {DRAFT_REMARK}"
    else:
        near = nearest(text, FEATURES)
        message = f"no table feature is named {text!r}"
    raise NotFoundError(
        "FEATURE_NOT_FOUND",
        message,
        hint=f"did you mean {' or '.join(near)}?" if near else "deltactl protocol features",
        details={"feature": text, "nearest": list(near)},
    )


def implied(min_reader: int, min_writer: int) -> frozenset[str]:
    """Return the features of a table at these versions that are not listed anywhere.

    A feature is implied only when both versions reach it: columnMapping is not at (1, 5). From
    reader version 3 or writer version 7 on everything is listed.
    """
    if min_reader >= 3 or min_writer >= 7:
        return frozenset()
    return frozenset(
        row.name
        for row in _ROWS
        if row.legacy_writer is not None
        and min_writer >= row.legacy_writer
        and min_reader >= row.min_reader
    )


def support(name: str) -> Support:
    """Return what deltactl does with a table that lists `name`: nothing if it is unknown."""
    if name in DRAFT_NAMES:
        return Support.READ
    row = FEATURES.get(name)
    return row.support if row else Support.NONE


def unreadable(reader_features: Iterable[str]) -> tuple[str, ...]:
    """Return those of `reader_features` with which deltactl cannot read a table, sorted."""
    return tuple(sorted(n for n in set(reader_features) if Support.READ not in support(n)))


def unwritable(writer_features: Iterable[str]) -> tuple[str, ...]:
    """Return those of `writer_features` with which deltactl cannot change a table, sorted."""
    return tuple(sorted(n for n in set(writer_features) if Support.WRITE not in support(n)))


def is_active(
    row: Feature,
    configuration: Mapping[str, str],
    markers: Collection[str],
    domains: Collection[str] = (),
) -> bool:
    """Return whether the metadata makes the feature active on a table that supports it.

    `markers` are the type names, field metadata keys and `NOT_NULL` that occur in the schema,
    `domains` the names of the table's domains.
    """
    wanted = row.activation
    match wanted.by:
        case By.LISTED:
            return True
        case By.SCHEMA:
            return any(key in markers for key in wanted.keys)
        case By.DOMAIN:
            return any(key in domains for key in wanted.keys)
        case By.PROPERTY:
            return _is_set(wanted, configuration)


def _is_set(wanted: Activation, configuration: Mapping[str, str]) -> bool:
    for key in wanted.keys:
        if key.endswith("."):
            if any(name.casefold().startswith(key) for name in configuration):
                return True
        elif (value := configuration.get(key)) is not None:
            return not wanted.values or value.casefold() in wanted.values
    return False


def properties_missing_feature(
    configuration: Mapping[str, str], have: Collection[str]
) -> Iterator[tuple[Feature, str]]:
    """Yield the features that a property needs and `have` lacks, with its key."""
    for row in FEATURES.values():
        # A preview is activated by the same property as what it became.
        names = {row.name.removesuffix("-preview"), f"{row.name}-preview", row.name}
        if row.activation.by is not By.PROPERTY or row.name.endswith("-preview"):
            continue
        if names.isdisjoint(have) and is_active(row, configuration, ()):
            keys = tuple(key.casefold() for key in row.activation.keys)
            yield row, next(key for key in configuration if key.casefold().startswith(keys))
