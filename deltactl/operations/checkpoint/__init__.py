"""Checkpoints: written, and found sound."""
