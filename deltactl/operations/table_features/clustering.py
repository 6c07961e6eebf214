"""Clustering: the columns by whose values files are laid out, kept in a domain of the table."""

from collections.abc import Sequence

from deltactl.changes.draft import Draft, as_text
from deltactl.spec.actions.action import DomainMetadata
from deltactl.spec.keys import CLUSTERING_DOMAIN, DATA_SKIPPING_COLUMN_COUNT, DATA_SKIPPING_COLUMNS
from deltactl.spec.properties.indexed_columns import has_bounds, has_statistics
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.clustering import physical_columns
from deltactl.spec.schema.schema import Node, Path, find, steps
from deltactl.spec.schema.types import short_name
from deltactl.text.hints import Sql

MOST = 4


def clustering_columns(draft: Draft) -> tuple[Path, ...] | None:
    """Return the clustering columns by physical name; None if the table has no clustering."""
    domain = draft.domain(CLUSTERING_DOMAIN)
    if domain is None:
        return None
    columns = physical_columns(domain.configuration)
    if columns is None:
        draft.refuse(
            "CLUSTERING_UNREADABLE",
            f"the domain {CLUSTERING_DOMAIN} does not name columns: {domain.configuration}",
            Sql("ALTER TABLE", "CLUSTER BY") + " in Spark writes it again",
        )
    return columns


def cluster_by(draft: Draft, columns: Sequence[Path]) -> None:
    """Have the table clustered by the columns, in this order, instead of those until now."""
    if draft.partition_columns:
        draft.refuse(
            "PARTITIONED_TABLE",
            f"the table is partitioned by {', '.join(draft.partition_columns)}: "
            "it cannot be clustered as well",
        )
    if len(columns) > MOST:
        draft.refuse(
            "TOO_MANY_CLUSTERING_COLUMNS",
            f"a table has at most {MOST} clustering columns, not {len(columns)}",
        )
    nodes: list[Node] = []
    for column in columns:
        with draft.refusing():
            nodes.append(find(draft.schema, column))
    for place, node in enumerate(nodes):
        _check(draft, node)
        if node.path in [other.path for other in nodes[:place]]:
            draft.refuse("COLUMN_NAMED_TWICE", f"{node} is named twice", "name each column once")
    physical = [list(column_mapping.physical_path(draft.schema, node)) for node in nodes]
    old = clustering_columns(draft)
    if len(nodes) < len(columns):
        return
    if old is not None and [list(path) for path in old] == physical:
        return
    text = as_text({"clusteringColumns": physical, "domainName": CLUSTERING_DOMAIN})
    draft.set_domain(DomainMetadata(domain=CLUSTERING_DOMAIN, configuration=text))
    draft.warn(
        "FILES_NOT_CLUSTERED_YET",
        "files stay as they are laid out until OPTIMIZE clusters them, which Spark does",
    )


def _check(draft: Draft, node: Node) -> None:
    above = steps(draft.schema, node.path)
    if not all(step.is_field for step in above):
        draft.refuse(
            "NOT_A_CLUSTERING_COLUMN",
            f"{node} is inside an array or a map: files have no statistics of it",
        )
    elif not has_bounds(node.type):
        draft.refuse(
            "NOT_A_CLUSTERING_COLUMN",
            f"{node} is {short_name(node.type)}: files keep no least and greatest value of it",
            "numbers, strings, dates and timestamps can be clustering columns",
        )
    elif not has_statistics(node.path, draft.schema, draft.configuration, draft.partition_columns):
        draft.refuse(
            "NO_STATISTICS",
            f"files have no statistics of {node}, which clustering needs",
            f"{DATA_SKIPPING_COLUMNS} names the columns that have them; without it the first "
            f"{DATA_SKIPPING_COLUMN_COUNT} ones do",
        )
