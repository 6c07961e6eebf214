"""Show, set and unset the properties of a table."""

SECTION = "Change"
DEFAULT = "list"
