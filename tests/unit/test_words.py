"""No text that a person reads uses the words that say nothing to most readers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltactl.cli.reference import contexts
from deltactl.explanations import FOLDER

REPOSITORY = Path(__file__).parent.parent.parent
PACKAGE = REPOSITORY / "deltactl"

BANNED = {
    "speak of": r"\b(?:speaks?|spoke|spoken) of\b",
    "in the way": r"\b(?:stands?|stood|standing) in the way\b",
    "go on": r"\b(?:go|goes|going|went) on\b",
    "is none": r"\b(?:is|are) none\b",
    "anew": r"\banew\b",
    "by now": r"\bby now\b",
    "nobody": r"\b[Nn]obody\b",
    "such as it has": r"\bsuch as (?:it|they) ha(?:s|ve)\b",
    "that is there": r"\bthat (?:is|are) there\b",
    "leave to": r"\bleave to\b",
    "a matter of": r"\ba matter of\b",
    "comes to be": r"\bcomes? to be\b",
    "without a word": r"\bwithout a word\b",
    "in vain": r"\bin vain\b",
    "so many": r"\b[Ss]o many\b",
    "to the letter": r"\bto the letter\b",
    "beside it": r"\bbeside it\b",
    # "takes" for needs: what a write or an option accepts is said to take it, too.
    "takes": r"\btakes? (?:Spark|Java|two (?:commits|runs)|(?:Python )?packages)\b"
    r"|\bSpark takes?\b(?= *[:,.])",
}
PATTERNS = {words: re.compile(pattern) for words, pattern in BANNED.items()}


def found_in(text: str) -> list[str]:
    plain = " ".join(text.split())
    return [words for words, pattern in PATTERNS.items() if pattern.search(plain)]


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the docstrings, messages and hints of a module; an f-string as one text."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The constraint speaks of it", ["speak of"]),
        ("what stands\n    in the way", ["in the way"]),
        ("None if there is none", ["is none"]),
        ("None where it is None", []),
        ("so many files that are there", ["that is there", "so many"]),
        ("the feature goes only with its history", []),
        ("a backfill takes two commits", ["takes"]),
        ("install what Spark takes: jars", ["takes"]),
        ("the table takes this data", []),
    ],
)
def test_what_is_found(text: str, expected: list[str]) -> None:
    assert found_in(text) == expected


def test_the_code() -> None:
    modules = sorted(PACKAGE.rglob("*.py"))
    assert len(modules) > 40
    wrong = [
        f"{path.relative_to(REPOSITORY)}:{line}: {words}"
        for path in modules
        for line, text in strings(path)
        for words in found_in(text)
    ]
    assert wrong == []


def test_the_documents() -> None:
    explained = sorted(FOLDER.glob("*.md"))
    assert len(explained) > 10
    schemas = sorted((PACKAGE / "cli" / "schemas").glob("*.json"))
    assert len(schemas) > 10
    paths = [*explained, *schemas, REPOSITORY / "README.md", REPOSITORY / "SECURITY.md"]
    wrong = [(path.name, found_in(path.read_text(encoding="utf-8"))) for path in paths]
    assert [(name, words) for name, words in wrong if words] == []


def test_the_help() -> None:
    helps = {" ".join(ctx.command_path.split()): ctx.get_help() for ctx in contexts()}
    assert len(helps) > 20
    assert {name: words for name, text in helps.items() if (words := found_in(text))} == {}
