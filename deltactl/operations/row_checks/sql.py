"""Names in the text of a statement of Spark SQL."""

from deltactl.spec.schema.schema import Path
from deltactl.text.identifiers import backticked


def quoted_path(path: Path) -> str:
    """Return the path of fields as Spark SQL has it."""
    return ".".join(map(backticked, path))
