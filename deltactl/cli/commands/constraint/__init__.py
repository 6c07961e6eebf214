"""List, add and drop the conditions that every row of a table must satisfy."""

SECTION = "Change"
DEFAULT = "list"
