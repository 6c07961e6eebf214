"""What the protocol says, and nothing else: values in, values out; no I/O, no clock."""
