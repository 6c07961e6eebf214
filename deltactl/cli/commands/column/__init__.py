"""Add, drop, rename and describe columns, without touching a data file."""

SECTION = "Change"

# What people type that is no command, and what does it or comes near.
INSTEAD = {
    "set-not-null": "no command sets NOT NULL on a column that is there; this has the same effect: "
    'deltactl constraint add TABLE NAME "COLUMN IS NOT NULL"',
    "set-type": "deltactl widen TABLE COLUMN TYPE",
}
