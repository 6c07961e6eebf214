"""The terminal: arguments in, reports out, failures as exit codes."""
