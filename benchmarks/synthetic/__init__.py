"""Delta logs of any size, valid to every engine, that need no data files."""
