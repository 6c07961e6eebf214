"""Commands that only look: show, history, files, log and tables."""
