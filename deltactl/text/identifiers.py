"""Names as Spark SQL reads them: in backticks if they are not plain."""

import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def backticked(name: str) -> str:
    """Return the name in backticks, whatever it holds."""
    return "`" + name.replace("`", "``") + "`"


def sql_name(name: str) -> str:
    """Return the name as it stands if it is plain, else in backticks."""
    return name if _PLAIN.fullmatch(name) else backticked(name)


def table_at(uri: str) -> str:
    """Return the table in that place, as a statement names it."""
    # Spark knows S3 by the name that Hadoop has for it.
    place = f"s3a{uri[2:]}" if uri.startswith("s3://") else uri
    return f"delta.{backticked(place)}"
