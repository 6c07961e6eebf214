"""Commits in a store: the claim of a version, and the files around it."""
