"""Statistics and partition values: texts, values, and the way between them."""
