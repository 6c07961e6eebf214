"""Texts of any program: JSON, quoting, suggestions."""
