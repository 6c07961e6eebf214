"""`column set-not-null|drop-not-null`: whether every row has a value."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Protocol

from deltactl.changes.column_operations import RecordedOperation, changed
from deltactl.changes.draft import Draft
from deltactl.operations.columns import verbs
from deltactl.operations.row_checks.row_check_result import RowCheckResult, apply_result
from deltactl.spec.constraints import rules
from deltactl.spec.keys import INVARIANTS_FEATURE
from deltactl.spec.schema.edit import with_field
from deltactl.spec.schema.schema import Node, Path, format_path, steps
from deltactl.text.hints import Command
from deltactl.text.identifiers import table_at


class NullLook(Protocol):
    """Looks for rows that have no value in a column."""

    def check(self, draft: Draft, path: Path) -> RowCheckResult: ...


class InProcess:
    """Looks for them in this process, by a module that loads pyarrow when it is needed."""

    def __init__(self) -> None:
        self._check_rows: NullLook | None = None

    def check(self, draft: Draft, path: Path) -> RowCheckResult:
        if self._check_rows is None:
            make: Callable[[], NullLook]
            make = import_module("deltactl.operations.row_checks.nulls").NullCheck
            self._check_rows = make()
        return self._check_rows.check(draft, path)


@dataclass(frozen=True, kw_only=True)
class SetNotNull:
    """`set-not-null COLUMN`, where every row has a value."""

    column: str
    enable: bool = False
    rows: NullLook = field(default_factory=InProcess, compare=False)

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        node = verbs.find_field(draft, self.column)
        if node is None or not node.nullable:
            return None
        check_not_null(
            draft,
            node.path,
            "a column can be that whose structs are: set those first",
            enabling=enabling or self.enable,
        )
        # Looking for nulls takes time: not for a change that is refused anyhow.
        if not draft.is_refused:
            self._check_rows(draft, node)
        draft.schema = with_field(draft.schema, node.path, lambda f: replace(f, nullable=False))
        draft.undo_with(verbs.command("drop-not-null", str(node)))
        return changed(node.path, replace(node.field, nullable=False))

    def _check_rows(self, draft: Draft, node: Node) -> None:
        finding = self.rows.check(draft, node.path)
        if finding.unsure is not None:
            draft.refuse(
                "SPARK_NEEDED",
                f"whether {node} has a value in every row cannot be told without Spark: "
                f"{finding.unsure}",
                Command("column set-not-null", str(node)) + ", without --engine local",
                needs_spark=True,
            )
        else:
            table = table_at(draft.base.log.storage.uri)
            apply_result(
                draft,
                finding,
                "ROWS_HAVE_NULL",
                f"{node} is NULL",
                f"give these rows a value first, in Spark SQL: UPDATE {table} "
                f"SET {node} = ... WHERE {node} IS NULL",
            )


@dataclass(frozen=True, kw_only=True)
class DropNotNull:
    """`drop-not-null COLUMN`."""

    column: str

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        node = verbs.find_field(draft, self.column)
        if node is None or node.nullable:
            return None
        if rules.identity(node.field):
            draft.refuse(
                "IDENTITY_COLUMN",
                f"{node} is an identity column: engines give every row a value for it",
            )
        if _is_nested_deep(draft, node.path):
            draft.undo_with_restore()
        else:
            draft.undo_with(
                verbs.command("set-not-null", str(node)), "that looks at every row once more"
            )
        draft.schema = with_field(draft.schema, node.path, lambda f: replace(f, nullable=True))
        return changed(node.path, replace(node.field, nullable=True))


def check_not_null(draft: Draft, path: Path, hint: str, *, enabling: bool) -> None:
    """Refuse NOT NULL for a field that some rows do not have at all."""
    verbs.needs_feature(draft, INVARIANTS_FEATURE, "NOT NULL", enabling=enabling)
    if _is_nested_deep(draft, path):
        draft.refuse(
            "NESTED_NOT_NULL",
            f"{format_path(path)} cannot be NOT NULL: what it is inside of can be null, or is "
            "there many times",
            hint,
        )


def _is_nested_deep(draft: Draft, path: Path) -> bool:
    """Return whether a row may have the field never, or often."""
    above = steps(draft.schema, path[:-1])
    return any(not node.is_field or node.nullable for node in above)
