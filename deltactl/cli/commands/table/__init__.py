"""Set the name and the description of a table in its metadata."""

SECTION = "Change"
RENAMED = {"rename": "set-name"}
