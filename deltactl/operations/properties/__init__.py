"""A table's properties."""
