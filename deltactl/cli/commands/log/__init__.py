"""List log files, or print the actions of one."""

SECTION = "Inspect"
DEFAULT = "list"
DOCUMENT = "log"
