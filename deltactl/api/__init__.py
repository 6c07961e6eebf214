"""The public API: a table as an object, for programs, notebooks, and the command line."""
