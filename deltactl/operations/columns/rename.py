"""`column rename`: another name for a column or field, which files do not know of."""

from dataclasses import dataclass, replace

from deltactl.changes.column_operations import RENAME, RecordedOperation
from deltactl.changes.draft import Draft
from deltactl.errors import RefusedError
from deltactl.operations.columns import verbs
from deltactl.operations.columns.add import check_name
from deltactl.operations.columns.drop import GONE, refuse_rules
from deltactl.operations.columns.warnings import warn_of_lost_names
from deltactl.spec.keys import DATA_SKIPPING_COLUMNS
from deltactl.spec.properties import column_lists
from deltactl.spec.schema.edit import with_field
from deltactl.spec.schema.schema import Node, Path, format_path, parse_path


@dataclass(frozen=True, kw_only=True)
class RenameColumn:
    """`rename COLUMN NEW`: `new` is the new name alone."""

    column: str
    new: str
    if_exists: bool = False
    enable: bool = False

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        name = self._name(draft)
        if self._is_missing(draft, name):
            return None
        node = verbs.find_field(draft, self.column, or_else=GONE)
        if node is None or name is None or node.path[-1] == name:
            return None
        verbs.needs_mapping(draft, "renamed", enabling=enabling or self.enable)
        self._check_free(draft, node, name)
        check_name(draft, name, is_top=len(node.path) == 1, enabling=False)
        verbs.check_lengths(draft, node.path)
        refuse_rules(draft, node, new=format_path((name,)))
        new = (*node.path[:-1], name)
        _rename(draft, node, new)
        warn_of_lost_names(draft, "allowSourceColumnRename")
        back = format_path(new), format_path((node.path[-1],))
        draft.undo_with(verbs.command("rename", *back))
        paths = {"oldColumnPath": format_path(node.path), "newColumnPath": format_path(new)}
        return RecordedOperation(RENAME, paths)

    def _name(self, draft: Draft) -> str | None:
        with draft.refusing():
            names = parse_path(self.new)
            if len(names) == 1:
                return names[0]
            raise RefusedError(
                "NOT_A_NAME",
                f"{self.new!r} is a path: a rename gives a column another name, in its place",
                hint="write the new name alone; backticks round a name that has a dot: `a.b`",
            )
        return None

    def _is_missing(self, draft: Draft, name: str | None) -> bool:
        """Return whether there is nothing to rename: it is missing, or was renamed before."""
        with draft.refusing():
            path = parse_path(self.column)
            if verbs.is_there(draft, path):
                return False
            if self.if_exists:
                return True
            if name is not None and verbs.is_there(draft, (*path[:-1], name)):
                draft.refuse(
                    "COLUMN_NOT_FOUND",
                    f"no column {format_path(path)}, but there is "
                    f"{format_path((*path[:-1], name))}: was it renamed before?",
                    GONE,
                    is_missing=True,
                )
                return True
            return False
        return True

    def _check_free(self, draft: Draft, node: Node, name: str) -> None:
        other = verbs.struct_at(draft, node.path[:-1]).named(name)
        if other is None:
            return
        if other.name == node.path[-1]:
            said = f"{node} would get a name that differs only in case, which engines do not take"
        else:
            said = f"there is {format_path((*node.path[:-1], other.name))} already"
            if other.name != name:
                said += ": names that differ only in case are one name"
        draft.refuse("COLUMN_EXISTS", said, "take another name")


def _rename(draft: Draft, node: Node, new: Path) -> None:
    known = verbs.struct_at(draft, new[:-1]).named(new[-1])
    if known is not None and known.name == new[-1]:
        return
    draft.schema = with_field(draft.schema, node.path, lambda f: replace(f, name=new[-1]))
    if len(new) == 1:
        draft.partition_columns = tuple(
            new[0] if column.casefold() == node.path[0].casefold() else column
            for column in draft.partition_columns
        )
    if (listed := draft.configuration.get(DATA_SKIPPING_COLUMNS)) is not None:
        with draft.refusing():
            draft.configuration[DATA_SKIPPING_COLUMNS] = column_lists.after_rename(
                listed, node.path, new
            )
