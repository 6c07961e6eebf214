"""A table's CHECK constraints."""
