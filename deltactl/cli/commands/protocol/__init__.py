"""Show which clients can open a table, and change its protocol."""

SECTION = "Inspect"
DEFAULT = "show"
