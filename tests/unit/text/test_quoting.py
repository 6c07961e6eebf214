"""Words that a person can paste into a shell."""

import shlex

import pytest

from deltactl.text.quoting import quoted


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("plain", "plain"),
        ("two words", "'two words'"),
        ("", "''"),
        ("'NL'", "\"'NL'\""),
        ("it's $HOME", "'it'\"'\"'s $HOME'"),
        ("'a' || `b`", "''\"'\"'a'\"'\"' || `b`'"),
        ("don't!", "'don'\"'\"'t!'"),
    ],
)
def test_a_word(text: str, word: str) -> None:
    assert quoted(text) == word
    assert shlex.split(word) == [text]
