"""Add, drop, rename and describe columns."""

SECTION = "Change"
DEFAULT = "list"

# What people type that is not a command, and what does it or comes near.
INSTEAD = {
    "set-type": "deltactl widen TABLE COLUMN TYPE",
}
