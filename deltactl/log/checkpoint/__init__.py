"""Checkpoints: their columns and rows, and the hint that names the newest."""
