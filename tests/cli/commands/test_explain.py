import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import deltactl
from deltactl.changes.preconditions import _FORBIDDING
from deltactl.cli.command_tree import command_name
from deltactl.cli.reference import contexts
from deltactl.errors import DeltactlError
from deltactl.explanations import explanations
from deltactl.verify.log.notices import _EXPECTED

EXPLANATIONS = explanations()
SOURCE = Path(deltactl.__file__).parent
MAKERS = (
    "Notice",
    "Refusal",
    "refuse",
    "warn",
    "Finding",
    "_wrong",
    "_warn",
    "_fault",
    "missing_fields",
)
OF_REFUSALS = {"is_missing": 3, "needs_spark": 9, "in_storage": 8}
CODE = re.compile("[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")


def calls() -> Iterator[tuple[str, str, str, set[str]]]:
    """Yield the class, the code, the place and the keywords of each error and notice."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            first = node.args[0]
            is_made = name.endswith("Error") or name in MAKERS
            if is_made and isinstance(first, ast.Constant) and CODE.fullmatch(str(first.value)):
                keywords = {word.arg for word in node.keywords if word.arg is not None}
                yield name, str(first.value), f"{path.relative_to(SOURCE)}:{node.lineno}", keywords


MADE = list(calls())


def test_the_search_finds_codes() -> None:
    assert ("BugError", "BUG") in {(name, code) for name, code, *_ in MADE}


def test_every_code_in_the_source_is_explained() -> None:
    assert {(code, place) for _, code, place, _ in MADE if code not in EXPLANATIONS} == set()


def test_every_explanation_is_of_a_code_in_the_source() -> None:
    paths = SOURCE.rglob("*.py")
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


def exits_of(name: str, keywords: set[str]) -> set[int]:
    """The exit codes that the maker of an error, a refusal or a finding stands for."""
    if name in ("Refusal", "refuse"):
        return {exits for word, exits in OF_REFUSALS.items() if word in keywords} or {4}
    if name in ("Finding", "_wrong", "_fault"):
        return {5}
    kinds = [kind for kind in subclasses(DeltactlError) if kind.__name__ == name]
    return {kind.exit_code for kind in kinds}


def subclasses(kind: type[DeltactlError]) -> list[type[DeltactlError]]:
    below = kind.__subclasses__()
    return below + [inner for one in below for inner in subclasses(one)]


def test_the_exit_codes_are_those_of_all_that_is_made() -> None:
    wrong = {
        (code, place)
        for name, code, place, keywords in MADE
        if not exits_of(name, keywords) <= {EXPLANATIONS[code].exit, *EXPLANATIONS[code].also}
    }
    assert wrong == set()
    # Findings whose codes are said where they are chosen.
    for code in (*_EXPECTED, "LINK_FOR_FILE", "FOLDER_FOR_FILE", "TYPE_CHANGES_UNREADABLE"):
        assert 5 in (EXPLANATIONS[code].exit, *EXPLANATIONS[code].also), code
    for code in _FORBIDDING:
        assert 4 in (EXPLANATIONS[code].exit, *EXPLANATIONS[code].also), code


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        (["widen", "TABLE", "id", "foo"], 4, "NOT_A_TYPE"),
        (["schema", "types", "TABLE", "id", "--to", "foo"], 2, "USAGE"),
        (["schema", "check", "TABLE", "a foo"], 2, "NOT_A_TYPE"),
        (["property", "set", "TABLE", "delta.appendOnly=maybe"], 4, "PROPERTY_VALUE"),
        (["column", "add", "TABLE", "a..b", "int"], 4, "BAD_COLUMN_PATH"),
        (["files", "TABLE", "--physical", "a..b"], 2, "BAD_COLUMN_PATH"),
        (["column", "add", "TABLE", "a", "struct<b int"], 4, "DDL_SYNTAX"),
        (["schema", "check", "TABLE", "a int,"], 2, "DDL_SYNTAX"),
    ],
)
def test_usage_in_a_plan_is_a_refusal(run, golden, words, exit_code, code) -> None:
    table = golden("tw_integers_floats")
    result = run(*(table if word == "TABLE" else word for word in words))
    assert (result.exit_code, f"[{code}]" in result.stderr) == (exit_code, True), result.stderr


def test_explanations_are_short_and_plain() -> None:
    assert len(EXPLANATIONS) > 300
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
    assert (document["explanations"][0]["exit"], document["explanations"][0]["also"]) == (1, [])

    lines = run("explain", "NOT_A_TYPE").stdout.splitlines()[-3:]
    assert [line.split()[:3] for line in lines] == [
        ["Exit", "2:", "wrong"],
        ["Exit", "4:", "refused"],
        ["Next", "deltactl", "schema"],
    ]


OUTCOME_UNKNOWN = """\
Exit 7: outcome unknown: the store answered neither the write nor the read-back

Checkpoints, and other files beside commits
  LOG_FILE_UNKNOWN  exit 7  the store does not say whether a file of the log was written

Plans and commits
  COMMIT_VANISHED  exit 7  the commit was written, and was gone when it was read back
  OUTCOME_UNKNOWN  exit 7  the store did not say whether the commit was written

deltactl explain CODE tells more
"""


def test_an_exit_code(run, valid_document) -> None:
    result = run("explain", "7")
    assert (result.exit_code, result.stdout) == (0, OUTCOME_UNKNOWN)
    document = valid_document("explain", run("explain", "7", "-o", "json").stdout)
    assert [(e["code"], e["subject"], e["next"]) for e in document["explanations"]] == [
        ("COMMIT_VANISHED", "Plans and commits", "deltactl history TABLE"),
        ("LOG_FILE_UNKNOWN", "Checkpoints, and other files beside commits", "deltactl log TABLE"),
        ("OUTCOME_UNKNOWN", "Plans and commits", "deltactl history TABLE"),
    ]
    assert "  NOT_A_TYPE " in run("explain", "2").stdout
    assert run("explain", "0").stdout == (
        "Exit 0: done, or already so\n\nNo error has this exit code.\n"
    )


@pytest.mark.parametrize("text", ["77", "9" * 5000])
def test_an_exit_code_that_there_is_not(run, text) -> None:
    result = run("explain", text)
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == (
        f"error: deltactl has no exit code {text[:40]} [CODE_UNKNOWN]\n"
        "hint: deltactl help exit-codes lists them\n"
    )


def test_what_to_type_next_is_a_command_that_exists() -> None:
    known = {f"deltactl {command_name(ctx)}" for ctx in contexts()} | {"deltactl"}
    named = {
        explanation.next: " ".join(itertools.takewhile(str.islower, explanation.next.split()))
        for explanation in EXPLANATIONS.values()
    }
    named.pop("deltactl --help")
    assert {typed for typed, command in named.items() if command not in known} == set()


def test_all_codes(run, valid_document) -> None:
    lines = run("explain").stdout.splitlines()
    assert lines[:2] == [
        "Actions: data files and deletion vectors",
        "  ABSOLUTE_PATH                    warning          "
        "a data file is named by an absolute path",
    ]
    assert [line.split()[0] for line in lines if line.startswith("  ")] == sorted(
        EXPLANATIONS, key=lambda code: (EXPLANATIONS[code].subject, code)
    )
    assert lines[-2:] == [
        "",
        "deltactl explain CODE tells more; deltactl explain 5 lists the codes of exit code 5",
    ]
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
