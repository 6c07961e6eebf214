"""Show the files of a table's log, or the actions of one of them."""

SECTION = "Inspect"
DEFAULT = "list"
DOCUMENT = "log"
