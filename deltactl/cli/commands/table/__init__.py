"""Describe and rename a table in its metadata."""

SECTION = "Change"
