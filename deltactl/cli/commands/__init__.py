"""One file a command, found by name, imported when called; a folder is a group of commands."""

# What users of Delta type for these commands.
ALIASES = {
    "describe": "show",
    "verify": "verify-checksum",
}
