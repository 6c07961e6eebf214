"""Which columns have bounds in statistics, and which of them may be those of floats."""

from collections.abc import Sequence

from deltactl.spec.schema.schema import Node, steps
from deltactl.spec.schema.type_changes import changes_of
from deltactl.spec.schema.types import DOUBLE, FLOAT, Struct


def has_bounds(schema: Struct, node: Node, partition_columns: Sequence[str]) -> bool:
    """Return whether statistics can bound the column: not in arrays, maps, or partitions."""
    above = (step.type for step in steps(schema, node.path[:-1]))
    if not all(isinstance(data_type, Struct) for data_type in above):
        return False
    return len(node.path) > 1 or node.path[0] not in partition_columns


def was_float(node: Node) -> bool:
    """Return whether a column that is double now may be float in files."""
    return node.type == DOUBLE and any(c.from_type == FLOAT.name for c in changes_of(node))
