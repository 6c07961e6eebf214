"""Show, compare, check and export the schema of a table."""

SECTION = "Inspect"
DEFAULT = "show"
