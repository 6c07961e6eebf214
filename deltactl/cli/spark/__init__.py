"""Spark as commands use it: options, jobs, progress."""
