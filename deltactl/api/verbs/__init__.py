"""The changes of a table, one module a group: what each takes, and what plans it."""
