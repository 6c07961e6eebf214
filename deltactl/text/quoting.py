"""Words of a command as a person types them in a shell."""

import shlex

# What a shell does not take as it stands between double quotation marks.
_SPECIAL = frozenset('"$`\\!')


def quoted(text: str) -> str:
    """Return the text as one word, quoted with double marks if it has single ones."""
    if "'" in text and _SPECIAL.isdisjoint(text):
        return f'"{text}"'
    return shlex.quote(text)
