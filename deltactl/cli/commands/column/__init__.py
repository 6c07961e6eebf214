"""List, add, drop, rename and alter columns."""

SECTION = "Change"
DEFAULT = "list"
