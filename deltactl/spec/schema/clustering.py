"""Clustering columns: how their domain lists them, and their names for people."""

import json
from collections.abc import Sequence

from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Path, format_path, walk
from deltactl.spec.schema.types import Struct


def physical_columns(configuration: str | None) -> tuple[Path, ...] | None:
    """Return the columns that the domain lists, by physical name; None if it lists none."""
    try:
        columns = json.loads(configuration or "")["clusteringColumns"]
        return tuple(tuple(str(name) for name in column) for column in columns)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def logical_names(schema: Struct, columns: Sequence[Path]) -> str:
    """Return the columns as the operation CLUSTER BY names them."""
    known = {
        column_mapping.physical_path(schema, node): format_path(node.path)
        for node in walk(schema)
        if node.is_field
    }
    return ",".join(known.get(column, format_path(column)) for column in columns)
