"""Properties: what is stored, which features come along, and what is refused with what advice."""

from pathlib import Path

import pytest
from drafts import back, codes, configuration, draft_of, parameters, warned
from small_tables import LEGACY, Action, array, field, mapped, metadata, protocol, struct

from deltactl.changes.plan import Plan
from deltactl.operations.properties.set import PropertyRequest, plan_set_properties
from deltactl.text.hints import text_of

ID = field("id", "integer")


def table(**conf: str) -> list[Action]:
    columns = [ID, field("s", struct(field("x", "string"))), field("ar", array("integer"))]
    return [LEGACY, metadata(*columns, **conf)]


def plan(root: Path, *pairs: str, on: list[Action] | None = None, force: bool = False) -> Plan:
    spark_config = [PropertyRequest(*pair.split("=", 1)) for pair in pairs]
    return plan_set_properties(draft_of(root, on or table()), spark_config, force=force)


def test_several_in_one_commit(tmp_path: Path) -> None:
    made = plan(tmp_path, "Team=A=b", "delta.logRetentionDuration=interval 60 days", "empty=")
    assert made.operation == "SET TBLPROPERTIES"
    settings = {
        "Team": "A=b",
        "delta.logRetentionDuration": "interval 60 days",
        "empty": "",
    }
    assert parameters(made) == {"properties": settings}
    assert configuration(made) == settings
    assert made.protocol is None
    assert codes(made) == []
    assert back(made) == ["deltactl property unset TABLE Team delta.logRetentionDuration empty"]


def test_the_way_back_has_the_old_values(tmp_path: Path) -> None:
    made = plan(tmp_path, "delta.checkpointInterval=5", "x=1", on=table(checkpointInterval="20"))
    assert back(made) == [
        "deltactl property unset TABLE x",
        "deltactl property set TABLE delta.checkpointInterval=20",
    ]


@pytest.mark.parametrize(
    ("pair", "stored"),
    [
        ("DELTA.CHECKPOINTINTERVAL=5", ("delta.checkpointInterval", "5")),
        ("delta.enableExpiredLogCleanup=FALSE", ("delta.enableExpiredLogCleanup", "false")),
        ("delta.isolationLevel=serializable", ("delta.isolationLevel", "Serializable")),
        ("DELTA.universalFormat.CONFIG.Any=x", ("delta.universalFormat.config.Any", "x")),
        ("Delta=x", ("Delta", "x")),
    ],
)
def test_how_it_is_spelt(tmp_path: Path, pair: str, stored: tuple[str, str]) -> None:
    made = plan(tmp_path, pair)
    if stored[0].startswith("delta.universalFormat.config."):
        assert configuration(made)["delta.universalFormat.config.Any"] == "x"
    else:
        assert configuration(made) == dict([stored])


@pytest.mark.parametrize("pair", ["delta.appendOnly=true", "delta.APPENDONLY=True", "x=1"])
def test_what_is_so_already(tmp_path: Path, pair: str) -> None:
    on = table(appendOnly="TRUE")
    on[1]["metaData"]["configuration"]["x"] = "1"
    assert plan(tmp_path, pair, on=on).is_empty


@pytest.mark.parametrize(
    ("pair", "reader", "writer", "features"),
    [
        ("delta.appendOnly=true", 1, 2, None),
        ("delta.enableChangeDataFeed=true", 1, 7, ["appendOnly", "changeDataFeed", "invariants"]),
        ("delta.enableDeletionVectors=true", 3, 7, ["appendOnly", "deletionVectors", "invariants"]),
        ("delta.checkpointPolicy=v2", 3, 7, ["appendOnly", "invariants", "v2Checkpoint"]),
        ("delta.enableTypeWidening=true", 3, 7, ["appendOnly", "invariants", "typeWidening"]),
        ("delta.columnMapping.mode=NAME", 2, 7, ["appendOnly", "columnMapping", "invariants"]),
        ("delta.enableInCommitTimestamps=true", 1, 7,
         ["appendOnly", "inCommitTimestamp", "invariants"]),
    ],
)  # fmt: skip
def test_a_property_brings_its_feature(
    tmp_path: Path, pair: str, reader: int, writer: int, features: list[str] | None
) -> None:
    made = plan(tmp_path, pair)
    assert codes(made) == []
    after = made.protocol or made.base.protocol
    assert (after.min_reader_version, after.min_writer_version) == (reader, writer)
    assert (after.writer_features and sorted(after.writer_features)) == features
    key, value = pair.split("=")
    assert configuration(made)[key] == value.lower()


def test_row_tracking_is_told_as_a_backfill(tmp_path: Path) -> None:
    add = {"path": "f", "partitionValues": {}, "size": 1, "modificationTime": 1,
           "dataChange": True, "stats": '{"numRecords":3}'}  # fmt: skip
    made = plan(tmp_path, "delta.enableRowTracking=true", "x=1", on=[*table(), {"add": add}])
    assert (made.operation, parameters(made)) == ("ROW TRACKING BACKFILL", {"batchId": 0})
    assert configuration(made)["x"] == "1"
    assert made.file_actions is not None


@pytest.mark.parametrize(
    ("pair", "code", "hint"),
    [
        ("delta.apendOnly=true", "UNKNOWN_PROPERTY", "did you mean delta.appendOnly?"),
        ("delta.zzzzzz=1", "UNKNOWN_PROPERTY", "--force stores it nevertheless"),
        ("delta.feature.typeWidening=supported", "PROPERTY_OF_PROTOCOL",
         "deltactl protocol enable TABLE typeWidening"),
        ("delta.minReaderVersion=3", "PROPERTY_OF_PROTOCOL",
         "deltactl protocol upgrade TABLE --reader 3"),
        ("DELTA.minwriterversion=7", "PROPERTY_OF_PROTOCOL",
         "deltactl protocol upgrade TABLE --writer 7"),
        ("delta.ignoreProtocolDefaults=true", "PROPERTY_OF_PROTOCOL", None),
        ("delta.constraints.Big=id > 5", "CONSTRAINT_AS_PROPERTY",
         "deltactl constraint add TABLE Big 'id > 5'"),
        ("delta.columnMapping.maxColumnId=5", "INTERNAL_PROPERTY", None),
        ("delta.inCommitTimestampEnablementVersion=5", "INTERNAL_PROPERTY", None),
        ("delta.enableRowIds=true", "DRAFT_PROPERTY",
         "deltactl property set TABLE delta.enableRowTracking=true"),
        ("comment=x", "RESERVED_PROPERTY", "deltactl table comment TABLE x"),
        ("location=x", "RESERVED_PROPERTY",
         "a property of your own has a longer name, such as location.name"),
        ("delta.checkpointInterval=0", "PROPERTY_VALUE",
         "such as: deltactl property set TABLE delta.checkpointInterval=10"),
        ("delta.logRetentionDuration=1 month", "PROPERTY_VALUE",
         "such as: deltactl property set TABLE 'delta.logRetentionDuration=interval 30 days'"),
        ("delta.dataSkippingNumIndexedCols=-2", "PROPERTY_VALUE",
         "such as: deltactl property set TABLE delta.dataSkippingNumIndexedCols=32"),
        ("delta.isolationLevel=WriteSerializable", "PROPERTY_VALUE",
         "such as: deltactl property set TABLE delta.isolationLevel=Serializable"),
        ("delta.appendOnly=yes", "PROPERTY_VALUE",
         "such as: deltactl property set TABLE delta.appendOnly=true"),
        ("delta.columnMapping.mode=id", "COLUMN_MAPPING_MODE",
         "deltactl property set TABLE delta.columnMapping.mode=name"),
        ("delta.dataSkippingStatsColumns=id,nope", "COLUMN_NOT_FOUND", "columns: id, s, ar"),
        ("delta.dataSkippingStatsColumns=ID,id", "COLUMN_NAMED_TWICE", None),
        ("delta.dataSkippingStatsColumns=ar", "NO_STATISTICS", None),
        ("delta.universalFormat.enabledFormats=iceberg", "ICEBERG_NEEDS_COMPAT",
         "deltactl property set TABLE delta.enableIcebergCompatV2=true "
         "delta.universalFormat.enabledFormats=iceberg, or "
         "deltactl property unset TABLE delta.universalFormat.enabledFormats"),
        ("delta.constraints.=x", "CONSTRAINT_NAME_EMPTY", None),
        ("delta.universalFormat.config.=x", "UNKNOWN_PROPERTY", None),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, pair: str, code: str, hint: str | None) -> None:
    made = plan(tmp_path, pair)
    (refusal,) = made.refusals
    assert (refusal.code, text_of(refusal.hint)) == (code, hint)


def test_all_refusals_are_told_at_once(tmp_path: Path) -> None:
    made = plan(tmp_path, "delta.nopeNope=1", "comment=x", "x=1", "x=2", "delta.appendOnly=maybe")
    assert codes(made) == [
        "UNKNOWN_PROPERTY", "RESERVED_PROPERTY", "PROPERTY_NAMED_TWICE", "PROPERTY_VALUE",
    ]  # fmt: skip


def test_force_stores_what_nobody_knows(tmp_path: Path) -> None:
    made = plan(tmp_path, "delta.zzzzzz=1", force=True)
    assert (configuration(made), warned(made)) == ({"delta.zzzzzz": "1"}, ["UNKNOWN_PROPERTY"])


@pytest.mark.parametrize(
    ("pair", "stored", "code"),
    [
        ("appendOnly=true", {"appendOnly": "true"}, "PROPERTY_WITHOUT_PREFIX"),
        ("delta.enableChangeDataCapture=false", {"delta.enableChangeDataFeed": "false"},
         "OLD_PROPERTY_NAME"),
    ],
)  # fmt: skip
def test_what_is_remarked(tmp_path: Path, pair: str, stored: dict[str, str], code: str) -> None:
    made = plan(tmp_path, pair)
    assert (configuration(made), warned(made)) == (stored, [code])


@pytest.mark.parametrize("text", ["id", "s", "s.x, ID", "`id`,s.x"])
def test_columns_with_statistics(tmp_path: Path, text: str) -> None:
    made = plan(tmp_path, f"delta.dataSkippingStatsColumns={text}")
    assert configuration(made) == {"delta.dataSkippingStatsColumns": text}


def test_a_partition_column_has_no_statistics(tmp_path: Path) -> None:
    on = table()
    on[1]["metaData"]["partitionColumns"] = ["id"]
    assert codes(plan(tmp_path, "delta.dataSkippingStatsColumns=id", on=on)) == ["NO_STATISTICS"]


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("delta.logRetentionDuration=interval 2 days", ["RETENTION_TOO_SHORT"]),
        ("delta.logRetentionDuration=interval 3 days", []),
        ("delta.deletedFileRetentionDuration=interval 31 days", ["RETENTION_TOO_SHORT"]),
        ("delta.checkpointInterval=3", []),
    ],
)
def test_the_log_is_kept_as_long_as_removed_files(
    tmp_path: Path, pair: str, expected: list[str]
) -> None:
    on = table(deletedFileRetentionDuration="interval 3 days")
    assert codes(plan(tmp_path, pair, on=on)) == expected


def test_the_default_counts_for_what_is_not_set(tmp_path: Path) -> None:
    made = plan(tmp_path, "delta.logRetentionDuration=interval 6 days")
    assert codes(made) == ["RETENTION_TOO_SHORT"]


def test_a_reserved_column_and_the_change_feed(tmp_path: Path) -> None:
    on = [LEGACY, metadata(field("_change_type", "integer"))]
    made = plan(tmp_path, "delta.enableChangeDataFeed=true", on=on)
    assert codes(made) == ["RESERVED_COLUMN_NAME"]


MAPPED = protocol(writer=["columnMapping", "icebergCompatV2"])
MAPPED["protocol"]["minReaderVersion"] = 2


def mapped_table(mode: str, **conf: str) -> list[Action]:
    settings = {"columnMapping.mode": mode, "columnMapping.maxColumnId": "1", **conf}
    return [MAPPED, metadata(mapped("id", 1, "id", "integer"), **settings)]


@pytest.mark.parametrize(
    ("mode", "wanted", "code"),
    [
        ("name", "id", "COLUMN_MAPPING_MODE"),
        ("id", "name", "COLUMN_MAPPING_MODE"),
        ("name", "none", "COLUMN_MAPPING_STAYS"),
        ("id", "none", "COLUMN_MAPPING_STAYS"),
    ],
)
def test_a_mapping_keeps_its_mode(tmp_path: Path, mode: str, wanted: str, code: str) -> None:
    made = plan(tmp_path, f"delta.columnMapping.mode={wanted}", on=mapped_table(mode))
    assert codes(made) == [code]


def test_vectors_and_iceberg_do_not_go_together(tmp_path: Path) -> None:
    on = mapped_table("name", enableIcebergCompatV2="true")
    made = plan(tmp_path, "delta.enableDeletionVectors=true", on=on)
    assert codes(made) == ["ICEBERG_FORBIDS_VECTORS"]


def test_iceberg_brings_column_mapping_whatever_the_order(tmp_path: Path) -> None:
    made = plan(tmp_path, "delta.enableIcebergCompatV2=true", "delta.columnMapping.mode=name")
    assert codes(made) == []
    assert configuration(made)["delta.columnMapping.mode"] == "name"
    assert made.protocol is not None
    assert {"columnMapping", "icebergCompatV2"} <= set(made.protocol.writer_features or ())


FORMATS = "delta.universalFormat.enabledFormats"


def test_the_third_version_of_iceberg_is_not_switched_off(tmp_path: Path) -> None:
    on = mapped_table("name", enableIcebergCompatV3="true")
    on[0] = protocol(writer=["columnMapping", "domainMetadata", "icebergCompatV3", "rowTracking"])
    on[0]["protocol"]["minReaderVersion"] = 2
    made = plan(tmp_path, "delta.enableIcebergCompatV3=false", on=on)
    assert codes(made) == ["ICEBERG_STAYS"]


@pytest.mark.parametrize(
    ("more", "expected"), [([], ["ICEBERG_NEEDS_COMPAT"]), ([f"{FORMATS}=hudi"], [])]
)
def test_iceberg_is_needed_while_its_metadata_is_kept(
    tmp_path: Path, more: list[str], expected: list[str]
) -> None:
    conf = {"enableIcebergCompatV2": "true", "universalFormat.enabledFormats": "iceberg"}
    on = mapped_table("name", **conf)
    made = plan(tmp_path, "delta.enableIcebergCompatV2=false", *more, on=on)
    assert codes(made) == expected


@pytest.mark.parametrize(
    ("has", "pair"),
    [
        ({"enableDeletionVectors": "true"}, f"{FORMATS}=hudi"),
        ({"universalFormat.enabledFormats": "iceberg,hudi", "enableIcebergCompatV3": "true"},
         "delta.enableDeletionVectors=true"),
    ],
)  # fmt: skip
def test_hudi_has_no_vectors(tmp_path: Path, has: dict[str, str], pair: str) -> None:
    on = [protocol(reader=["deletionVectors"], writer=["icebergCompatV3"]), metadata(ID, **has)]
    assert codes(plan(tmp_path, pair, on=on)) == ["NOT_IN_HUDI"]


@pytest.mark.parametrize("name", ["byte", "short", "timestamp_ntz", "void"])
def test_hudi_has_fewer_types(tmp_path: Path, name: str) -> None:
    has = protocol(reader=["timestampNtz"])
    on = [has, metadata(ID, field("s", struct(field("x", name))))]
    (refusal,) = plan(tmp_path, f"{FORMATS}=hudi", on=on).refusals
    said = f"s.x is {name}, which a table that Hudi reads may not have"
    assert (refusal.code, refusal.message) == ("NOT_IN_HUDI", said)


def test_switching_off_leaves_the_feature(tmp_path: Path) -> None:
    on = [protocol(reader=["deletionVectors"]), metadata(ID, enableDeletionVectors="true")]
    made = plan(tmp_path, "delta.enableDeletionVectors=false", on=on)
    assert configuration(made) == {"delta.enableDeletionVectors": "false"}
    assert (made.protocol, made.refusals) == (None, ())
