"""Hints name a table by the word TABLE where they are written, and as it was typed when told."""

import re

from deltactl.model.shell_words import quoted

_TABLE = re.compile(r"(deltactl(?: [a-z-]+)+ )TABLE\b")


def naming_table(text: str, table: str) -> str:
    """The text, in whose commands the table stands for the word TABLE."""
    return _TABLE.sub(lambda found: f"{found[1]}{quoted(table)}", text)
