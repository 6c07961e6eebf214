"""Hints name a table by the word TABLE where they are written, and as it was typed when told."""

import re

from deltactl.text.quoting import quoted

_TABLE = re.compile(r"(deltactl(?: [a-z-]+)+ )TABLE\b")


def words_of(name: str, profile: str | None = None) -> str:
    """Return the words of a command that name a table, and the profile by which it is reached."""
    return f"{quoted(name)} --profile {quoted(profile)}" if profile else quoted(name)


def naming_table(text: str, words: str) -> str:
    """Return the text, in whose commands these words, of `words_of`, stand for the word TABLE."""
    return _TABLE.sub(lambda found: f"{found[1]}{words}", text)
