"""Properties that go: which may, which engines need, and what is not there."""

from pathlib import Path

import pytest
from drafts import back, codes, configuration, draft_of, parameters
from small_tables import LEGACY, Action, field, mapped, metadata, protocol

from deltactl.changes.plan import Plan
from deltactl.operations.properties.unset import plan_unset_properties
from deltactl.text.hints import text_of

ID = field("id", "integer")


def plan(root: Path, *keys: str, on: list[Action], if_exists: bool = False) -> Plan:
    return plan_unset_properties(draft_of(root, on), keys, if_exists=if_exists)


def free(**more: str) -> list[Action]:
    on = [LEGACY, metadata(ID, appendOnly="false", checkpointInterval="5")]
    on[1]["metaData"]["configuration"] |= more
    return on


def test_several_in_one_commit(tmp_path: Path) -> None:
    made = plan(tmp_path, "x", "DELTA.checkpointinterval", "x", on=free(x="a b", y="1"))
    assert made.operation == "UNSET TBLPROPERTIES"
    assert parameters(made) == {
        "properties": ["x", "delta.checkpointInterval"],
        "ifExists": False,
    }
    assert configuration(made) == {"delta.appendOnly": "false", "y": "1"}
    assert back(made) == ["deltactl property set TABLE 'x=a b' delta.checkpointInterval=5"]


def test_a_name_in_the_wrong_case_can_go(tmp_path: Path) -> None:
    on = free(**{"delta.CHECKPOINTPOLICY": "v2"})
    made = plan(tmp_path, "delta.checkpointPolicy", on=on)
    assert "delta.CHECKPOINTPOLICY" not in configuration(made)


def test_what_is_not_there(tmp_path: Path) -> None:
    made = plan(tmp_path, "tema", "X", on=free(team="1", x="1"))
    assert [(r.code, text_of(r.hint), r.is_missing) for r in made.refusals] == [
        ("PROPERTY_NOT_FOUND", "did you mean team?", True),
        ("PROPERTY_NOT_FOUND", "did you mean x?", True),
    ]
    error = made.error()
    assert error is not None
    assert error.exit_code == 3


def test_if_exists(tmp_path: Path) -> None:
    assert plan(tmp_path, "nope", on=free(), if_exists=True).is_empty


TRACKING = protocol(writer=["rowTracking", "domainMetadata"])
MAPPED = {
    "protocol": {
        "minReaderVersion": 2,
        "minWriterVersion": 7,
        "writerFeatures": ["columnMapping", "icebergCompatV2"],
    }
}


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("delta.columnMapping.mode", "COLUMN_MAPPING_STAYS"),
        ("delta.columnMapping.maxColumnId", "INTERNAL_PROPERTY"),
    ],
)
def test_what_column_mapping_needs(tmp_path: Path, key: str, code: str) -> None:
    settings = {"columnMapping.mode": "name", "columnMapping.maxColumnId": "1"}
    on = [MAPPED, metadata(mapped("id", 1, "id", "integer"), **settings)]
    assert codes(plan(tmp_path, key, on=on)) == [code]


@pytest.mark.parametrize(
    ("more", "expected"),
    [([], ["ICEBERG_NEEDS_COMPAT"]), (["delta.universalFormat.enabledFormats"], [])],
)
def test_what_iceberg_needs(tmp_path: Path, more: list[str], expected: list[str]) -> None:
    settings = {
        "columnMapping.mode": "name",
        "columnMapping.maxColumnId": "1",
        "enableIcebergCompatV2": "true",
        "universalFormat.enabledFormats": "iceberg",
    }
    on = [MAPPED, metadata(mapped("id", 1, "id", "integer"), **settings)]
    assert codes(plan(tmp_path, "delta.enableIcebergCompatV2", *more, on=on)) == expected


def test_what_stays_on(tmp_path: Path) -> None:
    has = protocol(writer=["icebergCompatV3", "rowTracking", "domainMetadata"])
    on = [has, metadata(ID, enableIcebergCompatV3="true")]
    assert codes(plan(tmp_path, "delta.enableIcebergCompatV3", on=on)) == ["ICEBERG_STAYS"]


def test_what_row_tracking_needs(tmp_path: Path) -> None:
    key = "rowTracking.materializedRowIdColumnName"
    on = [TRACKING, metadata(ID, **{key: "_r", "enableRowTracking": "false"})]
    assert codes(plan(tmp_path, f"delta.{key}", on=on)) == ["INTERNAL_PROPERTY"]


def test_a_constraint_is_no_property(tmp_path: Path) -> None:
    on = [protocol(writer=["checkConstraints"]), metadata(ID, **{"constraints.c": "id > 0"})]
    (refusal,) = plan(tmp_path, "delta.constraints.c", on=on).refusals
    assert text_of(refusal.hint) == "deltactl constraint drop TABLE c"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("delta.enableRowTracking", "true"),
        ("delta.minWriterVersion", "7"),  # stored by a foreign writer
        ("delta.feature.typeWidening", "supported"),
        ("delta.nobody.knows", "1"),
        ("delta.columnMapping.maxColumnId", "4"),  # the table is not mapped
    ],
)
def test_what_may_go(tmp_path: Path, key: str, value: str) -> None:
    on = [TRACKING, metadata(ID)]
    on[1]["metaData"]["configuration"][key] = value
    made = plan(tmp_path, key, on=on)
    assert (configuration(made), made.refusals, made.protocol) == ({}, (), None)
