import ast
import re
from collections.abc import Iterator
from pathlib import Path

import deltactl
from deltactl import errors
from deltactl.cli import failures
from deltactl.cli.folder import command_name
from deltactl.cli.reference import contexts
from deltactl.explanations import EXPLANATIONS

SOURCE = Path(deltactl.__file__).parent
MAKERS = ("Notice", "Refusal", "refuse", "warn", "Finding", "_wrong", "_fault", "_misfits")
CODE = re.compile("[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


def calls() -> Iterator[tuple[str, str, str]]:
    """Yield the class, the code and the place of each error and notice that is made."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0]
            is_made = name.endswith("Error") or name in MAKERS
            if is_made and isinstance(first, ast.Constant) and CODE.fullmatch(str(first.value)):
                yield name, str(first.value), f"{path.relative_to(SOURCE)}:{node.lineno}"


MADE = list(calls())


def test_the_search_finds_codes() -> None:
    assert ("BugError", "BUG") in {(name, code) for name, code, _ in MADE}


def test_every_code_in_the_source_is_explained() -> None:
    assert {(code, place) for _, code, place in MADE if code not in EXPLANATIONS} == set()


def test_every_explanation_is_of_a_code_in_the_source() -> None:
    paths = (path for path in SOURCE.rglob("*.py") if "explanations" not in path.parts)
    # The second form is the end of a code: f"{kind}_DEPENDS_ON_COLUMN".
    said = {
        found
        for path in paths
        for found in re.findall(r'"([A-Z][A-Z0-9_]*)"|}(_[A-Z0-9_]+)"', path.read_text("utf-8"))
    }
    codes, ends = ({found[place] for found in said} for place in (0, 1))
    assert {
        code for code in EXPLANATIONS if code not in codes and code[code.find("_") :] not in ends
    } == set()


def exits_of(name: str) -> tuple[int | None, ...]:
    """The exit codes that the makers of an error, a refusal or a notice stand for."""
    if name in ("Refusal", "refuse"):
        return (3, 4, 9)
    kind = getattr(errors, name, None) or getattr(failures, name, None)
    return () if name in ("Notice", "warn") or kind is None else (kind.exit_code,)


def test_the_exit_code_is_that_of_the_error() -> None:
    wrong = {
        (code, place)
        for name, code, place in MADE
        if (exits := exits_of(name)) and EXPLANATIONS[code].exit not in exits
    }
    assert wrong == set()


def test_explanations_are_short_and_plain() -> None:
    for code, explanation in EXPLANATIONS.items():
        lines = explanation.text.splitlines()
        assert 1 <= len(lines) <= 5, code
        assert max(map(len, lines)) <= 100, code
        assert len(explanation.summary) <= 80, code
        assert not explanation.summary.endswith("."), code
        assert explanation.text.endswith("."), code


def test_explanations_name_commands_that_exist() -> None:
    known = {command_name(ctx) for ctx in contexts()}
    named = {
        (code, " ".join(word for word in words.split() if word.islower()))
        for code, explanation in EXPLANATIONS.items()
        for words in re.findall("`deltactl ([^`]*)`", explanation.text)
    }
    assert {(code, words) for code, words in named if words not in known} == set()


def test_one_code(run, valid_document) -> None:
    result = run("explain", "bug")
    assert result.exit_code == 0
    assert result.stdout.startswith("BUG: something happened that deltactl did not foresee\n")
    assert "\nExit  1: a bug in deltactl" in result.stdout

    document = valid_document("explain", run("explain", "BUG", "-o", "json").stdout)
    assert [entry["code"] for entry in document["explanations"]] == ["BUG"]
    assert document["explanations"][0]["exit"] == 1


def test_all_codes(run, valid_document) -> None:
    assert re.match(r"CODE +EXIT  MEANING\n", run("explain").stdout)
    document = valid_document("explain", run("explain", "-o", "json").stdout)
    assert len(document["explanations"]) == len(EXPLANATIONS)


def test_all_codes_one_a_line(run) -> None:
    lines = run("explain", "-o", "ndjson").stdout.splitlines()
    assert len(lines) == len(EXPLANATIONS)
    assert lines[0].startswith('{"code":"')


def test_a_code_that_is_almost_right(run, valid_document) -> None:
    result = run("explain", "CODE_UNKNOW", "-o", "json")
    assert result.exit_code == 3
    assert valid_document("explain", result.stdout)["error"] == {
        "code": "CODE_UNKNOWN",
        "message": "no code 'CODE_UNKNOW'",
        "hint": "did you mean CODE_UNKNOWN?",
        "details": {},
        "exit": 3,
    }
    assert result.stderr.splitlines() == [
        "error: no code 'CODE_UNKNOW' [CODE_UNKNOWN]",
        "hint: did you mean CODE_UNKNOWN?",
    ]
