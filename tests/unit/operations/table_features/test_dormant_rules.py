"""Rules that old protocols leave dormant: one with feature lists must name their features."""

from pathlib import Path
from typing import Any

import pytest
from column_plans import codes, plan
from small_tables import LEGACY, field, metadata

OLDEST = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 1}}
NOT_NULL = {"name": "n", "type": "integer", "nullable": False, "metadata": {}}


def with_metadata(data_type: str, **members: Any) -> dict[str, Any]:
    return {**field("n", data_type), "metadata": {f"delta.{k}": v for k, v in members.items()}}


@pytest.mark.parametrize(
    ("before", "column", "feature"),
    [
        (OLDEST, NOT_NULL, "invariants"),
        (OLDEST, with_metadata("integer", invariants='{"expression":{}}'), "invariants"),
        (LEGACY, with_metadata("integer", generationExpression="1"), "generatedColumns"),
        (LEGACY, with_metadata("long", **{"identity.start": 1}), "identityColumns"),
        (LEGACY, field("n", "timestamp_ntz"), "timestampNtz"),
        (LEGACY, field("n", "variant"), "variantType"),
    ],
    ids=["not-null", "invariant", "generated", "identity", "timestamp_ntz", "variant"],
)
def test_a_protocol_that_would_list_features_lists_what_the_schema_asks_for(
    tmp_path: Path, before: Any, column: Any, feature: str
) -> None:
    made = plan(tmp_path, [before, metadata(field("v", "integer"), column)], "rename v w --enable")
    refused = [r for r in made.refusals if r.code == "DORMANT_RULE"]
    assert [feature in refusal.message for refusal in refused] == [True], codes(made)
