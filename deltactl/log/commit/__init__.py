"""Commits: their lines, their commitInfo, and what history needs of them."""
