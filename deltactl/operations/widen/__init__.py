"""Wider types for columns."""
