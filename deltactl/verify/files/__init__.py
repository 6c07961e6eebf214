"""Checks of the live files, as the log lists them."""
