import pytest

UPGRADE = """\
Protocol    1/2 → 1/3  + checkConstraints
Clients     no known client loses access
Data files  0 of 1 file rewritten
To go back  deltactl protocol drop many_ops_history checkConstraints

Committed as version 17.
"""


def test_a_higher_writer_version(run, golden) -> None:
    result = run("protocol", "upgrade", golden("many_ops_history"), "--writer", "3", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.partition("\n\n")[2] == UPGRADE


def test_both_versions(run, golden, valid_document) -> None:
    table = golden("many_ops_history")
    words = ["protocol", "upgrade", table, "--reader", "2", "--writer", "6", "--yes", "-o", "json"]
    plan = valid_document("protocol upgrade", run(*words).stdout)["plan"]
    assert plan["operation"] == "UPGRADE PROTOCOL"
    assert plan["actions"]["protocol"] == {"minReaderVersion": 2, "minWriterVersion": 6}
    assert plan["undo"] == {
        "commands": [],
        "note": "versions only go up, and the protocol stays at (2,6)",
    }


def test_versions_that_list_features(run, golden) -> None:
    table = golden("many_ops_history")
    result = run("protocol", "upgrade", table, "--reader", "3", "--writer", "7")
    assert result.stdout == "Nothing to do: already up to date (version 16).\n"
    assert "[NOTHING_TO_LIST]\n" in result.stderr


@pytest.mark.parametrize(
    ("words", "exit_code", "code"),
    [
        ([], 2, "USAGE"),
        (["--writer", "8"], 2, "USAGE"),
        (["--reader", "0"], 2, "USAGE"),
        (["--writer", "1"], 4, "VERSION_GOES_DOWN"),
        (["--reader", "3"], 4, "VERSIONS_DO_NOT_FIT"),
        (["--writer", "3"], 4, "CONSENT_NEEDED"),
    ],
)
def test_mistakes(run, golden, words: list[str], exit_code: int, code: str) -> None:
    result = run("protocol", "upgrade", golden("many_ops_history"), *words)
    assert result.exit_code == exit_code
    assert f"[{code}]\n" in result.stderr
