"""The only I/O on tables: one protocol, one implementation a kind of store."""
