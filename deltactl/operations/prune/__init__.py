"""Type changes that no file needs any more."""
