"""Checkpoints in a store: read, compared and written."""
