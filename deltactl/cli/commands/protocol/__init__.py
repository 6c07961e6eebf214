"""Show which clients can open a table, and alter its protocol."""

SECTION = "Inspect"
DEFAULT = "show"
