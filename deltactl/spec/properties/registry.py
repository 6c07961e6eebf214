"""Every `delta.*` table property that is known: its type, default and meaning, and its values.

Engines match the name of a property that a person sets in any letter case, but read it back only
in its own spelling. They do not check values when they load a table, so a log may hold anything.
"""

import re
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from enum import Enum

from deltactl.errors import InvalidUsageError
from deltactl.spec.keys import DELTA_PREFIX, MIN_READER_VERSION, MIN_WRITER_VERSION
from deltactl.text.hints import Command, Words
from deltactl.text.suggestions import nearest as nearest_names

Value = bool | int | str | tuple[str, ...]
"""A parsed value; an interval is a number of milliseconds."""


class Type(Enum):
    """What the text of a value must be; the values are the words shown to people."""

    BOOLEAN = "true or false"
    INTEGER = "integer"
    INTERVAL = "interval of weeks or less, such as 30 days"
    SIZE = "number of bytes, or with a unit such as 128mb"
    ENUM = "one of a few words"
    ENUM_LIST = "list of words, separated by commas"
    COLUMNS = "list of columns, separated by commas"
    STRING = "text"


class Owner(Enum):
    """Who sets a property."""

    USER = "user"
    FEATURE = "user, with the table feature"
    ENGINE = "engines only"
    PROTOCOL = "the protocol: it is never stored as a property"
    DRAFT = "no engine: a draft name, never released"


@dataclass(frozen=True, slots=True, repr=False)
class Property:
    """One table property. The name of a family ends in a dot and stands for all names below it.

    `default` is what engines assume if it is unset, None if they assume nothing. `feature`
    is the table feature that it belongs to. `words` are the values of an enumeration, and
    `foreign` those that some engine writes but Delta's own does not accept; they match in any
    letter case unless `exact`.
    """

    name: str
    type: Type
    default: str | None
    meaning: str
    _: KW_ONLY
    owner: Owner = Owner.USER
    feature: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    words: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    exact: bool = False

    @property
    def is_family(self) -> bool:
        """Whether the row stands for every name that begins with it."""
        return self.name.endswith(".")


def _boolean(name: str, default: str | None, meaning: str, owner: Owner = Owner.USER) -> Property:
    return Property(DELTA_PREFIX + name, Type.BOOLEAN, default, meaning, owner=owner)


def _switch(name: str, feature: str, meaning: str) -> Property:
    return Property(
        DELTA_PREFIX + name, Type.BOOLEAN, "false", meaning, owner=Owner.FEATURE, feature=feature
    )


def _interval(name: str, default: str | None, meaning: str) -> Property:
    return Property(DELTA_PREFIX + name, Type.INTERVAL, default, meaning)


def _integer(name: str, default: str | None, meaning: str, least: int) -> Property:
    return Property(
        DELTA_PREFIX + name, Type.INTEGER, default, meaning, minimum=least, maximum=_MAX_INTEGER
    )


def _internal(
    name: str, type_: Type, feature: str | None, meaning: str, default: str | None = None
) -> Property:
    return Property(
        DELTA_PREFIX + name,
        type_,
        default,
        meaning,
        owner=Owner.ENGINE,
        feature=feature,
        minimum=0 if type_ is Type.INTEGER else None,
    )


def _version(name: str, newest: int, meaning: str) -> Property:
    return Property(
        name, Type.INTEGER, None, meaning, owner=Owner.PROTOCOL, minimum=1, maximum=newest
    )


_MAX_INTEGER = 2**31 - 1
_ICT = "inCommitTimestamp"
_COORDINATED = "coordinatedCommits-preview"

_ROWS = (
    _switch("appendOnly", "appendOnly", "Rows may only be added."),
    _boolean("autoOptimize", None, "Older name of delta.autoOptimize.optimizeWrite."),
    Property(
        "delta.autoOptimize.autoCompact",
        Type.ENUM,
        None,
        "Merge small files after a write.",
        words=("true", "false"),
        foreign=("auto", "legacy"),
    ),
    _boolean("autoOptimize.optimizeWrite", None, "Shuffle before a write, for fewer files."),
    _boolean("castIcebergTimeType", "false", "Conversion from Iceberg reads time as long."),
    _boolean("checkpoint.writeStatsAsJson", "true", "Checkpoints hold statistics as JSON text."),
    _boolean(
        "checkpoint.writeStatsAsStruct",
        "true",
        "Checkpoints hold statistics and partition values as typed columns.",
    ),
    _integer("checkpointInterval", "10", "Number of commits between two checkpoints.", 1),
    Property(
        "delta.checkpointPolicy",
        Type.ENUM,
        "classic",
        "Kind of checkpoint to write.",
        owner=Owner.FEATURE,
        feature="v2Checkpoint",
        words=("classic", "v2"),
        exact=True,
    ),
    _interval(
        "checkpointRetentionDuration",
        "interval 2 days",
        "How long checkpoints are kept at least, where full rollback is off.",
    ),
    _internal(
        "columnMapping.hasDroppedOrRenamed",
        Type.BOOLEAN,
        "columnMappingUsageTracking",
        "Whether a column was ever dropped or renamed (proposed).",
    ),
    _internal(
        "columnMapping.maxColumnId",
        Type.INTEGER,
        "columnMapping",
        "Highest column id given out so far.",
        "0",
    ),
    Property(
        "delta.columnMapping.mode",
        Type.ENUM,
        "none",
        "How columns find their data in files: by name, by id, or by a fixed physical name.",
        owner=Owner.FEATURE,
        feature="columnMapping",
        words=("none", "id", "name"),
    ),
    _boolean(
        "compatibility.symlinkFormatManifest.enabled",
        "false",
        "Each write brings the manifests for Presto and Athena up to date.",
    ),
    Property(
        "delta.constraints.",
        Type.STRING,
        None,
        "The expression of a CHECK constraint, by the constraint's name.",
        owner=Owner.FEATURE,
        feature="checkConstraints",
    ),
    _internal(
        "coordinatedCommits.commitCoordinator-preview",
        Type.STRING,
        _COORDINATED,
        "Name of the service that orders the commits.",
    ),
    _internal(
        "coordinatedCommits.commitCoordinatorConf-preview",
        Type.STRING,
        _COORDINATED,
        "Settings of that service, as JSON.",
    ),
    _internal(
        "coordinatedCommits.tableConf-preview",
        Type.STRING,
        _COORDINATED,
        "How that service knows the table, as JSON.",
    ),
    _integer("dataSkippingNumIndexedCols", "32", "Leading columns with statistics; -1: all.", -1),
    Property(
        "delta.dataSkippingStatsColumns",
        Type.COLUMNS,
        None,
        "Columns with statistics; wins over delta.dataSkippingNumIndexedCols.",
    ),
    _integer("dataSkippingStringPrefixLength", None, "Characters of a text in statistics.", 0),
    _interval(
        "deletedFileRetentionDuration",
        "interval 1 week",
        "How long removed data files are kept at least, and known in checkpoints.",
    ),
    _interval(
        "dropFeatureTruncateHistory.retentionDuration",
        "interval 24 hours",
        "How long DROP FEATURE ... TRUNCATE HISTORY waits; longer than any transaction runs.",
    ),
    _switch(
        "enableChangeDataCapture", "changeDataFeed", "Older name of delta.enableChangeDataFeed."
    ),
    _switch("enableChangeDataFeed", "changeDataFeed", "Writers record changed rows."),
    _switch("enableDeletionVectors", "deletionVectors", "Deleted rows may be marked in bitmaps."),
    _boolean("enableExpiredLogCleanup", "true", "A checkpoint deletes old log files."),
    _boolean("enableFullRetentionRollback", "true", "All of the log retention can be read."),
    _switch("enableIcebergCompatV1", "icebergCompatV1", "The table keeps to icebergCompatV1."),
    _switch("enableIcebergCompatV2", "icebergCompatV2", "The table keeps to icebergCompatV2."),
    _switch("enableIcebergCompatV3", "icebergCompatV3", "The table keeps to icebergCompatV3."),
    _switch(
        "enableIcebergWriterCompatV1",
        "icebergWriterCompatV1",
        "The table keeps to icebergWriterCompatV1.",
    ),
    _switch(
        "enableIcebergWriterCompatV3",
        "icebergWriterCompatV3",
        "The table keeps to icebergWriterCompatV3.",
    ),
    _switch("enableInCommitTimestamps", _ICT, "Commits carry their own time."),
    _switch(
        "enableMaterializePartitionColumnsFeature",
        "materializePartitionColumns",
        "New data files also hold the partition columns.",
    ),
    Property(
        "delta.enableRowIds",
        Type.BOOLEAN,
        None,
        "Draft of delta.enableRowTracking.",
        owner=Owner.DRAFT,
        feature="rowTracking",
    ),
    _switch("enableRowTracking", "rowTracking", "Rows keep an id and a commit version."),
    _switch("enableTypeWidening", "typeWidening", "Types of columns may be widened."),
    _switch("enableVariantShredding", "variantShredding", "Variants may be stored in parts."),
    Property(
        "delta.feature.",
        Type.ENUM,
        None,
        "Asks for a table feature by its name.",
        owner=Owner.PROTOCOL,
        words=("supported", "enabled"),
    ),
    _boolean("ignoreIcebergBucketPartition", "false", "Conversion from Iceberg drops buckets."),
    _boolean(
        "ignoreProtocolDefaults",
        "false",
        "A new table ignores the session's defaults for versions and features.",
        Owner.PROTOCOL,
    ),
    _internal(
        "inCommitTimestampEnablementTimestamp",
        Type.INTEGER,
        _ICT,
        "Time of the first commit that carries its own, in milliseconds.",
    ),
    _internal(
        "inCommitTimestampEnablementVersion",
        Type.INTEGER,
        _ICT,
        "Version of the first commit that carries its own time.",
    ),
    Property(
        "delta.isolationLevel",
        Type.ENUM,
        "Serializable",
        "How far a transaction is kept apart from others that run next to it.",
        words=("Serializable",),
        foreign=("WriteSerializable", "SnapshotIsolation"),
    ),
    _internal("lastCommitTimestamp", Type.INTEGER, None, "Newest commit's time, in a metastore."),
    _internal("lastUpdateVersion", Type.INTEGER, None, "Newest version, in a metastore."),
    _interval("logRetentionDuration", "interval 30 days", "How long log files are kept at least."),
    _version(MIN_READER_VERSION, 3, "Reader version that the table requires."),
    _version(MIN_WRITER_VERSION, 7, "Writer version that the table requires."),
    Property(
        "delta.parquet.compression.codec",
        Type.ENUM,
        None,
        "Compression of new Parquet files.",
        words=("uncompressed", "none", "snappy", "gzip", "lz4", "lz4_raw", "zstd"),
    ),
    Property("delta.parquet.format.version", Type.STRING, "1.0.0", "Parquet version of new files."),
    _boolean("randomizeFilePrefixes", "false", "Files lie below random prefixes."),
    _integer("randomPrefixLength", "2", "Characters of a random file prefix.", 1),
    _internal(
        "redirectReaderWriter-preview",
        Type.STRING,
        "redirectReaderWriter-preview",
        "Where reads and writes are sent on to, as JSON.",
    ),
    _internal(
        "redirectWriterOnly-preview",
        Type.STRING,
        "redirectWriterOnly-preview",
        "Where writes are sent on to, as JSON.",
    ),
    _internal(
        "requireCheckpointProtectionBeforeVersion",
        Type.INTEGER,
        "checkpointProtection",
        "Log cleanup must spare the checkpoints below this version.",
        "0",
    ),
    Property(
        "delta.rowIds.physicalColumnName",
        Type.STRING,
        None,
        "Draft of delta.rowTracking.materializedRowIdColumnName.",
        owner=Owner.DRAFT,
        feature="rowTracking",
    ),
    _internal(
        "rowTracking.materializedRowCommitVersionColumnName",
        Type.STRING,
        "rowTracking",
        "Hidden column of data files that holds row commit versions.",
    ),
    _internal(
        "rowTracking.materializedRowIdColumnName",
        Type.STRING,
        "rowTracking",
        "Hidden column of data files that holds row ids.",
    ),
    _internal(
        "rowTrackingSuspended",
        Type.BOOLEAN,
        "rowTracking",
        "No row ids are given out, while row tracking is being dropped.",
        "false",
    ),
    _interval("sampleRetentionDuration", "interval 7 days", "How long samples are kept at least."),
    _interval(
        "setTransactionRetentionDuration",
        None,
        "How long transaction ids of applications are remembered; for ever where unset.",
    ),
    Property(
        "delta.targetFileSize",
        Type.SIZE,
        None,
        "Size of the files that writers aim at (Spark's Delta 4.4 does not know it).",
    ),
    _boolean(
        "tuneFileSizesForRewrites",
        None,
        "Smaller files where many are rewritten (Spark's Delta 4.4 does not know it).",
    ),
    Property(
        "delta.universalFormat.config.",
        Type.STRING,
        None,
        "A setting of another table format that is kept beside Delta.",
    ),
    Property(
        "delta.universalFormat.enabledFormats",
        Type.ENUM_LIST,
        None,
        "Other table formats whose metadata is kept beside Delta.",
        words=("iceberg", "hudi"),
    ),
    _internal(
        "universalFormat.iceberg.atomicConversion.supported",
        Type.BOOLEAN,
        None,
        "Iceberg metadata can be written in one step with a commit.",
        "false",
    ),
    _boolean(
        "writePartitionColumnsToParquet",
        None,
        "New data files also hold the partition columns, without a table feature.",
    ),
)

PROPERTIES: Mapping[str, Property] = {row.name: row for row in _ROWS}
"""Every property by its exact name, in order; families by the prefix that ends in a dot."""

_BY_SPELLING = {row.name.casefold(): row for row in _ROWS if not row.is_family}
FAMILIES: Mapping[str, Property] = {r.name.casefold(): r for r in _ROWS if r.is_family}
"""The families by their prefix in lower case."""


def lookup(name: str) -> Property | None:
    """Return the row of `name`, in any letter case, or of the family that it belongs to."""
    spelling = name.casefold()
    if row := _BY_SPELLING.get(spelling):
        return row
    return next(
        (
            row
            for prefix, row in FAMILIES.items()
            if spelling.startswith(prefix) and spelling != prefix
        ),
        None,
    )


def stored_name(configuration: Mapping[str, str], name: str) -> str | None:
    """Return how a table spells the property `name`, None if it is not set.

    The letter case counts only for names that Delta does not define.
    """
    row = lookup(name)
    spellings = [name, row.name] if row is not None and not row.is_family else [name]
    folded = [key for key in configuration if row and key.casefold() == name.casefold()]
    return next((key for key in (*spellings, *folded) if key in configuration), None)


def nearest(name: str) -> tuple[str, ...]:
    """Return the names of properties that look like `name`, best first; `delta.` may be left out.

    A family is named by its prefix.
    """
    stem = name if name.casefold().startswith(DELTA_PREFIX) else DELTA_PREFIX + name
    # What all names have in common must not make any two of them look alike.
    short = {row.name.removeprefix(DELTA_PREFIX): row.name for row in _ROWS}
    return tuple(short[found] for found in nearest_names(stem[len(DELTA_PREFIX) :], short))


def parse(name: str, text: str) -> Value:
    """Return the value that `text` has for the property `name`; any text for unknown names.

    The value is for checking and computing; what is stored is the text itself.

    Raises:
        InvalidUsageError: `text` is not a value of the property; the message says what is.
    """
    row = lookup(name)
    if row is None:
        return text
    value = _value(row, text)
    if value is None or value in row.foreign:
        raise InvalidUsageError(
            "PROPERTY_VALUE",
            f"{_shown(text)} is not a value of {row.name}: it must be {allowed(row)}",
            hint=_example(row),
            details={"property": row.name, "value": text},
        )
    return value


def _example(row: Property) -> Words | None:
    """Return a command that sets the property to a value that it can have."""
    examples = {
        Type.BOOLEAN: "true",
        Type.INTEGER: row.default or str(row.minimum or 0),
        Type.INTERVAL: "interval 30 days",
        Type.SIZE: "128mb",
        Type.ENUM: next(iter(row.words), None),
        Type.ENUM_LIST: next(iter(row.words), None),
    }
    value = examples.get(row.type)
    if value is None:
        return None
    return "such as: " + Command("property set", f"{row.name}={value}")


def effective(configuration: Mapping[str, str], name: str) -> Value | None:
    """Return the value that engines use: the table's, or the default if that is malformed."""
    row = PROPERTIES[name]
    for text in (configuration.get(name), row.default):
        if text is not None and (value := _value(row, text)) is not None:
            return value
    return None


def allowed(row: Property) -> str:
    """Return in words what the value of a property must be."""
    match row.type:
        case Type.INTEGER if row.maximum in (None, _MAX_INTEGER):
            return f"an integer of at least {row.minimum}"
        case Type.INTEGER:
            return f"an integer from {row.minimum} to {row.maximum}"
        case Type.INTERVAL:
            return "an interval such as '30 days', in weeks or smaller units"
        case Type.SIZE:
            return "a number of bytes, or a number with a unit such as '128mb'"
        case Type.ENUM:
            return "one of " + ", ".join(row.words)
        case Type.ENUM_LIST:
            return "a list, without spaces, of " + ", ".join(row.words)
        case Type.COLUMNS:
            return "a list of columns, with backticks round names that have special characters"
        case Type.BOOLEAN:
            return "true or false"
        case Type.STRING:
            return "text"


def problems(configuration: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return the `delta.*` properties of a table that engines would not accept, and why.

    Properties of other applications are never looked at.
    """
    return [
        (name, wrong)
        for name, text in configuration.items()
        if name.casefold().startswith(DELTA_PREFIX) and (wrong := _problem(name, text))
    ]


def _problem(name: str, text: str) -> str | None:
    row = lookup(name)
    if row is None:
        near = nearest(name)
        return "unknown property" + (f"; did you mean {' or '.join(near)}?" if near else "")
    if row.owner is Owner.PROTOCOL:
        return "belongs into the protocol: stored here, Spark's next change may upgrade the table"
    if row.owner is Owner.DRAFT:
        return "draft name, never released: engines ignore it"
    if not row.is_family and name != row.name:
        return f"wrong letter case: engines read only {row.name}"
    if _value(row, text) is None:
        return f"bad value {_shown(text)}: it must be {allowed(row)}"
    return None


def _shown(text: str) -> str:
    """Return a value for a message, cut short: a log may hold values of any length."""
    return repr(text) if len(text) <= 60 else repr(text[:60]) + "..."


_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")
_SIZE = re.compile(r"0*([1-9][0-9]{0,15})\s*([kmgt]?)b?", re.ASCII | re.IGNORECASE)
_PART = r"(?:\w+|`(?:[^`]|``)+`)"
_COLUMN = rf"{_PART}(?:\s*\.\s*{_PART})*"
_COLUMNS = re.compile(rf"\s*{_COLUMN}\s*(?:,\s*{_COLUMN}\s*)*")
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def _value(row: Property, text: str) -> Value | None:
    """Return the value of `text`, or None if it has none; `foreign` words are values here."""
    match row.type:
        case Type.BOOLEAN:
            return {"true": True, "false": False}.get(text.casefold())
        case Type.INTEGER:
            return _number(row, text)
        case Type.INTERVAL:
            return interval_ms(text)
        case Type.SIZE:
            found = _SIZE.fullmatch(text)
            return int(found[1]) * _UNITS[found[2].lower()] if found else None
        case Type.ENUM:
            return _word(row, text)
        case Type.ENUM_LIST:
            return _word_list(row, text)
        case Type.COLUMNS:
            return text if _COLUMNS.fullmatch(text) else None
        case _:
            return text


def _number(row: Property, text: str) -> int | None:
    if not _INTEGER.fullmatch(text):
        return None
    value = int(text)
    low = 0 if row.minimum is None else row.minimum
    high = 2**63 - 1 if row.maximum is None else row.maximum
    return value if low <= value <= high else None


def _word(row: Property, text: str) -> str | None:
    if row.exact:
        return text if text in row.words else None
    words = {word.casefold(): word for word in (*row.words, *row.foreign)}
    return words.get(text.casefold())


def _word_list(row: Property, text: str) -> tuple[str, ...] | None:
    words = tuple(text.split(",")) if text else ()
    known = len(set(words)) == len(words) and set(words) <= set(row.words)
    return words if known else None


_MICROS = {
    "week": 7 * 86_400_000_000,
    "day": 86_400_000_000,
    "hour": 3_600_000_000,
    "minute": 60_000_000,
    "second": 1_000_000,
    "millisecond": 1_000,
    "microsecond": 1,
}
_TERM = re.compile(
    r" ([+-]?) ?([0-9]{1,19})?(\.[0-9]{0,9})?"
    r" (week|day|hour|minute|second|millisecond|microsecond)s?(?= |$)"
)


def interval_ms(text: str) -> int | None:
    """Return the milliseconds of an interval as Delta reads it, or None if Delta refuses it.

    `interval 1 week 2 days`, `36 hours`, `1.5 seconds`: the first word may be left out, letter
    case does not matter, only seconds may have a fraction, the sum may not be negative. Months
    and years have no fixed length and are refused.
    """
    lower = text.strip().lower()
    words = lower.removeprefix("interval ").split()
    rest = "".join(f" {word}" for word in words)
    total, position = 0, 0
    while found := _TERM.match(rest, position):
        sign, whole, fraction, unit = found.groups()
        if whole is None and fraction in (None, "."):
            return None
        if fraction is not None and unit != "second":
            return None
        micros = int(whole or 0) * _MICROS[unit]
        if fraction is not None:
            micros += int(fraction[1:].ljust(9, "0")) // 1_000
        total += -micros if sign == "-" else micros
        position = found.end()
    if position == 0 or position != len(rest) or not 0 <= total < 2**63:
        return None
    return total // 1_000
