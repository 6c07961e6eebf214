"""What a table's schema is, was, and would become."""
