"""A table's protocol, and the table features in it."""
