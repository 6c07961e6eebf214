"""Plans in files: one program plans, another one applies."""
