import pytest

from deltactl.errors import NotFoundError
from deltactl.spec.properties.registry import lookup
from deltactl.spec.protocol.features import (
    _ROWS,
    DRAFT_NAMES,
    FEATURES,
    NOT_NULL,
    By,
    Dropping,
    Enabling,
    FeatureKind,
    Support,
    feature,
    implied,
    is_active,
    support,
    unreadable,
    unwritable,
)
from deltactl.text.suggestions import nearest

W, RW = FeatureKind.WRITER, FeatureKind.READER_WRITER

LEGACY = [
    ("appendOnly", W, None, 2),
    ("invariants", W, None, 2),
    ("checkConstraints", W, None, 3),
    ("changeDataFeed", W, None, 4),
    ("generatedColumns", W, None, 4),
    ("columnMapping", RW, 2, 5),
    ("identityColumns", W, None, 6),
]
LISTED = {
    "deletionVectors": RW,
    "timestampNtz": RW,
    "domainMetadata": W,
    "rowTracking": W,
    "v2Checkpoint": RW,
    "typeWidening": RW,
    "typeWidening-preview": RW,
    "inCommitTimestamp": W,
    "vacuumProtocolCheck": RW,
    "checkpointProtection": W,
    "clustering": W,
    "allowColumnDefaults": W,
    "icebergCompatV1": W,
    "icebergCompatV2": W,
    "icebergCompatV3": W,
    "icebergWriterCompatV1": W,
    "icebergWriterCompatV3": W,
    "variantType": RW,
    "variantType-preview": RW,
    "variantShredding": RW,
    "variantShredding-preview": RW,
    "materializePartitionColumns": W,
    "catalogManaged": RW,
    "catalogOwned-preview": RW,
    "coordinatedCommits-preview": W,
    "geospatial": RW,
    "geospatial-dev": RW,
    "redirectReaderWriter-preview": RW,
    "redirectWriterOnly-preview": W,
    "adaptiveMetadata": RW,
    "adaptiveMetadata-preview": RW,
    "timestampWithoutTimezone": RW,
    "collations": W,
    "collations-preview": W,
    "columnMappingUsageTracking": W,
    "timestampNanos": RW,
}


@pytest.mark.parametrize(("name", "kind", "reader", "writer"), LEGACY)
def test_legacy_features_have_versions(
    name: str, kind: FeatureKind, reader: int | None, writer: int
) -> None:
    row = FEATURES[name]
    assert (row.kind, row.legacy_reader, row.legacy_writer) == (kind, reader, writer)


def test_all_other_features_must_be_listed() -> None:
    rest = {name: row for name, row in FEATURES.items() if row.legacy_writer is None}
    assert {name: row.kind for name, row in rest.items()} == LISTED
    assert len(FEATURES) == len(_ROWS) == 43, "a later row of the same name would win"


@pytest.mark.parametrize(
    ("name", "versions"),
    [
        ("appendOnly", (1, 2)),
        ("columnMapping", (2, 5)),
        ("deletionVectors", (3, 7)),
        ("domainMetadata", (1, 7)),
    ],
)
def test_lowest_versions(name: str, versions: tuple[int, int]) -> None:
    assert (FEATURES[name].min_reader, FEATURES[name].min_writer) == versions


def test_what_a_feature_requires_is_known() -> None:
    assert {n for row in FEATURES.values() for n in row.requires} <= FEATURES.keys()
    assert FEATURES["rowTracking"].requires == ("domainMetadata",)
    assert FEATURES["icebergCompatV3"].requires == ("columnMapping", "rowTracking")
    assert FEATURES["catalogManaged"].requires == ("inCommitTimestamp", "vacuumProtocolCheck")
    assert FEATURES["variantShredding-preview"].requires == ()


def test_properties_that_activate_are_known_properties() -> None:
    rows = [row for row in FEATURES.values() if row.activation.by is By.PROPERTY]
    keys = [key + "x" if key.endswith(".") else key for row in rows for key in row.activation.keys]
    assert keys
    assert [key for key in keys if lookup(key) is None] == []


VERSION_2 = {"appendOnly", "invariants"}
VERSION_3 = VERSION_2 | {"checkConstraints"}
VERSION_4 = VERSION_3 | {"changeDataFeed", "generatedColumns"}


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ((1, 1), set()),
        ((1, 2), VERSION_2),
        ((1, 3), VERSION_3),
        ((1, 4), VERSION_4),
        ((1, 5), VERSION_4),  # columnMapping needs reader version 2 as well
        ((1, 6), VERSION_4 | {"identityColumns"}),
        ((2, 5), VERSION_4 | {"columnMapping"}),
        ((2, 6), VERSION_4 | {"columnMapping", "identityColumns"}),
        ((1, 7), set()),
        ((2, 7), set()),  # columnMapping stands in the writers' list
        ((3, 7), set()),
        ((3, 2), set()),  # no legal protocol
    ],
)
def test_implied(versions: tuple[int, int], expected: set[str]) -> None:
    assert implied(*versions) == expected


@pytest.mark.parametrize("text", ["typeWidening", "TYPEWIDENING", "typewidening"])
def test_people_may_type_any_letter_case(text: str) -> None:
    assert feature(text).name == "typeWidening"


def test_a_draft_spelling_of_a_released_name_finds_it() -> None:
    assert feature("timestampNTZ").name == "timestampNtz"


@pytest.mark.parametrize(
    ("text", "message", "near"),
    [
        ("typeWidning", "no table feature is named 'typeWidning'", "typeWidening"),
        ("deletionVector", "no table feature is named 'deletionVector'", "deletionVectors"),
        ("rowIds", "'rowIds' is a draft name, never released", "rowTracking"),
        ("columnInvariants", "'columnInvariants' is a draft name, never released", "invariants"),
    ],
)
def test_unknown_features_name_what_is_near(text: str, message: str, near: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        feature(text)
    assert (caught.value.code, caught.value.message) == ("FEATURE_NOT_FOUND", message)
    assert caught.value.details["nearest"][0] == near
    assert near in (caught.value.hint or "")


def test_nothing_near_leads_to_the_list() -> None:
    with pytest.raises(NotFoundError) as caught:
        feature("zzzzzz")
    assert caught.value.hint == "deltactl protocol features"


def test_draft_names_lead_to_released_features() -> None:
    assert DRAFT_NAMES == {
        "columnInvariants": "invariants",
        "enableTypeWidening": "typeWidening",
        "rowIds": "rowTracking",
        "timestampNTZ": "timestampNtz",
    }


def test_what_cannot_be_read() -> None:
    listed = [*FEATURES, *DRAFT_NAMES, "DeletionVectors", "fooBar"]
    assert unreadable(listed) == (
        "DeletionVectors",
        "adaptiveMetadata",
        "adaptiveMetadata-preview",
        "catalogManaged",
        "catalogOwned-preview",
        "fooBar",
        "geospatial",
        "geospatial-dev",
        "redirectReaderWriter-preview",
        "timestampNanos",
    )


def test_what_can_be_read_but_not_written() -> None:
    listed = {*FEATURES, *DRAFT_NAMES, "fooBar"}
    assert set(unwritable(listed)) - set(unreadable(listed)) == {
        "collations",
        "collations-preview",
        "columnMappingUsageTracking",
        "coordinatedCommits-preview",
        "icebergWriterCompatV1",
        "icebergWriterCompatV3",
        "redirectWriterOnly-preview",
        *DRAFT_NAMES,
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("typeWidening", Support.FULL),
        ("coordinatedCommits-preview", Support.READ),
        ("rowIds", Support.READ),
        ("catalogManaged", Support.NONE),
        ("fooBar", Support.NONE),
    ],
)
def test_support(name: str, expected: Support) -> None:
    assert support(name) is expected


@pytest.mark.parametrize(
    ("name", "configuration", "expected"),
    [
        ("appendOnly", {}, False),
        ("appendOnly", {"delta.appendOnly": "true"}, True),
        ("appendOnly", {"delta.appendOnly": "TRUE"}, True),
        ("appendOnly", {"delta.appendOnly": "false"}, False),
        ("changeDataFeed", {"delta.enableChangeDataCapture": "true"}, True),
        (
            "changeDataFeed",
            {"delta.enableChangeDataCapture": "true", "delta.enableChangeDataFeed": "false"},
            False,
        ),
        ("columnMapping", {"delta.columnMapping.mode": "name"}, True),
        ("columnMapping", {"delta.columnMapping.mode": "none"}, False),
        ("v2Checkpoint", {"delta.checkpointPolicy": "classic"}, False),
        ("v2Checkpoint", {"delta.checkpointPolicy": "v2"}, True),
        ("checkConstraints", {"delta.constraints.positive": "v > 0"}, True),
        ("checkConstraints", {"delta.appendOnly": "true"}, False),
        ("typeWidening-preview", {"delta.enableTypeWidening": "true"}, True),
        ("checkpointProtection", {"delta.requireCheckpointProtectionBeforeVersion": "6"}, True),
        ("checkpointProtection", {}, False),
        ("vacuumProtocolCheck", {}, True),
    ],
)
def test_active_by_property(name: str, configuration: dict[str, str], expected: bool) -> None:
    assert is_active(FEATURES[name], configuration, frozenset()) is expected


@pytest.mark.parametrize(
    ("name", "marker"),
    [
        ("invariants", "delta.invariants"),
        ("invariants", NOT_NULL),
        ("generatedColumns", "delta.generationExpression"),
        ("identityColumns", "delta.identity.start"),
        ("timestampNtz", "timestamp_ntz"),
        ("allowColumnDefaults", "CURRENT_DEFAULT"),
        ("variantType", "variant"),
        ("geospatial", "geometry"),
    ],
)
def test_active_by_schema(name: str, marker: str) -> None:
    assert is_active(FEATURES[name], {}, {marker})
    assert not is_active(FEATURES[name], {}, {"other"})


def test_active_by_domain() -> None:
    assert is_active(FEATURES["clustering"], {}, (), {"delta.clustering"})
    assert not is_active(FEATURES["clustering"], {}, (), {"delta.rowTracking"})


@pytest.mark.parametrize(
    ("name", "enabling", "dropping"),
    [
        ("appendOnly", Enabling.METADATA_ONLY, Dropping.NO),
        ("checkConstraints", Enabling.VALIDATES_ROWS, Dropping.YES),
        ("generatedColumns", Enabling.CREATE_ONLY, Dropping.NO),
        ("columnMapping", Enabling.REWRITES_SCHEMA, Dropping.REWRITES_FILES),
        ("rowTracking", Enabling.BACKFILL, Dropping.RECOMMITS_FILES),
        ("v2Checkpoint", Enabling.METADATA_ONLY, Dropping.HISTORY_PROTECTION),
        ("vacuumProtocolCheck", Enabling.PROTOCOL_ONLY, Dropping.HISTORY_PROTECTION),
        ("checkpointProtection", Enabling.PROTOCOL_ONLY, Dropping.TRUNCATES_HISTORY),
        ("clustering", Enabling.WRITES_DOMAIN, Dropping.NO),
        ("catalogManaged", Enabling.NOT_SUPPORTED, Dropping.NO),
        ("collations", Enabling.NOT_SUPPORTED, Dropping.UNKNOWN),
    ],
)
def test_enabling_and_dropping(name: str, enabling: Enabling, dropping: Dropping) -> None:
    assert (FEATURES[name].enabling, FEATURES[name].dropping) == (enabling, dropping)


@pytest.mark.parametrize(
    ("word", "names", "expected"),
    [
        ("amuont", ["id", "amount", "AMOUNT_2"], ("amount", "AMOUNT_2")),
        ("Amount", ["AMOUNT"], ("AMOUNT",)),
        ("", ["id"], ()),
        ("id", [], ()),
    ],
)
def test_nearest(word: str, names: list[str], expected: tuple[str, ...]) -> None:
    assert nearest(word, names) == expected
