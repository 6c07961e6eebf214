"""What to know before a column is widened, though nothing forbids it."""

from collections.abc import Sequence

from deltactl.changes.draft import Draft
from deltactl.operations.widen.float_columns import has_bounds
from deltactl.spec.keys import ENABLE_CHANGE_DATA_FEED, is_enabled
from deltactl.spec.schema.schema import Node, find, format_path
from deltactl.spec.schema.types import DATE, FLOAT, DataType, Decimal, Struct


def warn_of_widening(
    draft: Draft, before: Struct, nodes: Sequence[Node], *, fixes_bounds: bool
) -> None:
    """Say which readers stop, which ranges break, and where old statistics mislead.

    `nodes` are of the schema `before` the change; `fixes_bounds` where statistics are put right.
    """
    if not nodes:
        return
    draft.warn(
        "STREAMS_RESTART",
        "streams that read the table stop at the change: restart them; one with a schema tracking "
        "log first needs allowSourceColumnTypeChange",
    )
    if is_enabled(draft.configuration, ENABLE_CHANGE_DATA_FEED):
        draft.warn(
            "CHANGE_FEED_RANGE",
            f"the change data feed can no longer be read from before version {draft.version}: read "
            "first what is still needed, and begin later ranges there",
        )
    partitions = {name.casefold() for name in draft.partition_columns}
    for node in nodes:
        now = find(draft.schema, node.path).type
        is_partition = len(node.path) == 1 and node.path[0].casefold() in partitions
        if is_partition and node.type == DATE:
            draft.warn(
                "PARTITION_DATE",
                f"{node} is a partition column: delta-rs cannot open the table while files keep "
                "its dates as they are written now",
            )
        if is_partition and _gains_scale(node.type, now):
            draft.warn(
                "PARTITION_SCALE",
                f"{node} is a partition column: delta-rs cannot open the table while files keep "
                f"its values with fewer digits behind the point than {now} has",
            )
        bounded = has_bounds(before, node, draft.partition_columns)
        if node.type == FLOAT and bounded and not fixes_bounds:
            name = format_path(node.path)
            draft.warn(
                "FLOAT_STATISTICS",
                f"the statistics of {name} keep floats as short texts, which Spark then reads as "
                f"{now}: filters on {name} can miss rows of old files until these are corrected "
                "(--fix-stats)",
            )


def _gains_scale(old: DataType, new: DataType) -> bool:
    return isinstance(new, Decimal) and new.scale > (old.scale if isinstance(old, Decimal) else 0)
