"""Hints keep the place of the table's name until it is known."""

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from deltactl.errors import NotFoundError
from deltactl.text.hints import Command, Hint, Option, Sql, Words, joined, naming, text_of, words_of

PACKAGE = Path(__file__).parent.parent.parent.parent / "deltactl"
DROP = Command("protocol drop", "rowTracking", "--truncate-history")
COMMENT = Command("column comment", "s.`a b`", "it's so")
RESTORE = Sql("RESTORE TABLE", "TO VERSION AS OF 3")
# Those that nobody could name: warnings are text, and this is typed in place of a command.
UNNAMED = [
    "cli/app.py: deltactl show TABLE",
    "cli/app.py: deltactl history TABLE",
    "cli/app.py: deltactl diff TABLE",
    "operations/protocol/upgrade.py: versions 3 and 7 stand for features that are listed: a table "
    "gets them with its first such feature (deltactl protocol enable TABLE FEATURE)",
    "operations/table_features/iceberg_compat.py: : REORG TABLE ... APPLY (UPGRADE "
    "UNIFORM(...)) in Spark rewrites them",
]


@pytest.mark.parametrize(
    ("said", "unnamed", "named"),
    [
        (
            DROP,
            "deltactl protocol drop TABLE rowTracking --truncate-history",
            "deltactl protocol drop 'my t' rowTracking --truncate-history",
        ),
        (
            COMMENT,
            "deltactl column comment TABLE 's.`a b`' \"it's so\"",
            "deltactl column comment 'my t' 's.`a b`' \"it's so\"",
        ),
        (
            RESTORE,
            "RESTORE TABLE ... TO VERSION AS OF 3",
            "RESTORE TABLE delta.`/my t` TO VERSION AS OF 3",
        ),
        (
            "first: " + DROP + ", or " + RESTORE + " in Spark",
            "first: deltactl protocol drop TABLE rowTracking --truncate-history, or "
            "RESTORE TABLE ... TO VERSION AS OF 3 in Spark",
            "first: deltactl protocol drop 'my t' rowTracking --truncate-history, or "
            "RESTORE TABLE delta.`/my t` TO VERSION AS OF 3 in Spark",
        ),
        (Command("history"), "deltactl history TABLE", "deltactl history 'my t'"),
        (
            "RESTORE TABLE ... or deltactl history TABLE",
            "RESTORE TABLE ... or deltactl history TABLE",
            "RESTORE TABLE ... or deltactl history TABLE",
        ),
    ],
)
def test_the_table_is_named_in_its_place(said: str | Words, unnamed: str, named: str) -> None:
    assert text_of(said) == unnamed
    assert text_of(naming(said, words_of("my t"), "delta.`/my t`")) == named


def test_a_name_that_is_known_stays() -> None:
    hint = ("or " + DROP).named("./orders")
    assert str(hint.named("./other")) == (
        "or deltactl protocol drop ./orders rowTracking --truncate-history"
    )


def test_without_a_place_a_statement_has_none() -> None:
    assert str(RESTORE.named("./orders")) == "RESTORE TABLE ... TO VERSION AS OF 3"


def test_what_is_joined() -> None:
    assert text_of(joined(", and ", ["a", DROP, "b"])) == (
        "a, and deltactl protocol drop TABLE rowTracking --truncate-history, and b"
    )
    assert joined(", ", ["a"]) == Hint("a")
    assert text_of(None) is None


def test_equal_by_what_they_say() -> None:
    assert Command("history", "--from", "3") == Command("history", "--from", "3")
    assert Command("history", "--from", "3") != Command("history", "--from 3")
    assert Command("history") != Command("history", called="./t")
    assert Command("ALTER TABLE", "x") != Sql("ALTER TABLE", "x")
    assert Hint("a ", DROP, " b") == ("a " + DROP) + " b"
    assert len({DROP, Command("protocol drop", "rowTracking", "--truncate-history")}) == 1
    assert Command("history") != "deltactl history TABLE"


def test_they_do_not_change() -> None:
    with pytest.raises(AttributeError, match="frozen"):
        DROP.name = "protocol enable"


def test_no_f_string_loses_the_place() -> None:
    with pytest.raises(TypeError, match=r"join by \+"):
        f"first: {DROP}"


def test_an_error_names_the_table_when_it_is_told() -> None:
    error = NotFoundError("CODE", "no", hint=Command("history") + " lists them")
    assert error.hint == "deltactl history TABLE lists them"
    error.name_table("./orders --profile lake")
    assert error.hint == "deltactl history ./orders --profile lake lists them"


def test_an_option_becomes_the_whole_command() -> None:
    hint = Option("--enable") + ", or first: " + DROP
    assert str(hint).startswith("add --enable, or first: deltactl ")
    whole = hint.named("./t").retyped(lambda option: f"deltactl widen ./t a long {option}")
    assert str(whole) == (
        "deltactl widen ./t a long --enable, or first: "
        "deltactl protocol drop ./t rowTracking --truncate-history"
    )
    assert pickle.loads(pickle.dumps(whole)) == whole
    assert DROP.retyped(str) == DROP


def test_an_error_goes_through_a_pool_of_processes() -> None:
    error = NotFoundError("CODE", "no", hint=Command("history") + " lists them", details={"a": 1})
    error.name_table("./orders")
    found = pickle.loads(pickle.dumps(error))
    assert (type(found), str(found), found.exit_code) == (NotFoundError, "no", 3)
    assert (found.code, found.message, found.details) == ("CODE", "no", {"a": 1})
    assert found.hint == "deltactl history ./orders lists them"
    assert found.remedy == error.remedy


def texts(module: Path) -> Iterator[str]:
    """Yield the texts of the module, without its docstrings."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def test_no_text_has_a_table_without_a_place_for_its_name() -> None:
    unnamed = re.compile(
        r"deltactl(?: [a-z-]+)+ TABLE\b|[A-Z] TABLE \.\.\."
        # What follows a space at the end of a text is a value, such as the name.
        r"|deltactl (?:checkpoint|column|constraint|diff|domain|files|history|log|property|"
        r"prune-type-changes|schema|show|verify-checksum|widen)\b(?!\s$)"
    )
    modules = sorted(PACKAGE.rglob("*.py"))
    assert len(modules) > 400
    found = [
        f"{module.relative_to(PACKAGE)}: {text}"
        for module in modules
        for text in texts(module)
        if unnamed.search(text)
    ]
    assert found == UNNAMED
