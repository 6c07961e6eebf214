"""Show and change what a table demands of its clients."""

SECTION = "Inspect"
DEFAULT = "show"
