"""`column drop`: columns and fields that readers no longer see; files keep what they hold."""

from collections.abc import Collection
from dataclasses import dataclass

from deltactl.changes.column_operations import DROP, RecordedOperation
from deltactl.changes.draft import Draft
from deltactl.operations.columns import verbs
from deltactl.operations.columns.add import in_map_key
from deltactl.operations.columns.warnings import warn_of_lost_names
from deltactl.operations.table_features.clustering import clustering_columns
from deltactl.spec.constraints.rules import RowRule, RuleKind
from deltactl.spec.keys import CLUSTERING_FEATURE, DATA_SKIPPING_COLUMNS
from deltactl.spec.properties import column_lists
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.edit import without_field
from deltactl.spec.schema.schema import Node, Path, format_path, parse_path
from deltactl.text.hints import Command, Words

GONE = "--if-exists skips a missing column"


@dataclass(frozen=True, kw_only=True)
class DropColumns:
    """`drop COLUMN...`."""

    columns: tuple[str, ...]
    if_exists: bool = False
    enable: bool = False

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        nodes = self._nodes(draft)
        if not nodes:
            return None
        verbs.needs_mapping(draft, "dropped", enabling=enabling or self.enable)
        paths = {node.path for node in nodes}
        for node in nodes:
            verbs.check_lengths(draft, node.path)
            refuse_rules(draft, node, paths)
            _check_clustering(draft, node)
            if verbs.is_partition(draft, node.path):
                draft.refuse(
                    "PARTITION_COLUMN",
                    f"the table is partitioned by {node}, which therefore cannot be dropped",
                    "only a rewrite of the whole table gives it other partitions",
                )
            if verbs.is_in_map_key(draft, node.path):
                draft.refuse(*in_map_key(node.path))
        for node in nodes:
            _drop(draft, node)
        warn_of_lost_names(draft, "allowSourceColumnDrop")
        draft.undo_with_restore()
        return RecordedOperation(DROP, {"columns": [str(node) for node in nodes]})

    def _nodes(self, draft: Draft) -> list[Node]:
        """Return the columns to drop; refuse missing ones, or skip them with `if_exists`."""
        nodes: dict[Path, Node] = {}
        around: dict[Path, Node] = {}  # Each node by all that it is in, too.
        for column in self.columns:
            if self.if_exists and _is_missing(draft, column):
                continue
            node = verbs.find_field(draft, column, or_else=GONE)
            if node is None:
                continue
            above = [node.path[:end] for end in range(1, len(node.path) + 1)]
            other = around.get(node.path) or next(filter(None, map(nodes.get, above)), None)
            if other is not None:
                draft.refuse(
                    "COLUMN_NAMED_TWICE",
                    f"{node} and {other} are named: one drop takes both",
                    "name each column once, and nothing below it",
                )
                continue
            nodes[node.path] = node
            for path in above:
                around.setdefault(path, node)
        return list(nodes.values())


def _is_missing(draft: Draft, column: str) -> bool:
    with draft.refusing():
        return not verbs.is_there(draft, parse_path(column))
    return True


def refuse_rules(
    draft: Draft, node: Node, dropped: Collection[Path] = (), *, new: str | None = None
) -> None:
    """Refuse a column that a rule for rows uses, unless the rule is dropped with its own.

    `new` is the name that the column is to have, None if it is to go.
    """
    for rule in draft.rules.perhaps_naming(node.path):
        if rule.kind is not RuleKind.CHECK:
            owner = parse_path(rule.name)
            if any(owner[:end] in dropped for end in range(1, len(owner) + 1)):
                continue
        draft.refuse(
            f"{rule.kind.upper()}_DEPENDS_ON_COLUMN",
            f"{node} is used by the {rule.kind.noun} {rule.name}: {rule.expression}",
            _way_out(rule, new),
        )


def _way_out(rule: RowRule, new: str | None) -> str | Words | None:
    """Return what to do about a rule that uses a column that is dropped, or renamed to `new`."""
    match rule.kind:
        case RuleKind.CHECK:
            drop = Command("constraint drop", rule.name)
            return drop if new is None else drop + f"; after the rename add it again, with {new}"
        case RuleKind.GENERATED if new is None:
            return f"drop the column {rule.name} as well"
        case RuleKind.GENERATED:
            return (
                f"only without {rule.name} it can be renamed: "
                + Command("column drop", rule.name)
                + "; no command makes a generated column again"
            )
    return None


def _check_clustering(draft: Draft, node: Node) -> None:
    if CLUSTERING_FEATURE not in draft.features:
        return
    own = column_mapping.physical_path(draft.schema, node)
    for column in clustering_columns(draft) or ():
        if column[: len(own)] == own:
            draft.refuse(
                "CLUSTERING_COLUMN",
                f"the table is clustered by {node}, which therefore cannot be dropped",
                "cluster it by other columns first: "
                + Command("protocol enable", CLUSTERING_FEATURE, "--columns", "a,b"),
            )


def _drop(draft: Draft, node: Node) -> None:
    fields = verbs.struct_at(draft, node.path[:-1]).fields
    if len(fields) == 1:
        whole = format_path(node.path[:-1]) if node.path[1:] else "the table"
        draft.refuse(
            "LAST_COLUMN",
            f"{node} is the last column of {whole}, which cannot be without any",
            f"drop {whole} itself" if node.path[1:] else None,
        )
        return
    left = (field.name for field in fields if field.name != node.path[-1])
    if len(node.path) == 1 and all(verbs.is_partition(draft, (name,)) for name in left):
        draft.refuse(
            "LAST_COLUMN",
            f"{node} is the last column that files hold: partition columns alone are not a table",
        )
        return
    draft.schema = without_field(draft.schema, node.path)
    if (listed := draft.configuration.get(DATA_SKIPPING_COLUMNS)) is not None:
        with draft.refusing():
            kept = column_lists.after_drop(listed, node.path)
            if kept:
                draft.configuration[DATA_SKIPPING_COLUMNS] = kept
            else:
                # An empty list would not be read as one.
                del draft.configuration[DATA_SKIPPING_COLUMNS]
