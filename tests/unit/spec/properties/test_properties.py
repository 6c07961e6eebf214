import pytest

from deltactl.errors import InvalidUsageError
from deltactl.spec.properties.registry import (
    PROPERTIES,
    Owner,
    Type,
    Value,
    interval_ms,
    lookup,
    nearest,
    parse,
    problems,
)
from deltactl.spec.protocol.features import FEATURES

DAY = 86_400_000


@pytest.mark.parametrize(
    ("name", "type_", "default"),
    [
        ("delta.appendOnly", Type.BOOLEAN, "false"),
        ("delta.checkpoint.writeStatsAsJson", Type.BOOLEAN, "true"),
        ("delta.checkpoint.writeStatsAsStruct", Type.BOOLEAN, "true"),
        ("delta.checkpointInterval", Type.INTEGER, "10"),
        ("delta.checkpointPolicy", Type.ENUM, "classic"),
        ("delta.columnMapping.mode", Type.ENUM, "none"),
        ("delta.dataSkippingNumIndexedCols", Type.INTEGER, "32"),
        ("delta.dataSkippingStatsColumns", Type.COLUMNS, None),
        ("delta.deletedFileRetentionDuration", Type.INTERVAL, "interval 1 week"),
        (
            "delta.dropFeatureTruncateHistory.retentionDuration",
            Type.INTERVAL,
            "interval 24 hours",
        ),
        ("delta.enableExpiredLogCleanup", Type.BOOLEAN, "true"),
        ("delta.isolationLevel", Type.ENUM, "Serializable"),
        ("delta.logRetentionDuration", Type.INTERVAL, "interval 30 days"),
        ("delta.setTransactionRetentionDuration", Type.INTERVAL, None),
        ("delta.targetFileSize", Type.SIZE, None),
        ("delta.universalFormat.enabledFormats", Type.ENUM_LIST, None),
    ],
)
def test_rows(name: str, type_: Type, default: str | None) -> None:
    assert (PROPERTIES[name].type, PROPERTIES[name].default) == (type_, default)


@pytest.mark.parametrize(
    ("name", "owner", "feature"),
    [
        ("delta.checkpointInterval", Owner.USER, None),
        ("delta.enableTypeWidening", Owner.FEATURE, "typeWidening"),
        ("delta.checkpointPolicy", Owner.FEATURE, "v2Checkpoint"),
        ("delta.columnMapping.maxColumnId", Owner.ENGINE, "columnMapping"),
        ("delta.inCommitTimestampEnablementVersion", Owner.ENGINE, "inCommitTimestamp"),
        (
            "delta.requireCheckpointProtectionBeforeVersion",
            Owner.ENGINE,
            "checkpointProtection",
        ),
        ("delta.minReaderVersion", Owner.PROTOCOL, None),
        ("delta.enableRowIds", Owner.DRAFT, "rowTracking"),
    ],
)
def test_owners(name: str, owner: Owner, feature: str | None) -> None:
    assert (PROPERTIES[name].owner, PROPERTIES[name].feature) == (owner, feature)


def test_features_of_properties_are_known() -> None:
    named = {row.feature for row in PROPERTIES.values() if row.feature}
    assert named <= FEATURES.keys()


def test_defaults_are_values_of_their_property() -> None:
    for row in PROPERTIES.values():
        if row.default is not None:
            parse(row.name, row.default)


def test_rows_are_in_order() -> None:
    assert list(PROPERTIES) == sorted(PROPERTIES, key=str.casefold)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("delta.appendOnly", "delta.appendOnly"),
        ("DELTA.APPENDONLY", "delta.appendOnly"),
        ("delta.constraints.positive", "delta.constraints."),
        ("delta.feature.typeWidening", "delta.feature."),
        ("delta.universalformat.config.iceberg.x", "delta.universalFormat.config."),
        ("delta.constraints.", None),
        ("delta.nope", None),
        ("appendOnly", None),
        ("owner.team", None),
    ],
)
def test_lookup(name: str, expected: str | None) -> None:
    row = lookup(name)
    assert (row.name if row else None) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("delta.enableTypeWidning", "delta.enableTypeWidening"),
        ("delta.apendOnly", "delta.appendOnly"),
        ("appendOnly", "delta.appendOnly"),
        ("checkpointIntervall", "delta.checkpointInterval"),
        ("delta.DELETEDFILERETENTION", "delta.deletedFileRetentionDuration"),
    ],
)
def test_nearest_names(name: str, expected: str) -> None:
    assert nearest(name)[0] == expected


def test_the_common_prefix_makes_nothing_near() -> None:
    assert nearest("delta.zzz") == ()


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("delta.appendOnly", "True", True),
        ("delta.appendonly", "false", False),
        ("delta.checkpointInterval", "100", 100),
        ("delta.checkpointInterval", "+5", 5),
        ("delta.dataSkippingNumIndexedCols", "-1", -1),
        ("delta.logRetentionDuration", "interval 30 days", 30 * DAY),
        ("delta.checkpointPolicy", "v2", "v2"),
        ("delta.columnMapping.mode", "NAME", "name"),
        ("delta.isolationLevel", "serializable", "Serializable"),
        ("delta.parquet.compression.codec", "ZSTD", "zstd"),
        ("delta.targetFileSize", "104857600", 104_857_600),
        ("delta.targetFileSize", "128mb", 134_217_728),
        ("delta.targetFileSize", "1 GB", 1_073_741_824),
        ("delta.universalFormat.enabledFormats", "iceberg,hudi", ("iceberg", "hudi")),
        ("delta.universalFormat.enabledFormats", "", ()),
        ("delta.dataSkippingStatsColumns", "a, s.x,`a-b`.c", "a, s.x,`a-b`.c"),
        ("delta.constraints.positive", "v > 0", "v > 0"),
        ("delta.minWriterVersion", "7", 7),
        ("delta.feature.typeWidening", "supported", "supported"),
        ("delta.nope", "x", "x"),
        ("owner", "x", "x"),
    ],
)
def test_parse(name: str, text: str, expected: Value) -> None:
    value = parse(name, text)
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("name", "text", "must"),
    [
        ("delta.appendOnly", "yes", "true or false"),
        ("delta.appendOnly", " true", "true or false"),
        ("delta.checkpointInterval", "-5", "an integer of at least 1"),
        ("delta.checkpointInterval", "0", "an integer of at least 1"),
        ("delta.checkpointInterval", "ten", "an integer of at least 1"),
        ("delta.checkpointInterval", "1.0", "an integer of at least 1"),
        ("delta.checkpointInterval", "2147483648", "an integer of at least 1"),
        ("delta.dataSkippingNumIndexedCols", "-2", "an integer of at least -1"),
        ("delta.checkpointPolicy", "V2", "one of classic, v2"),  # engines compare it exactly
        ("delta.checkpointPolicy", "v3", "one of classic, v2"),
        ("delta.isolationLevel", "WriteSerializable", "one of Serializable"),
        ("delta.autoOptimize.autoCompact", "auto", "one of true, false"),
        ("delta.minReaderVersion", "4", "an integer from 1 to 3"),
        ("delta.targetFileSize", "0", "a number of bytes, or a number with a unit such as '128mb'"),
        (
            "delta.universalFormat.enabledFormats",
            "iceberg, hudi",  # engines do not take the space away
            "a list, without spaces, of iceberg, hudi",
        ),
        (
            "delta.universalFormat.enabledFormats",
            "iceberg,iceberg",
            "a list, without spaces, of iceberg, hudi",
        ),
        (
            "delta.dataSkippingStatsColumns",
            "a-b",
            "a list of columns, with backticks round names that have special characters",
        ),
        (
            "delta.logRetentionDuration",
            "1 month",
            "an interval such as '30 days', in weeks or smaller units",
        ),
    ],
)
def test_parse_refuses(name: str, text: str, must: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse(name, text)
    assert caught.value.code == "PROPERTY_VALUE"
    assert caught.value.message == f"{text!r} is not a value of {name}: it must be {must}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interval 30 days", 30 * DAY),
        ("INTERVAL 1 week", 7 * DAY),
        ("2 weeks", 14 * DAY),
        ("  interval   1 day   2 hours ", 93_600_000),
        ("24 hours", DAY),
        ("90 minutes", 5_400_000),
        ("1.5 seconds", 1_500),
        (".5 second", 500),
        ("250 milliseconds", 250),
        ("1500 microseconds", 1),
        ("0 days", 0),
        ("1 day -1 hour", 82_800_000),
        ("- 1 hour 1 day", 82_800_000),
        ("interval", None),
        ("", None),
        ("30", None),
        ("30days", None),
        ("days 30", None),
        ("1.5 days", None),
        (". seconds", None),
        ("1 month", None),
        ("1 year", None),
        ("-1 day", None),
        ("1 day2 hours", None),
        ("1 fortnight", None),
        ("interval '1' day", None),
        ("9999999999999 weeks", None),
    ],
)
def test_intervals(text: str, expected: int | None) -> None:
    assert interval_ms(text) == expected


def test_a_sound_configuration_has_no_problems() -> None:
    assert (
        problems(
            {
                "delta.appendOnly": "true",
                "delta.checkpointInterval": "10",
                "delta.columnMapping.maxColumnId": "4",
                "delta.constraints.positive": "v > 0",
                "delta.isolationLevel": "WriteSerializable",
                "delta.universalformat.config.iceberg.x": "y",
                "pipelines.id": "x",
                "owner": "me",
            }
        )
        == []
    )


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        (
            "delta.checkpointInterval",
            "-5",
            "bad value '-5': it must be an integer of at least 1",
        ),
        (
            "delta.apendOnly",
            "true",
            "unknown property; did you mean delta.appendOnly?",
        ),
        ("delta.zzz", "1", "unknown property"),
        (
            "delta.appendonly",
            "true",
            "wrong letter case: engines read only delta.appendOnly",
        ),
        (
            "delta.feature.typeWidening",
            "supported",
            "belongs into the protocol: stored here, Spark's next change may upgrade the table",
        ),
        (
            "delta.minReaderVersion",
            "3",
            "belongs into the protocol: stored here, Spark's next change may upgrade the table",
        ),
        ("delta.enableRowIds", "true", "draft name, never released: engines ignore it"),
        (
            "delta.appendOnly",
            "x" * 100,
            f"bad value {'x' * 60!r}...: it must be true or false",
        ),
    ],
)
def test_problems(name: str, text: str, wrong: str) -> None:
    assert problems({name: text}) == [(name, wrong)]
