"""Add, drop, rename and describe columns, without touching a data file."""

SECTION = "Change"
