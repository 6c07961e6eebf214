"""Settings, the files that hold them, and which of these the user trusts."""
