"""A table's domains of metadata."""
