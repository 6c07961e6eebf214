"""Set the name and description in a table's metadata."""

SECTION = "Change"
RENAMED = {"rename": "set-name"}
