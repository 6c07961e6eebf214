"""Settings of stores: their names, their values, and credentials."""
