"""The table that `deltactl demo` makes."""
