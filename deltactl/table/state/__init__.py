"""What a version holds: its live files, domains and transactions."""
