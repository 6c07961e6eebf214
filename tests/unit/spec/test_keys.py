import pytest

from deltactl.spec import keys
from deltactl.spec.keys import ENABLE_TYPE_WIDENING, is_enabled
from deltactl.spec.properties.registry import FAMILIES, PROPERTIES
from deltactl.spec.protocol.features import FEATURES

OF_FIELDS = {
    "delta.columnMapping.",
    "delta.columnMapping.id",
    "delta.columnMapping.nested.ids",
    "delta.columnMapping.physicalName",
    "delta.generationExpression",
    "delta.identity.",
    "delta.identity.highWaterMark",
    "delta.invariants",
    "delta.typeChanges",
}
DOMAINS = {"delta.clustering", "delta.rowTracking"}
NAMES = {name: value for name, value in vars(keys).items() if isinstance(value, str)}


@pytest.mark.parametrize("text", ["true", "TRUE", "True", "tRuE"])
def test_a_property_is_on_in_any_letter_case(text: str) -> None:
    assert is_enabled({"delta.enableTypeWidening": text}, ENABLE_TYPE_WIDENING)


@pytest.mark.parametrize("text", ["false", "FALSE", "", " true", "true ", "1", "yes", "on", "t"])
def test_nothing_else_turns_a_property_on(text: str) -> None:
    assert not is_enabled({"delta.enableTypeWidening": text}, ENABLE_TYPE_WIDENING)


@pytest.mark.parametrize("key", ["delta.enabletypewidening", "delta.enableTypeWidening2"])
def test_the_key_counts_in_its_own_spelling_only(key: str) -> None:
    assert not is_enabled({key: "true"}, ENABLE_TYPE_WIDENING)


def test_each_property_that_code_names_is_in_the_table_of_properties() -> None:
    named = {value for value in NAMES.values() if value.startswith("delta.")}
    assert named - set(PROPERTIES) - set(FAMILIES) - OF_FIELDS - DOMAINS == {"delta."}
    assert named >= OF_FIELDS | DOMAINS


def test_each_feature_that_code_names_is_in_the_table_of_features() -> None:
    named = {value for name, value in NAMES.items() if name.endswith("_FEATURE")}
    assert len(named) > 20
    assert named <= set(FEATURES)


def test_no_name_has_two_constants() -> None:
    named = [value for name, value in NAMES.items() if name.isupper()]
    assert len(named) == len(set(named)) > 60
