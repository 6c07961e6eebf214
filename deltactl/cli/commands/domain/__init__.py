"""Set, unset and list metadata domains, the texts of applications."""

SECTION = "Change"
