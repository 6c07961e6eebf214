"""Settings of a session: for Delta, for the table, and for its store."""
