"""`table comment|rename`: the name and the description that a table's metadata hold."""

from deltactl.changes.draft import Draft, as_text
from deltactl.changes.plan import ChangePlan
from deltactl.text.hints import Command

# What the engines that limit them at all allow.
LONGEST_NAME, LONGEST_COMMENT = 255, 4000


def plan_table_comment(draft: Draft, text: str) -> ChangePlan:
    """Plan another description; an empty one removes it."""
    _check_length(draft, "comment", text, LONGEST_COMMENT)
    if (draft.description or "") != text:
        draft.undo_with(Command("table comment", draft.description or ""))
        draft.description = text or None
    return draft.plan("SET TBLPROPERTIES", {"properties": as_text({"comment": text})})


def plan_table_rename(draft: Draft, name: str) -> ChangePlan:
    """Plan another name in the metadata; an empty one removes it. Folder and catalog stay."""
    _check_length(draft, "name", name, LONGEST_NAME)
    if (draft.name or "") != name:
        draft.undo_with(Command("table set-name", draft.name or ""))
        draft.warn(
            "NAME_IN_METADATA_ONLY",
            "only the name in the metadata changes: the folder, and a catalog that knows the "
            "table, keep theirs",
        )
        draft.name = name or None
    told = {"name": name or None, "description": None}
    return draft.plan("UPDATE TABLE METADATA", {"metadataUpdate": as_text(told)})


def _check_length(draft: Draft, what: str, text: str, most: int) -> None:
    if len(text) > most:
        draft.refuse(
            "TEXT_TOO_LONG",
            f"the {what} has {len(text):,} characters, and engines take at most {most:,}",
        )
