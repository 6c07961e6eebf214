"""Show what a table demands of its clients."""

SECTION = "Inspect"
