import json
from collections.abc import Mapping
from typing import Any, Protocol

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deltactl.errors import BrokenLogError
from deltactl.spec.actions import action, file_action
from deltactl.spec.actions.action import DomainMetadata, Metadata, Sidecar, Transaction
from deltactl.spec.actions.file_action import AddFile, DeletionVector, RemoveFile

WHOLE: dict[str, dict[str, Any]] = {
    "Protocol": {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors", "appendOnly"],
    },
    "Metadata": {
        "id": "af23c9d7-fff1-4a5a-a2c8-55c59bd782aa",
        "name": "events",
        "description": "all of them",
        "createdTime": 1700000000000,
        "format": {"provider": "parquet", "options": {}},
        "schemaString": '{"type":"struct","fields":[]}',
        "partitionColumns": ["day"],
        "configuration": {"delta.appendOnly": "true", "own": "x"},
    },
    "Transaction": {"appId": "3ba13872", "version": 364475, "lastUpdated": 1512909768},
    "DomainMetadata": {"domain": "delta.rowTracking", "configuration": "{}", "removed": False},
    "DeletionVector": {
        "storageType": "u",
        "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
        "offset": 4,
        "sizeInBytes": 40,
        "cardinality": 6,
    },
    "AddFile": {
        "path": "day=1/part-0.parquet",
        "partitionValues": {"day": "1", "hour": None},
        "size": 841454,
        "modificationTime": 1512909768000,
        "dataChange": True,
        "stats": '{"numRecords":1}',
        "tags": {"ZCUBE_ID": "x"},
        "deletionVector": {
            "storageType": "i",
            "pathOrInlineDv": "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L",
            "sizeInBytes": 40,
            "cardinality": 6,
        },
        "baseRowId": 4071,
        "defaultRowCommitVersion": 41,
    },
    "RemoveFile": {
        "path": "part-0.parquet",
        "deletionTimestamp": 1515488792485,
        "dataChange": True,
        "extendedFileMetadata": True,
        "partitionValues": {},
        "size": 5,
    },
}


class Action(Protocol):
    """What all actions have."""

    def to_json(self) -> dict[str, Any]: ...


def read(kind: str, body: Mapping[str, Any]) -> Action:
    module = action if hasattr(action, kind) else file_action
    found: Action = getattr(module, kind).from_json(body)
    return found


@pytest.mark.parametrize("kind", WHOLE)
def test_a_whole_action_comes_back(kind: str) -> None:
    before = json.dumps(WHOLE[kind])
    assert read(kind, WHOLE[kind]).to_json() == WHOLE[kind]
    assert json.dumps(WHOLE[kind]) == before, "reading changed what was read"


keys = st.text(min_size=1, max_size=6).map(lambda text: f"x-{text}")
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(keys, inner, max_size=2),
    max_leaves=4,
)


@given(st.sampled_from(list(WHOLE)), st.dictionaries(keys, values, max_size=4))
def test_keys_that_nobody_knows_are_kept(kind: str, unknown: dict[str, Any]) -> None:
    body = {**unknown, **WHOLE[kind]}
    assert read(kind, body).to_json() == body


@given(st.dictionaries(keys, values, max_size=3))
def test_keys_that_nobody_knows_are_kept_inside_an_action(unknown: dict[str, Any]) -> None:
    vector = {**WHOLE["AddFile"]["deletionVector"], **unknown}
    body = {**WHOLE["AddFile"], "deletionVector": vector}
    assert AddFile.from_json(body).to_json() == body
    body = {**WHOLE["Metadata"], "format": {"provider": "parquet", **unknown}}
    assert Metadata.from_json(body).to_json() == body


def test_a_protocol_keeps_the_difference_between_no_list_and_an_empty_one() -> None:
    bare = {"minReaderVersion": 1, "minWriterVersion": 2}
    assert action.Protocol.from_json(bare).to_json() == bare
    empty = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": []}
    assert action.Protocol.from_json(empty).to_json() == empty
    assert action.Protocol.from_json(WHOLE["Protocol"]).listed == {"deletionVectors", "appendOnly"}


def test_metadata_may_have_no_schema() -> None:
    metadata = Metadata.from_json({"id": "x"})
    assert metadata.schema_string is None
    assert metadata.partition_columns == ()
    assert metadata.configuration == {}


def test_a_domain_of_the_draft_is_kept_as_it_is() -> None:
    body = {"domain": "d", "configuration": {"k": "v"}, "removed": True}
    domain = DomainMetadata.from_json(body)
    assert domain.removed
    assert domain.to_json() == body


@pytest.mark.parametrize(
    ("vector", "expected"),
    [
        (DeletionVector("u", "ab^-aqEH.-t@S}K{vb[*k^", 4, 40, 6), "uab^-aqEH.-t@S}K{vb[*k^@4"),
        (DeletionVector("i", "wi5b=", None, 40, 6), "iwi5b="),
        (DeletionVector("p", "s3://b/x.bin", 0, 40, 6), "ps3://b/x.bin@0"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_a_vectors_unique_id_is_the_protocols(vector: DeletionVector, expected: str) -> None:
    assert vector.unique_id == expected


@pytest.mark.parametrize(
    ("kind", "body", "code"),
    [
        ("Protocol", {"minReaderVersion": 1}, "ACTION_MALFORMED"),
        ("Protocol", {"minReaderVersion": "1", "minWriterVersion": 2}, "ACTION_MALFORMED"),
        ("Protocol", {"minReaderVersion": True, "minWriterVersion": 2}, "ACTION_MALFORMED"),
        ("Protocol", {"minReaderVersion": 1.5, "minWriterVersion": 2}, "ACTION_MALFORMED"),
        ("Protocol", WHOLE["Protocol"] | {"readerFeatures": "x"}, "ACTION_MALFORMED"),
        ("Protocol", WHOLE["Protocol"] | {"writerFeatures": [1]}, "ACTION_MALFORMED"),
        ("Metadata", {"id": 5}, "ACTION_MALFORMED"),
        ("Metadata", {"schemaString": {"type": "struct"}}, "ACTION_MALFORMED"),
        ("Metadata", {"configuration": []}, "ACTION_MALFORMED"),
        ("Metadata", {"configuration": {"delta.appendOnly": True}}, "ACTION_MALFORMED"),
        ("Metadata", {"configuration": {"delta.appendOnly": None}}, "ACTION_MALFORMED"),
        ("Metadata", {"format": "parquet"}, "ACTION_MALFORMED"),
        ("Metadata", {"partitionColumns": {"a": 1}}, "ACTION_MALFORMED"),
        ("Transaction", {"appId": "x"}, "ACTION_MALFORMED"),
        ("DomainMetadata", {"domain": []}, "ACTION_MALFORMED"),
        ("AddFile", {}, "EMPTY_PATH"),
        ("AddFile", {"path": ""}, "EMPTY_PATH"),
        ("AddFile", {"path": 5}, "ACTION_MALFORMED"),
        ("AddFile", {"path": "a", "partitionValues": ["x"]}, "ACTION_MALFORMED"),
        ("AddFile", {"path": "a", "partitionValues": {"p": 1}}, "ACTION_MALFORMED"),
        ("AddFile", {"path": "a", "deletionVector": "x"}, "ACTION_MALFORMED"),
        ("AddFile", {"path": "a", "deletionVector": {"storageType": 1}}, "ACTION_MALFORMED"),
        ("AddFile", {"path": "a", "size": 2**63}, "ACTION_MALFORMED"),
        ("AddFile", {"path": "a", "baseRowId": -(2**63) - 1}, "ACTION_MALFORMED"),
        ("RemoveFile", {"path": None}, "EMPTY_PATH"),
        ("RemoveFile", {"path": "a", "deletionVector": []}, "ACTION_MALFORMED"),
        ("Sidecar", {"sizeInBytes": 5}, "ACTION_MALFORMED"),
    ],
    ids=str,
)
def test_what_an_action_must_have_it_has(kind: str, body: dict[str, Any], code: str) -> None:
    with pytest.raises(BrokenLogError) as caught:
        read(kind, body)
    assert caught.value.code == code


@pytest.mark.parametrize("odd", ["5", 1.5, True, []], ids=str)
def test_an_optional_number_of_another_kind_is_kept_and_not_believed(odd: Any) -> None:
    add = AddFile.from_json(WHOLE["AddFile"] | {"modificationTime": odd})
    assert add.modification_time is None
    assert add.to_json() == WHOLE["AddFile"] | {"modificationTime": odd}


def test_a_remove_keeps_all_that_replay_does_not_need() -> None:
    remove = RemoveFile.from_json(WHOLE["RemoveFile"])
    assert (remove.path, remove.deletion_vector) == ("part-0.parquet", None)
    assert remove.unknown["deletionTimestamp"] == 1515488792485


def test_small_actions_know_their_fields() -> None:
    assert Transaction.from_json(WHOLE["Transaction"]).last_updated == 1512909768
    assert Sidecar.from_json({"path": "s.parquet", "sizeInBytes": 9}).size_in_bytes == 9
