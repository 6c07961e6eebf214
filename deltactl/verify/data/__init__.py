"""Checks of data files and their rows."""
