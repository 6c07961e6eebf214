"""A table in a store: snapshots, history, and the claiming of versions."""
