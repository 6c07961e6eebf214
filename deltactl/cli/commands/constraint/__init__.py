"""List, add and drop CHECK constraints."""

SECTION = "Change"
DEFAULT = "list"
