"""Set, unset and list the properties of a table."""

SECTION = "Change"
DEFAULT = "list"
