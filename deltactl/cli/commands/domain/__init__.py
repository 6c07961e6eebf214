"""Set, unset and list metadata domains (application-owned metadata)."""

SECTION = "Change"
DEFAULT = "list"
