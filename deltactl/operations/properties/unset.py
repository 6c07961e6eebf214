"""`property unset`: what engines assume if a property is not set holds again."""

from collections.abc import Iterator, Sequence

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.plan import ChangePlan
from deltactl.operations.properties.rules import refuse_switching_off
from deltactl.spec.keys import CONSTRAINT_PREFIX
from deltactl.spec.properties import registry
from deltactl.spec.properties.registry import Owner
from deltactl.text.hints import Command
from deltactl.text.suggestions import nearest


def plan_unset_properties(
    draft: Draft, keys: Sequence[str], *, if_exists: bool = False
) -> ChangePlan:
    """Plan the removal of all `keys` as one commit; with `if_exists` those that exist."""
    found = list(dict.fromkeys(_found(draft, keys, if_exists=if_exists)))
    removed = [key for key in found if _is_removable(draft, key)]
    before = draft.base.configuration
    for key in removed:
        draft.configuration.pop(key, None)
    if removed:
        draft.undo_with(Command("property set", *(f"{key}={before[key]}" for key in removed)))
    exists = "true" if if_exists else "false"
    return draft.plan("UNSET TBLPROPERTIES", {"properties": as_text(found), "ifExists": exists})


def _found(draft: Draft, keys: Sequence[str], *, if_exists: bool) -> Iterator[str]:
    """Yield the keys as the table spells them."""
    known = draft.base.configuration
    for key in keys:
        stored = registry.stored_name(known, key)
        if stored is not None:
            yield stored
        elif not if_exists:
            near = nearest(key, known)
            draft.refuse(
                "PROPERTY_NOT_FOUND",
                f"the table has no property {key}",
                f"did you mean {' or '.join(near)}?"
                if near
                else "--if-exists skips a missing property",
                is_missing=True,
            )


def _is_removable(draft: Draft, key: str) -> bool:
    row = registry.lookup(key)
    if row is None or (key != row.name and not row.is_family):
        return True  # Engines do not read it.
    if row.name == CONSTRAINT_PREFIX:
        hint = Command("constraint drop", key[len(CONSTRAINT_PREFIX) :])
        draft.refuse("CONSTRAINT_AS_PROPERTY", f"{key} is a CHECK constraint", hint)
        return False
    if row.owner is Owner.ENGINE and row.feature in draft.features:
        said = f"{key} is kept by engines themselves: {row.meaning.rstrip('.')}"
        draft.refuse("INTERNAL_PROPERTY", said, f"the table has the feature {row.feature}")
        return False
    return row.owner is not Owner.FEATURE or not refuse_switching_off(draft, row)
