"""Checks of checkpoints, and of the hint that names the newest."""
