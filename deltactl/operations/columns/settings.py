"""`column comment|set-default|drop-default`: what a column has beside its type."""

from dataclasses import dataclass

from deltactl.changes.column_operations import RecordedOperation, changed
from deltactl.changes.draft import Draft
from deltactl.operations.columns import verbs
from deltactl.operations.columns.add import require_default
from deltactl.spec.constraints import rules
from deltactl.spec.keys import COMMENT, CURRENT_DEFAULT
from deltactl.spec.schema.edit import with_field
from deltactl.spec.schema.schema import Node
from deltactl.spec.schema.type_names import Typed


@dataclass(frozen=True, kw_only=True)
class CommentColumn:
    """`comment COLUMN TEXT`; an empty text removes the comment."""

    column: str
    text: str

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        node = verbs.find_field(draft, self.column)
        if node is None:
            return None
        old = node.field.metadata.get(COMMENT)
        if (old or "") == self.text:
            return None
        draft.undo_with(verbs.command("comment", str(node), str(old or "")))
        return _with(draft, node, COMMENT, self.text or None)


@dataclass(frozen=True, kw_only=True)
class SetDefault:
    """`set-default COLUMN EXPRESSION`."""

    column: str
    expression: str
    enable: bool = False

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        node = verbs.find_field(draft, self.column)
        if node is None:
            return None
        text, old = self.expression.strip(), node.field.metadata.get(CURRENT_DEFAULT)
        if old == text:
            return None
        typed = Typed(node.type, verbs.limit_of(node.field))
        require_default(draft, node.path, text, typed, enabling=enabling or self.enable)
        own = "generated" if rules.generation(node.field) else None
        own = "an identity column" if rules.identity(node.field) else own
        if own:
            draft.refuse("DEFAULT_OF_COMPUTED", f"{node} is {own}: engines make its values")
        _undo_default(draft, node, old)
        return _with(draft, node, CURRENT_DEFAULT, text)


@dataclass(frozen=True, kw_only=True)
class DropDefault:
    """`drop-default COLUMN`."""

    column: str

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        node = verbs.find_field(draft, self.column)
        if node is None or CURRENT_DEFAULT not in node.field.metadata:
            return None
        _undo_default(draft, node, node.field.metadata[CURRENT_DEFAULT])
        return _with(draft, node, CURRENT_DEFAULT, None)


def _with(draft: Draft, node: Node, key: str, value: str | None) -> RecordedOperation:
    field = verbs.with_metadata(node.field, key, value)
    draft.schema = with_field(draft.schema, node.path, lambda _: field)
    return changed(node.path, field)


def _undo_default(draft: Draft, node: Node, old: object) -> None:
    if old is None:
        draft.undo_with(verbs.command("drop-default", str(node)))
    else:
        draft.undo_with(verbs.command("set-default", str(node), str(old)))
