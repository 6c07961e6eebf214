"""What the rows of a table must satisfy: rules, and the conditions in them."""
