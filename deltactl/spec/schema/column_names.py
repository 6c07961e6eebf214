"""Which names a column may not have, and why."""

from collections.abc import Iterator, Mapping

from deltactl.errors import Notice
from deltactl.spec.keys import ENABLE_CHANGE_DATA_FEED, MATERIALIZED_ROW_COLUMNS, is_enabled
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import format_path

# Parquet files cannot hold columns with these in their names.
_BAD = " ,;{}()\n\t="
_OF_THE_FEED = frozenset({"_change_type", "_commit_version", "_commit_timestamp"})
# Engines add columns of these names while they read.
_INTERNAL = frozenset(
    {
        "__delta_internal_is_row_deleted", "__delta_internal_row_index", "__is_cdc",
        "_tmp_metadata_row_index",
    }
)  # fmt: skip


def faults(name: str, configuration: Mapping[str, str], *, is_top: bool) -> Iterator[Notice]:
    """Yield what is wrong with the name of a new or renamed column.

    `is_top`: it is a column of the table, and no field of a struct.
    """
    said = format_path((name,))
    mapped = column_mapping.mode(configuration) != "none"
    folded = name.casefold()
    if not mapped and (bad := sorted(set(name) & set(_BAD))):
        which = ", ".join(map(repr, bad))
        yield Notice(
            "COLUMN_NAME_NEEDS_MAPPING",
            f"the name {said} has {which}, which files can hold only with column mapping",
        )
    if not is_top:
        return
    feed = is_enabled(configuration, ENABLE_CHANGE_DATA_FEED)
    if folded in _INTERNAL or (folded in _OF_THE_FEED and (feed or mapped)):
        why = "the change data feed" if folded in _OF_THE_FEED else "what engines add while reading"
        yield Notice("RESERVED_COLUMN_NAME", f"the name {said} is reserved for {why}")
    for key in MATERIALIZED_ROW_COLUMNS:
        if folded == configuration.get(key, "").casefold():
            yield Notice(
                "RESERVED_COLUMN_NAME",
                f"the name {said} is that under which files keep row tracking ({key})",
            )
