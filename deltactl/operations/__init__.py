"""What can be done to a table, by subject; each operation returns a Report or a Plan."""
