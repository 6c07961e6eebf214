"""Schemas: types, columns, what changes of them are allowed, and what differs."""
