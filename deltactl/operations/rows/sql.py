"""Names in the text of a statement of Spark SQL."""

from deltactl.model.schema import Path


def quoted_path(path: Path) -> str:
    """The path of fields as Spark SQL has it."""
    return ".".join("`" + name.replace("`", "``") + "`" for name in path)
