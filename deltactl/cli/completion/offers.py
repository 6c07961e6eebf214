"""What all completions are made of."""

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from deltactl.cli.render.visible import visible


def typed_table(ctx: click.Context) -> str | None:
    """Return the table that was typed before."""
    # Behind an option that still waits for its value, click has not told the arguments apart.
    table: str | None = ctx.params.get("table") or next(iter(ctx.args), None)
    return table


def starting(prefix: str, words: Iterable[tuple[str, str | None]]) -> list[CompletionItem]:
    """Return the words with that prefix, but none that has a control character in it."""
    folded = prefix.casefold()
    return [
        CompletionItem(word, help=about and visible(about))
        for word, about in words
        if (word.casefold().startswith(folded) or word.casefold().lstrip("`").startswith(folded))
        and word == visible(word)
    ]
