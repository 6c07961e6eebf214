"""What switching features on and off puts into a commit."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from drafts import back, drop
from small_tables import (
    LEGACY,
    Action,
    Field,
    array,
    commit_info,
    field,
    mapped,
    mapping,
    metadata,
    protocol,
    struct,
    write_log,
)

from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.operations.protocol.enable import plan_protocol_enable
from deltactl.operations.protocol.upgrade import plan_protocol_upgrade
from deltactl.spec.protocol.features import FEATURES
from deltactl.spec.schema.schema import parse_path
from deltactl.table.table import open_table
from deltactl.text.hints import text_of

ID, AMOUNT = field("id", "long"), field("amount", "double")
NEW_TABLE = [LEGACY, metadata(ID, AMOUNT)]


def draft(folder: Path, *actions: Action) -> Draft:
    """The table of one commit, of which nobody counted the files."""
    write_log(folder, [[commit_info(), *actions]], times=[1_700_000_000_000])
    snapshot = open_table(str(folder)).snapshot()
    return Draft(snapshot, now=1_800_000_000_000, fresh=lambda prefix, what: f"{prefix}1")


def enable(folder: Path, actions: Sequence[Action], *names: str, columns: str = "") -> Plan:
    chosen = [parse_path(column) for column in columns.split(",")] if columns else None
    return plan_protocol_enable(draft(folder, *actions), names, chosen)


def codes(plan: Plan) -> list[str]:
    return [refusal.code for refusal in plan.refusals]


def warned(plan: Plan) -> list[str]:
    return [notice.code for notice in plan.warnings]


def configuration(plan: Plan) -> dict[str, str]:
    assert plan.metadata is not None
    return dict(plan.metadata.configuration)


def features(plan: Plan) -> tuple[int, int, list[str] | None, list[str] | None]:
    assert plan.protocol is not None
    lists = plan.protocol.reader_features, plan.protocol.writer_features
    readers, writers = (None if names is None else sorted(names) for names in lists)
    return plan.protocol.min_reader_version, plan.protocol.min_writer_version, readers, writers


# ---- Every feature


PROPERTIES = {
    "appendOnly": {"delta.appendOnly": "true"},
    "changeDataFeed": {"delta.enableChangeDataFeed": "true"},
    "columnMapping": {
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "2",
    },
    "deletionVectors": {"delta.enableDeletionVectors": "true"},
    "rowTracking": {
        "delta.enableRowTracking": "true",
        "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col-1",
    },
    "v2Checkpoint": {"delta.checkpointPolicy": "v2"},
    "typeWidening": {"delta.enableTypeWidening": "true"},
    "typeWidening-preview": {"delta.enableTypeWidening": "true"},
    "inCommitTimestamp": {
        "delta.enableInCommitTimestamps": "true",
        "delta.inCommitTimestampEnablementVersion": "1",
        "delta.inCommitTimestampEnablementTimestamp": "1800000000000",
    },
    "icebergCompatV1": {
        "delta.enableIcebergCompatV1": "true",
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "2",
    },
    "icebergCompatV2": {
        "delta.enableIcebergCompatV2": "true",
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "2",
    },
    "icebergCompatV3": {
        "delta.enableIcebergCompatV3": "true",
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "2",
        "delta.enableRowTracking": "true",
        "delta.rowTracking.materializedRowIdColumnName": "_row-id-col-1",
        "delta.rowTracking.materializedRowCommitVersionColumnName": "_row-commit-version-col-1",
    },
    "variantShredding": {"delta.enableVariantShredding": "true"},
    "variantShredding-preview": {"delta.enableVariantShredding": "true"},
    "materializePartitionColumns": {"delta.enableMaterializePartitionColumnsFeature": "true"},
}
LISTED = [
    "checkConstraints",
    "generatedColumns",
    "identityColumns",
    "timestampNtz",
    "domainMetadata",
    "vacuumProtocolCheck",
    "allowColumnDefaults",
    "variantType",
    "variantType-preview",
]
ALREADY = ["invariants"]
WITH_COLUMNS = ["clustering"]
REFUSED = [
    "checkpointProtection",
    "icebergWriterCompatV1",
    "icebergWriterCompatV3",
    "catalogManaged",
    "catalogOwned-preview",
    "coordinatedCommits-preview",
    "geospatial",
    "geospatial-dev",
    "redirectReaderWriter-preview",
    "redirectWriterOnly-preview",
    "adaptiveMetadata",
    "adaptiveMetadata-preview",
    "collations",
    "collations-preview",
    "columnMappingUsageTracking",
    "timestampNanos",
    "timestampWithoutTimezone",
]


def test_each_feature_is_looked_at_below() -> None:
    assert sorted([*PROPERTIES, *LISTED, *ALREADY, *WITH_COLUMNS, *REFUSED]) == sorted(FEATURES)


@pytest.mark.parametrize("name", PROPERTIES)
def test_a_feature_and_its_properties_go_into_one_commit(tmp_path: Path, name: str) -> None:
    plan = enable(tmp_path, NEW_TABLE, name)
    assert codes(plan) == []
    assert configuration(plan) == PROPERTIES[name]
    assert plan.operation == "SET TBLPROPERTIES"
    assert plan.undo is not None
    if name != "appendOnly":  # which version 2 implies
        assert name in (features(plan)[3] or [])


@pytest.mark.parametrize("name", LISTED)
def test_a_feature_that_is_only_listed(tmp_path: Path, name: str) -> None:
    plan = enable(tmp_path, NEW_TABLE, name)
    assert (codes(plan), plan.metadata, plan.domains) == ([], None, ())
    assert name in (features(plan)[3] or [])
    assert plan.operation == "UPGRADE PROTOCOL"


@pytest.mark.parametrize("name", REFUSED)
def test_a_feature_that_no_table_gets(tmp_path: Path, name: str) -> None:
    plan = enable(tmp_path, NEW_TABLE, name)
    assert codes(plan) == ["FEATURE_NOT_OFFERED"]
    assert (plan.protocol, plan.metadata) == (None, None)


def test_a_feature_that_is_there_changes_nothing(tmp_path: Path) -> None:
    listed = protocol(writer=["domainMetadata", "rowTracking"])
    on = metadata(ID, enableRowTracking="true")
    plan = enable(tmp_path, [listed, on], "rowTracking", "DOMAINMETADATA")
    assert plan.is_empty
    assert (codes(plan), warned(plan), plan.undo) == ([], [], None)


def test_the_protocol_is_told_as_spark_tells_it(tmp_path: Path) -> None:
    plan = enable(tmp_path, NEW_TABLE, "domainMetadata")
    assert {key: json.loads(text) for key, text in plan.parameters.items()} == {
        "newProtocol": {
            "minReaderVersion": 1,
            "minWriterVersion": 7,
            "readerFeatures": None,
            "writerFeatures": ["appendOnly", "domainMetadata", "invariants"],
        }
    }


def test_several_features_are_one_commit(tmp_path: Path) -> None:
    plan = enable(tmp_path, NEW_TABLE, "deletionVectors", "changeDataFeed", "timestampNtz")
    assert features(plan) == (
        3,
        7,
        ["deletionVectors", "timestampNtz"],
        ["appendOnly", "changeDataFeed", "deletionVectors", "invariants", "timestampNtz"],
    )
    assert plan.operation == "SET TBLPROPERTIES"
    assert json.loads(plan.parameters["properties"]) == {
        "delta.enableChangeDataFeed": "true",
        "delta.enableDeletionVectors": "true",
    }
    assert [cost.client.name for cost in plan.clients_lost] == []


def test_all_reasons_are_told_at_once(tmp_path: Path) -> None:
    plan = enable(tmp_path, NEW_TABLE, "nope", "catalogManaged", "clustering", "rowIds")
    assert sorted(codes(plan)) == [
        "CLUSTERING_COLUMNS_NEEDED",
        "FEATURE_NOT_FOUND",
        "FEATURE_NOT_FOUND",
        "FEATURE_NOT_OFFERED",
    ]


def test_what_asks_for_a_feature_is_never_stored(tmp_path: Path) -> None:
    """Stored, these three would have Spark upgrade the table with its next change."""
    names = [name for name in PROPERTIES if not name.startswith("iceberg")]
    stored = configuration(enable(tmp_path, NEW_TABLE, *names))
    assert [key for key in stored if key.startswith(("delta.feature.", "delta.min"))] == []


def test_the_identity_of_the_table_stays(tmp_path: Path) -> None:
    plan = enable(tmp_path, NEW_TABLE, "deletionVectors")
    assert plan.metadata is not None
    before, after = NEW_TABLE[1]["metaData"], plan.metadata.to_json()
    assert {key: after[key] for key in before if key != "configuration"} == {
        key: before[key] for key in before if key != "configuration"
    }


# ---- Previews


PREVIEW = protocol(reader=["typeWidening-preview"])


def test_the_released_feature_comes_beside_its_preview_when_named(tmp_path: Path) -> None:
    plan = enable(tmp_path, [PREVIEW, metadata(ID)], "typeWidening")
    assert features(plan)[2] == ["typeWidening", "typeWidening-preview"]


def test_a_preview_is_remarked(tmp_path: Path) -> None:
    assert warned(enable(tmp_path, NEW_TABLE, "typeWidening-preview")) == ["PREVIEW_FEATURE"]


# ---- Column mapping


DEEP = [
    field("id", "long"),
    field("s", struct(field("a", array(struct(field("x", "long")))))),
    field("m", mapping("string", struct(field("y", "long")))),
]


def test_files_know_every_field_by_the_name_that_it_has(tmp_path: Path) -> None:
    """Any other physical name, at any depth, and the existing rows would be read as null."""
    plan = enable(tmp_path, [LEGACY, metadata(*DEEP)], "columnMapping")
    assert plan.metadata is not None
    assert json.loads(plan.metadata.schema_string or "") == struct(
        mapped("id", 1, "id", "long"),
        mapped(
            "s", 2, "s", struct(mapped("a", 4, "a", array(struct(mapped("x", 5, "x", "long")))))
        ),
        mapped("m", 3, "m", mapping("string", struct(mapped("y", 6, "y", "long")))),
    )
    assert configuration(plan)["delta.columnMapping.maxColumnId"] == "6"
    assert features(plan)[:3] == (2, 7, None)
    assert warned(plan) == ["MAPPED_AT_READER_2"]


def test_nobody_misreads_a_mapped_table_at_reader_version_3(tmp_path: Path) -> None:
    has_vectors = protocol(reader=["deletionVectors"])
    plan = enable(tmp_path, [has_vectors, metadata(ID)], "columnMapping")
    assert features(plan) == (
        3,
        7,
        ["columnMapping", "deletionVectors"],
        ["columnMapping", "deletionVectors"],
    )
    assert warned(plan) == []


def test_ranges_of_the_change_feed_end_at_the_mapping(tmp_path: Path) -> None:
    actions = [LEGACY, metadata(ID, enableChangeDataFeed="true")]
    plan = enable(tmp_path, actions, "columnMapping", "changeDataFeed")
    assert "CHANGE_FEED_RANGE" in warned(plan)


# ---- Rules that would wake up


@pytest.mark.parametrize(
    ("actions", "name"),
    [
        ([LEGACY, metadata(ID, **{"constraints.c": "id > 0"})], "checkConstraints"),
        (
            [protocol(writer=["appendOnly"]), metadata({**ID, "nullable": False})],
            "invariants",
        ),
        (
            [LEGACY, metadata(field("g", "long", **{"delta.generationExpression": "1"}))],
            "generatedColumns",
        ),
        (
            [LEGACY, metadata(field("n", "long", **{"delta.identity.start": 1}))],
            "identityColumns",
        ),
        ([LEGACY, metadata(mapped("id", 1, "x", "long"))], "columnMapping"),
        (
            [LEGACY, metadata(mapped("id", 1, "x", "long"), **{"columnMapping.mode": "name"})],
            "columnMapping",
        ),
        (
            [
                {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
                metadata(mapped("id", 1, "x", "long")),
            ],
            "columnMapping",
        ),
    ],
    ids=["check", "not null", "generated", "identity", "leftover ids", "mapped", "unmapped"],
)
def test_no_rule_wakes_up(tmp_path: Path, actions: list[Action], name: str) -> None:
    assert "DORMANT_RULE" in codes(enable(tmp_path, actions, name))


def test_no_rule_wakes_up_by_a_version(tmp_path: Path) -> None:
    table = draft(tmp_path, LEGACY, metadata(ID, **{"constraints.c": "id > 0"}))
    assert codes(plan_protocol_upgrade(table, None, 3)) == ["DORMANT_RULE"]


# ---- Change data feed, deletion vectors


@pytest.mark.parametrize("feature", ["changeDataFeed", "columnMapping"])
def test_columns_of_the_change_feed_are_reserved(tmp_path: Path, feature: str) -> None:
    plan = enable(tmp_path, [LEGACY, metadata(ID, field("_Change_Type", "long"))], feature)
    assert codes(plan) == ["RESERVED_COLUMN_NAME"]
    assert plan.refusals[0].hint is None  # a column without a mapping cannot be renamed


@pytest.mark.parametrize("names", [["deletionVectors"], ["deletionVectors", "icebergCompatV2"]])
def test_iceberg_and_deletion_vectors_exclude_each_other(tmp_path: Path, names: list[str]) -> None:
    on = {} if len(names) == 2 else {"enableIcebergCompatV2": "true", "columnMapping.mode": "name"}
    has = LEGACY if len(names) == 2 else protocol(writer=["columnMapping", "icebergCompatV2"])
    plan = enable(
        tmp_path, [has, metadata(mapped("id", 1, "id", "long") if on else ID, **on)], *names
    )
    assert "ICEBERG_FORBIDS_VECTORS" in codes(plan)


# ---- Clustering


def test_clustering(tmp_path: Path) -> None:
    columns = [
        mapped("id", 1, "col-1", "long"),
        mapped("s", 2, "s", struct(mapped("a", 3, "z", "date"))),
    ]
    has = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    on = metadata(*columns, **{"columnMapping.mode": "name", "columnMapping.maxColumnId": "3"})
    plan = enable(tmp_path, [has, on], "clustering", columns="S.A,id")
    assert codes(plan) == []
    assert [domain.to_json() for domain in plan.domains] == [
        {
            "domain": "delta.clustering",
            "configuration": '{"clusteringColumns":[["s","z"],["col-1"]],'
            '"domainName":"delta.clustering"}',
            "removed": False,
        }
    ]
    assert plan.operation == "CLUSTER BY"
    assert plan.parameters == {"oldClusteringColumns": "", "newClusteringColumns": "s.a,id"}
    assert plan.metadata is None
    assert warned(plan) == ["FILES_NOT_CLUSTERED_YET"]


CLUSTERED: Action = {
    "domainMetadata": {
        "domain": "delta.clustering",
        "configuration": '{"clusteringColumns":[["id"]],"domainName":"delta.clustering"}',
        "removed": False,
    }
}
CLUSTERING = protocol(writer=["clustering", "domainMetadata"])


def test_other_clustering_columns(tmp_path: Path) -> None:
    actions = [CLUSTERING, metadata(ID, AMOUNT), CLUSTERED]
    plan = enable(tmp_path, actions, "clustering", columns="amount")
    assert plan.parameters == {"oldClusteringColumns": "id", "newClusteringColumns": "amount"}
    assert (plan.protocol, plan.metadata) == (None, None)
    assert back(plan) == ["deltactl protocol enable TABLE clustering --columns id"]


@pytest.mark.parametrize("columns", ["id", "ID", ""])
def test_the_same_clustering_columns(tmp_path: Path, columns: str) -> None:
    actions = [CLUSTERING, metadata(ID, AMOUNT), CLUSTERED]
    assert enable(tmp_path, actions, "clustering", columns=columns).is_empty


WIDE = [field(f"c{number}", "long") for number in range(40)]


@pytest.mark.parametrize(
    ("columns", "properties", "wanted", "code"),
    [
        ([ID], {}, "nope", "COLUMN_NOT_FOUND"),
        ([ID], {}, "id,ID", "COLUMN_NAMED_TWICE"),
        ([field("b", "binary")], {}, "b", "NOT_A_CLUSTERING_COLUMN"),
        ([field("b", "boolean")], {}, "b", "NOT_A_CLUSTERING_COLUMN"),
        ([field("s", struct(ID))], {}, "s", "NOT_A_CLUSTERING_COLUMN"),
        ([field("a", array(struct(ID)))], {}, "a.element.id", "NOT_A_CLUSTERING_COLUMN"),
        ([field("a", array("long"))], {}, "a.element", "NOT_A_CLUSTERING_COLUMN"),
        (WIDE, {}, "c32", "NO_STATISTICS"),
        (WIDE, {"dataSkippingNumIndexedCols": "3"}, "c3", "NO_STATISTICS"),
        (WIDE, {"dataSkippingStatsColumns": "c1, c2"}, "c3", "NO_STATISTICS"),
        (WIDE, {}, "c0,c1,c2,c3,c4", "TOO_MANY_CLUSTERING_COLUMNS"),
    ],
)
def test_columns_that_cannot_cluster(
    tmp_path: Path, columns: list[Field], properties: dict[str, str], wanted: str, code: str
) -> None:
    actions = [LEGACY, metadata(*columns, **properties)]
    assert codes(enable(tmp_path, actions, "clustering", columns=wanted)) == [code]


@pytest.mark.parametrize(
    ("columns", "properties", "wanted"),
    [
        (WIDE, {}, "c31"),
        (WIDE, {"dataSkippingNumIndexedCols": "-1"}, "c39"),
        (WIDE, {"dataSkippingStatsColumns": "C39, c38"}, "c39,c38"),
        ([field("s", struct(ID))], {"dataSkippingStatsColumns": "s"}, "s.id"),
        ([field("d", "decimal(10,2)"), field("t", "timestamp_ntz")], {}, "d,t"),
    ],
)
def test_columns_that_can(
    tmp_path: Path, columns: list[Field], properties: dict[str, str], wanted: str
) -> None:
    actions = [protocol(reader=["timestampNtz"]), metadata(*columns, **properties)]
    assert codes(enable(tmp_path, actions, "clustering", columns=wanted)) == []


def test_a_partitioned_table_is_not_clustered(tmp_path: Path) -> None:
    parted = metadata(ID, AMOUNT)
    parted["metaData"]["partitionColumns"] = ["id"]
    assert "PARTITIONED_TABLE" in codes(
        enable(tmp_path, [LEGACY, parted], "clustering", columns="amount")
    )


# ---- Iceberg


def change(old: str, new: str) -> dict[str, Any]:
    return {"delta.typeChanges": [{"fromType": old, "toType": new}]}


@pytest.mark.parametrize(
    ("columns", "version", "code"),
    [
        ([field("a", array("long"))], "V1", "NOT_IN_ICEBERG"),
        ([field("m", mapping("string", "long"))], "V1", "NOT_IN_ICEBERG"),
        ([field("a", array("long"))], "V2", None),
        ([field("v", "void")], "V2", "NOT_IN_ICEBERG"),
        ([field("v", "variant")], "V2", "NOT_IN_ICEBERG"),
        ([field("v", "variant")], "V3", None),
        ([field("n", "long", **change("integer", "long"))], "V2", None),
        ([field("n", "double", **change("integer", "double"))], "V2", "NOT_IN_ICEBERG"),
        ([field("n", "timestamp_ntz", **change("date", "timestamp_ntz"))], "V1", "NOT_IN_ICEBERG"),
        ([field("n", "long", CURRENT_DEFAULT="7")], "V3", None),
        ([field("n", "date", CURRENT_DEFAULT="current_date()")], "V3", "NOT_IN_ICEBERG"),
    ],
)
def test_what_iceberg_does_not_have(
    tmp_path: Path, columns: list[Field], version: str, code: str | None
) -> None:
    has = protocol(
        reader=["typeWidening", "timestampNtz", "variantType"], writer=["allowColumnDefaults"]
    )
    plan = enable(tmp_path, [has, metadata(*columns)], f"icebergCompat{version}")
    assert codes(plan) == ([] if code is None else [code])


def test_iceberg_takes_a_column_that_has_forgotten_what_it_was(tmp_path: Path) -> None:
    inside = struct(field("n", "double", **change("integer", "double")))
    has = protocol(reader=["typeWidening"])
    plan = enable(tmp_path, [has, metadata(field("a b", inside))], "icebergCompatV2")
    assert [text_of(refusal.hint) for refusal in plan.refusals] == [
        "have it forgotten: deltactl prune-type-changes TABLE --column '`a b`.n' --rewrite"
    ]


def test_a_table_has_one_version_of_iceberg(tmp_path: Path) -> None:
    plan = enable(tmp_path, NEW_TABLE, "icebergCompatV1", "icebergCompatV2")
    assert "ICEBERG_VERSION_TAKEN" in codes(plan)


def test_row_tracking_must_not_come_before_the_third(tmp_path: Path) -> None:
    has = protocol(writer=["domainMetadata", "rowTracking"])
    actions = [has, metadata(ID, enableRowTracking="true")]
    assert codes(enable(tmp_path, actions, "icebergCompatV3")) == ["ROW_TRACKING_CAME_FIRST"]


@pytest.mark.parametrize(
    ("ids", "code"), [({"baseRowId": 0}, ["ROW_TRACKING_CAME_FIRST"]), ({}, [])]
)
def test_row_tracking_that_was_switched_off_before_the_third(
    tmp_path: Path, ids: dict[str, int], code: list[str]
) -> None:
    has = protocol(writer=["domainMetadata", "rowTracking"])
    add = {
        "path": "a.parquet",
        "partitionValues": {},
        "size": 1,
        "modificationTime": 1,
        "dataChange": True,
        "stats": '{"numRecords":2}',
        **ids,
    }
    actions = [has, metadata(ID, enableRowTracking="false"), {"add": add}]
    assert codes(enable(tmp_path, actions, "icebergCompatV3")) == code


def test_only_restore_takes_the_third_back(tmp_path: Path) -> None:
    plan = enable(tmp_path, NEW_TABLE, "icebergCompatV3")
    assert plan.undo is not None
    assert tuple(map(str, plan.undo.commands)) == ("RESTORE TABLE ... TO VERSION AS OF 0",)


def test_what_is_inside_arrays_and_maps_gets_ids(tmp_path: Path) -> None:
    columns = [
        mapped("l", 1, "col-1", array(array("long"))),
        mapped("m", 2, "m", mapping("string", "long")),
    ]
    has = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    on = metadata(*columns, **{"columnMapping.mode": "name", "columnMapping.maxColumnId": "9"})
    plan = enable(tmp_path, [has, on], "icebergCompatV2")
    assert plan.metadata is not None
    found = json.loads(plan.metadata.schema_string or "")["fields"]
    assert [f["metadata"]["delta.columnMapping.nested.ids"] for f in found] == [
        {"col-1.element": 10, "col-1.element.element": 11},
        {"m.key": 12, "m.value": 13},
    ]
    assert configuration(plan)["delta.columnMapping.maxColumnId"] == "13"


# ---- Versions


def test_a_higher_version(tmp_path: Path) -> None:
    plan = plan_protocol_upgrade(draft(tmp_path, *NEW_TABLE), None, 4)
    assert (plan.operation, features(plan)) == ("UPGRADE PROTOCOL", (1, 4, None, None))
    assert json.loads(plan.parameters["newProtocol"]) == {
        "minReaderVersion": 1,
        "minWriterVersion": 4,
        "readerFeatures": None,
        "writerFeatures": None,
    }


@pytest.mark.parametrize(("reader", "writer"), [(1, 5), (2, 4)])
def test_half_of_column_mapping(tmp_path: Path, reader: int, writer: int) -> None:
    plan = plan_protocol_upgrade(draft(tmp_path, *NEW_TABLE), reader, writer)
    assert warned(plan) == ["HALF_A_VERSION"]


def test_nothing_to_list(tmp_path: Path) -> None:
    plan = plan_protocol_upgrade(draft(tmp_path, *NEW_TABLE), 3, 7)
    assert plan.is_empty
    assert warned(plan) == ["NOTHING_TO_LIST"]


@pytest.mark.parametrize(("has", "writer"), [(protocol(writer=["appendOnly"]), None), (LEGACY, 7)])
def test_a_reader_version_that_only_a_feature_brings(
    tmp_path: Path, has: Action, writer: int | None
) -> None:
    (refusal,) = plan_protocol_upgrade(draft(tmp_path, has, metadata(ID)), 2, writer).refusals
    hint = "deltactl protocol enable TABLE columnMapping"
    assert (refusal.code, text_of(refusal.hint)) == ("VERSIONS_DO_NOT_FIT", hint)


# ---- Drops


@pytest.mark.parametrize(
    ("listed", "properties", "name", "left", "kept"),
    [
        (["appendOnly", "invariants", "inCommitTimestamp"], {}, "inCommitTimestamp", (1, 2), {}),
        (
            ["materializePartitionColumns"],
            {"enableMaterializePartitionColumnsFeature": "true", "x": "1"},
            "MATERIALIZEpartitionColumns",
            (1, 1),
            {"delta.x": "1"},
        ),
        (["checkConstraints", "appendOnly", "invariants"], {}, "checkConstraints", (1, 2), {}),
        (["domainMetadata", "invariants"], {}, "domainMetadata", (1, 7), {}),
        (
            ["domainMetadata", "rowTracking"],
            {
                "enableRowTracking": "true",
                "rowTracking.materializedRowIdColumnName": "a",
                "rowTracking.materializedRowCommitVersionColumnName": "b",
            },
            "rowTracking",
            (1, 7),
            {},
        ),
    ],
)
def test_a_drop(
    tmp_path: Path,
    listed: list[str],
    properties: dict[str, str],
    name: str,
    left: tuple[int, int],
    kept: dict[str, str],
) -> None:
    plan = drop(draft(tmp_path, protocol(writer=listed), metadata(ID, **properties)), name)
    assert codes(plan) == []
    assert features(plan)[:2] == left
    assert plan.operation == "DROP FEATURE"
    assert plan.parameters["truncateHistory"] == "false"
    after = plan.metadata or plan.base.metadata
    assert dict(after.configuration) == kept


def test_a_feature_that_is_not_there_needs_no_drop(tmp_path: Path) -> None:
    assert drop(draft(tmp_path, *NEW_TABLE), "rowTracking").is_empty


@pytest.mark.parametrize(
    ("has", "name", "code", "words"),
    [
        (
            protocol(writer=["checkpointProtection"]),
            "checkpointProtection",
            "DROP_TRUNCATES_HISTORY",
            "history that it guards",
        ),
        (LEGACY, "appendOnly", "FEATURE_STAYS", "no engine"),
        (CLUSTERING, "domainMetadata", "FEATURE_IN_USE", "clustering"),
        (
            protocol(writer=["domainMetadata", "rowTracking"]),
            "domainMetadata",
            "FEATURE_IN_USE",
            "rowTracking",
        ),
        (LEGACY, "nope", "FEATURE_NOT_FOUND", "nope"),
    ],
)
def test_a_drop_that_takes_more(
    tmp_path: Path, has: Action, name: str, code: str, words: str
) -> None:
    plan = drop(draft(tmp_path, has, metadata(ID)), name)
    assert codes(plan) == [code]
    assert words in plan.refusals[0].message
    assert (plan.protocol, plan.metadata) == (None, None)


def test_constraints_keep_their_feature(tmp_path: Path) -> None:
    has = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 3}}
    table = draft(
        tmp_path, has, metadata(ID, **{"constraints.a": "id > 0", "constraints.we ird": "id < 9"})
    )
    plan = drop(table, "checkConstraints")
    assert [text_of(refusal.hint) for refusal in plan.refusals] == [
        "deltactl constraint drop TABLE a",
        "deltactl constraint drop TABLE 'we ird'",
    ]


def test_domains_go_with_their_feature(tmp_path: Path) -> None:
    own: Action = {"domainMetadata": {"domain": "app", "configuration": "x", "removed": False}}
    table = draft(tmp_path, protocol(writer=["domainMetadata"]), metadata(ID), own)
    plan = drop(table, "domainMetadata")
    assert [domain.to_json() for domain in plan.domains] == [
        {"domain": "app", "configuration": "x", "removed": True}
    ]
    assert warned(plan) == ["DOMAINS_REMOVED"]
    assert plan.undo is not None
    assert tuple(map(str, plan.undo.commands)) == (
        "deltactl protocol enable TABLE domainMetadata",
        "deltactl domain set TABLE app x",
    )


def test_ids_of_rows_do_not_come_back(tmp_path: Path) -> None:
    has = protocol(writer=["domainMetadata", "rowTracking"])
    plan = drop(draft(tmp_path, has, metadata(ID)), "rowTracking")
    assert warned(plan) == ["ROW_IDS_LOST"]
    assert plan.undo is not None
    assert tuple(map(str, plan.undo.commands)) == ("deltactl protocol enable TABLE rowTracking",)
    assert "do not come back" in str(plan.undo.note)


def test_times_that_commits_give_end(tmp_path: Path) -> None:
    """The commit that drops the feature gives no time of its own, as Delta's does not."""
    properties = {
        "enableInCommitTimestamps": "true",
        "inCommitTimestampEnablementVersion": "0",
        "inCommitTimestampEnablementTimestamp": "5",
    }
    write_log(
        tmp_path,
        [
            [
                commit_info(inCommitTimestamp=1_900_000_000_000),
                protocol(writer=["inCommitTimestamp"]),
                metadata(ID, **properties),
            ]
        ],
    )
    snapshot = open_table(str(tmp_path)).snapshot()
    table = Draft(snapshot, now=1_800_000_000_000, fresh=lambda prefix, what: prefix)
    plan = drop(table, "inCommitTimestamp")
    assert configuration(plan) == {"delta.enableInCommitTimestamps": "false"}
    assert plan.in_commit_timestamp is None
