"""Show the settings and where they come from."""

SECTION = "Set up"
