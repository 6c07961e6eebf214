"""Table properties: keys, values, and the lists of columns in them."""
