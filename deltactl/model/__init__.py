"""What a table is, and nothing else: values in, values out; no I/O, no clock, no terminal."""
