"""Rules for rows that stand in a table's metadata while no feature has writers obey them."""

from collections.abc import Iterator

from deltactl.changes.draft import Draft
from deltactl.spec.constraints import rules
from deltactl.spec.constraints.rules import FEATURES, row_rules
from deltactl.spec.keys import (
    COLUMN_MAPPING_FEATURE,
    COLUMN_MAPPING_ID,
    COLUMN_MAPPING_MODE,
    COLUMN_MAPPING_PHYSICAL_NAME,
    IDENTITY_COLUMNS_FEATURE,
    INVARIANTS_FEATURE,
)
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import walk

_MAPPING_KEYS = {COLUMN_MAPPING_ID, COLUMN_MAPPING_PHYSICAL_NAME}


def refuse_dormant_rules(draft: Draft) -> None:
    """Refuse a feature that would wake rules up: existing rows may break them.

    To be called when the draft's protocol and schema are what they are to be.
    """
    new = set(draft.features - supported(draft.base.protocol))
    was, now = (column_mapping.mode(c) for c in (draft.base.configuration, draft.configuration))
    if was == "none" != now:
        new.add(COLUMN_MAPPING_FEATURE)
    for feature, what in _dormant(draft):
        if feature in new:
            draft.refuse(
                "DORMANT_RULE",
                f"with the feature {feature} {what} would come into force, which rows were never "
                "checked for",
                "Spark checks the rows where the rule is taken away and added again",
            )


def _dormant(draft: Draft) -> Iterator[tuple[str, str]]:
    base = draft.base
    assert base.schema is not None
    for rule in row_rules(base.schema, base.configuration):
        yield FEATURES[rule.kind], f"the {rule.kind} rule {rule.name} ({rule.expression})"
    for node in walk(base.schema):
        if node.is_field and not node.nullable:
            yield INVARIANTS_FEATURE, f"NOT NULL on {node}"
        if node.is_field and rules.identity(node.field) is not None:
            yield IDENTITY_COLUMNS_FEATURE, f"the identity column {node}"
    if (mode := column_mapping.mode(base.configuration)) != "none":
        yield COLUMN_MAPPING_FEATURE, f"{COLUMN_MAPPING_MODE} = {mode}"
    elif any(_MAPPING_KEYS & set(node.field.metadata) for node in walk(base.schema)):
        yield COLUMN_MAPPING_FEATURE, "ids and physical names that columns have already"
