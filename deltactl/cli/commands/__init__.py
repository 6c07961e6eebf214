"""One file a command, found by name, imported when called; a folder is a group of commands."""
