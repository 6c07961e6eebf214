"""List, add, drop, rename and describe columns."""

SECTION = "Change"
DEFAULT = "list"
