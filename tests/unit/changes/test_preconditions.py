"""What stands against any commit: what a table asks for, and its protocol does not have."""

from pathlib import Path
from typing import Any

import pytest
from small_tables import commit_info, field, metadata, protocol, schema, write_log

from deltactl.changes.preconditions import contradictions, obstacles_to_writing, unlisted_by_schema
from deltactl.spec.actions.action import Protocol
from deltactl.spec.schema.types import Struct
from deltactl.table.table import open_table

LISTS = Protocol.from_json({"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": [],
                            "writerFeatures": []})  # fmt: skip
OLD = Protocol.from_json({"minReaderVersion": 1, "minWriterVersion": 2})
PLAIN = schema(field("a", "long"))
CHANGE = {"fromType": "integer", "toType": "long"}
WIDENED = schema(field("a", "long", **{"delta.typeChanges": [CHANGE]}))
HUDI = {"delta.universalFormat.enabledFormats": "hudi"}


def with_features(*names: str) -> Protocol:
    body = LISTS.to_json() | {"readerFeatures": [*names], "writerFeatures": [*names]}
    return Protocol.from_json(body)


def against(
    protocol: Protocol, own: Struct = PLAIN, **configuration: str
) -> list[tuple[str, str, str]]:
    keys = {f"delta.{key.replace('_', '.')}": value for key, value in configuration.items()}
    refusals = contradictions(protocol, keys, own)
    return [(r.code, r.message, str(r.hint)) for r in refusals]


def test_a_table_with_nothing_against_it() -> None:
    assert against(OLD) == []
    assert against(LISTS) == []
    assert against(with_features("typeWidening"), WIDENED, enableTypeWidening="true") == []
    assert against(with_features("typeWidening-preview"), WIDENED) == []
    assert against(OLD, enableDeletionVectors="false") == []


def test_a_property_without_its_feature() -> None:
    assert against(OLD, enableDeletionVectors="true") == [
        (
            "PROPERTY_WITHOUT_FEATURE",
            "delta.enableDeletionVectors asks for the feature deletionVectors, which the protocol "
            "does not have",
            "deltactl protocol enable TABLE deletionVectors, or "
            "deltactl property unset TABLE delta.enableDeletionVectors",
        )
    ]
    assert against(with_features("typeWidening-preview"), enableTypeWidening="true") == []


def test_type_changes_without_the_feature() -> None:
    assert against(LISTS, WIDENED) == [
        (
            "TYPE_CHANGES_WITHOUT_FEATURE",
            "column a has type changes, but the protocol has no typeWidening",
            "deltactl protocol enable TABLE typeWidening",
        )
    ]


def test_formats_that_the_table_does_not_fit() -> None:
    vectors = with_features("deletionVectors")
    assert [code for code, _, _ in against(OLD, universalFormat_enabledFormats="iceberg")] == [
        "ICEBERG_NEEDS_COMPAT"
    ]
    hudi = against(vectors, enableDeletionVectors="true", universalFormat_enabledFormats="hudi")
    assert [code for code, _, _ in hudi] == ["NOT_IN_HUDI"]
    odd = schema(field("a", "byte"), field("b", "short"), field("c", "long"))
    found = against(OLD, odd, universalFormat_enabledFormats="hudi")
    assert [message for _, message, _ in found] == [
        "a is byte, which a table that Hudi reads may not have",
        "b is short, which a table that Hudi reads may not have",
    ]
    assert against(OLD, odd, universalFormat_enabledFormats="") == []


ENABLE = "deltactl protocol enable TABLE"
SPARK = "Spark checks the rows where the rule is taken away and added again"


@pytest.mark.parametrize(
    ("own", "name", "hint"),
    [
        (field("a", "timestamp_ntz"), "timestampNtz", f"{ENABLE} timestampNtz"),
        (field("a", "variant"), "variantType", f"{ENABLE} variantType"),
        (field("a", "long", **{"delta.invariants": '{"expression":{"expression":"a > 0"}}'}),
         "invariants", SPARK),
        (field("a", "long", **{"delta.generationExpression": "b"}), "generatedColumns", SPARK),
        (field("a", "long", **{"delta.identity.start": 1}), "identityColumns", SPARK),
    ],
)  # fmt: skip
def test_what_a_schema_asks_for_that_no_list_names(own: Any, name: str, hint: str) -> None:
    (refusal,) = unlisted_by_schema(LISTS, schema(own))
    assert (refusal.code, str(refusal.hint)) == ("DORMANT_RULE", hint)
    assert refusal.message.startswith(f"the schema asks for {name}, which the protocol has never")
    # Old protocols leave it dormant.
    assert list(unlisted_by_schema(OLD, schema(own))) == []
    assert list(unlisted_by_schema(with_features(name), schema(own))) == []


def test_features_that_only_others_can_write(tmp_path: Path) -> None:
    features = protocol(writer=["appendOnly", "catalogManaged", "fancy"])
    uri = write_log(tmp_path, [[commit_info(), features, metadata(field("a", "long"))]])
    found = list(obstacles_to_writing(open_table(uri).snapshot()))
    assert found.pop(0).code == "READER_VERSION_TOO_LOW", "readers need that one, too"
    assert {refusal.code for refusal in found} == {"UNSUPPORTED_WRITER_FEATURE"}
    start = "deltactl cannot change a table that has the feature"
    assert [refusal.message for refusal in found] == [
        f"{start} catalogManaged (A catalog decides which commits count; the folder alone does not "
        "tell the newest version)",
        f"{start} fancy, which deltactl does not know",
    ]
