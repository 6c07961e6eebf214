"""Add, drop, rename and describe columns, without touching a data file."""

SECTION = "Change"

# What people type that is no command, and what does it or comes near.
INSTEAD = {
    "set-type": "deltactl widen TABLE COLUMN TYPE",
}
