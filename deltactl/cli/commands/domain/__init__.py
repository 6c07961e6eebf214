"""List, set and unset metadata domains (application-owned metadata)."""

SECTION = "Change"
DEFAULT = "list"
