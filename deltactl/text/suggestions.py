"""Which known name a person may have meant."""

from collections.abc import Iterable


def nearest(word: str, names: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Return up to `limit` of `names` that look like `word`, best first; letter case is ignored."""
    # Loading difflib costs more than most commands need: few of them have a misspelt name.
    import difflib

    spelling = {name.casefold(): name for name in names}
    close = difflib.get_close_matches(word.casefold(), spelling, n=limit, cutoff=0.6)
    return tuple(spelling[name] for name in close)
