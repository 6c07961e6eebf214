"""The rows that a table has, against what a change demands of them."""
