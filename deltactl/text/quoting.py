"""Words of a command as a person types them in a shell."""

import shlex

# What a shell does not take as it stands between double quotation marks.
_SPECIAL = frozenset('"$`\\!')


def quoted(text: str) -> str:
    """The text as one word; in double quotation marks where it has single ones, and may be so."""
    if "'" in text and _SPECIAL.isdisjoint(text):
        return f'"{text}"'
    return shlex.quote(text)
