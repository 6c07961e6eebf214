"""`constraint drop`: rows need no longer satisfy a CHECK constraint."""

from collections.abc import Mapping

from deltactl.changes.draft import Draft
from deltactl.changes.plan import ChangePlan
from deltactl.spec.keys import CONSTRAINT_PREFIX
from deltactl.text.hints import Command
from deltactl.text.suggestions import nearest


def plan_drop_constraint(draft: Draft, name: str, *, if_exists: bool = False) -> ChangePlan:
    """Plan the removal of the constraint; the table feature stays."""
    key = stored_key(draft.configuration, name)
    if key is None:
        if not if_exists:
            known = [k[len(CONSTRAINT_PREFIX) :] for k in draft.configuration if _is_check(k)]
            near = nearest(name, known)
            gone = "--if-exists skips a missing constraint"
            draft.refuse(
                "CONSTRAINT_NOT_FOUND",
                f"the table has no constraint {name}",
                f"did you mean {' or '.join(near)}? {gone}"
                if near
                else Command("constraint list") + " lists them",
                is_missing=True,
            )
        return draft.plan("DROP CONSTRAINT", {"name": name, "existed": "false"})
    text = draft.configuration.pop(key)
    draft.undo_with(Command("constraint add", name, text))
    return draft.plan("DROP CONSTRAINT", {"name": name, "expr": text, "existed": "true"})


def stored_key(configuration: Mapping[str, str], name: str) -> str | None:
    """Return the property that holds the constraint; its name ignores case."""
    wanted = (CONSTRAINT_PREFIX + name).casefold()
    return next((key for key in configuration if key.casefold() == wanted), None)


def _is_check(key: str) -> bool:
    return key.casefold().startswith(CONSTRAINT_PREFIX)
