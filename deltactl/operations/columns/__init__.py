"""Changes of a table's columns."""
