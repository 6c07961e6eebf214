"""How the log says it: bytes and Arrow in, model values out; no I/O, no clock, no terminal."""
