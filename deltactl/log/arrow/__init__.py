"""Types, values and tables of Arrow."""
