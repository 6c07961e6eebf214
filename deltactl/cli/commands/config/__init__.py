"""Show settings and their origin; trust a project file."""

SECTION = "Set up"
