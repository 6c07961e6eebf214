"""Set and unset metadata domains: texts that applications keep in a table."""

SECTION = "Change"
