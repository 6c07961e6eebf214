"""The process: its streams, its signals, its messages, and its exit code."""
