"""What can be done to a table: one file an operation; each returns a Report or a Plan."""
