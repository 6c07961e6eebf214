"""List the files of a table's log, or print the actions of one."""

SECTION = "Inspect"
DEFAULT = "list"
DOCUMENT = "log"
