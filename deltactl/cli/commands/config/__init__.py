"""Show the settings and where they come from; trust those of a project file."""

SECTION = "Set up"
