"""Commands that are proposed reach the table as the one before did: with its profile."""

from pathlib import Path

import pytest
from lakes import table as lake_table

FILE = """\
[tables]
kitchen = { uri = "tw_nested", profile = "lake" }
[profiles.lake]
timeout = "5s"
[profiles."my lake"]
timeout = "6s"
"""


@pytest.fixture
def table(golden) -> str:
    Path("deltactl.toml").write_text(FILE)
    return golden("tw_nested")


@pytest.mark.parametrize(
    ("words", "called"),
    [
        (["tw_nested", "--profile", "lake"], "tw_nested --profile lake"),
        (["tw_nested", "--profile", "my lake"], "tw_nested --profile 'my lake'"),
        (["kitchen", "--profile", "my lake"], "kitchen --profile 'my lake'"),
        (["kitchen"], "kitchen"),
        (["tw_nested"], "tw_nested"),
    ],
)
def test_the_profile_that_was_typed(run, table: str, words: list[str], called: str) -> None:
    back = run("property", "set", *words, "owner.x=1", "--dry-run", "-o", "json").document
    assert back["plan"]["undo"]["commands"] == [f"deltactl property unset {called} owner.x"]
    text = run("property", "set", *words, "owner.x=1", "--dry-run").stdout
    assert f"deltactl property unset {called} owner.x" in text
    late = run("property", "set", *words, "owner.x=1", "--yes", "--expect-version", "3")
    assert late.exit_code == 6
    assert late.stderr.splitlines()[1] == (
        f"hint: deltactl history {called} --from 4 shows what came after it"
    )


def test_they_are_as_typed(run, table: str) -> None:
    made = run("property", "set", table, "owner.x=1", "--yes", "--profile", "lake", "-o", "json")
    [back] = made.document["plan"]["undo"]["commands"]
    assert run(*back.split()[1:], "--yes").exit_code == 0


def test_a_profile_of_the_environment_stays_in_force(
    run, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DELTACTL_PROFILE", "lake")
    back = run("property", "set", table, "owner.x=1", "--dry-run", "-o", "json").document
    assert back["plan"]["undo"]["commands"] == ["deltactl property unset tw_nested owner.x"]


@pytest.mark.parametrize(
    ("flags", "called"),
    [((), "lake/torn"), (("--profile", "lake"), "lake/torn --profile lake")],
)
def test_those_of_a_list(run, table: str, flags: tuple[str, ...], called: str) -> None:
    torn = lake_table("lake/torn", 1)
    (torn / "_delta_log/00000000000000000001.json").write_text('{"add":{"pa')
    [found] = run("tables", "lake", *flags, "-o", "json").document["tables"]
    assert found["error"]["hint"] == (
        f"deltactl log {called} shows the log; 00000000000000000001.json must be restored from a "
        "copy"
    )


def test_a_plan_that_was_saved(run, table: str) -> None:
    change = ("property", "set", table, "owner.x=1", "--plan-out", "a plan.json")
    assert run(*change, "--profile", "lake").stdout.splitlines()[-1] == (
        "Saved; the table is at version 18. To carry it out: "
        "deltactl apply 'a plan.json' --profile lake"
    )
    assert run("apply", "a plan.json", "--profile", "lake", "--dry-run").exit_code == 0


REACHED = (
    *("--storage-option", "AWS_REGION=eu west", "--storage-option", "AWS_SESSION_TOKEN=s3cr3t"),
    *("--trust-config", "deltactl.toml"),
)


def test_what_else_the_table_is_reached_by(run, table: str) -> None:
    result = run("property", "get", table, "owner.x", *REACHED)
    assert result.stderr.splitlines()[1] == (
        "hint: deltactl property list tw_nested --storage-option 'AWS_REGION=eu west' "
        "--storage-option AWS_SESSION_TOKEN=... --trust-config deltactl.toml"
    )


@pytest.mark.parametrize(
    ("words", "again"),
    [
        (("drop", "{t}", "id", "--enable"), "drop {t} id --enable --yes"),
        (("drop", "--enable", "--", "{t}", "id"), "drop --enable --yes -- {t} id"),
        (
            ("drop", "{t}", "id", "--enable", "-m", "it is gone", *REACHED),
            "drop {t} id --enable -m 'it is gone' --storage-option 'AWS_REGION=eu west' "
            "--storage-option AWS_SESSION_TOKEN=... --trust-config deltactl.toml --yes",
        ),
        (
            ("drop", "{t}", "id", "--enable", "--storage-option=AWS_SESSION_TOKEN=a=b"),
            "drop {t} id --enable --storage-option=AWS_SESSION_TOKEN=... --yes",
        ),
    ],
)
def test_the_command_that_agrees_is_the_one_that_was_typed(run, table, words, again) -> None:
    result = run("column", *(word.format(t=table) for word in words))
    assert result.exit_code == 4
    assert result.stderr.splitlines()[-1] == (
        f"hint: to agree: deltactl column {again.format(t=table)}"
    )
    assert "s3cr3t" not in result.stderr + result.stdout


@pytest.mark.parametrize(
    ("typed", "again"),
    [
        ("--remote sc://h:15002/;use_ssl=true;token=s3cr3t", "--remote 'sc://h:15002/;...'"),
        ("--master=sc://h:15002/;token=s3cr3t", "'--master=sc://h:15002/;...'"),
        ("--remote sc://h:15002", "--remote sc://h:15002"),
        ("--master spark://h:7077", "--master spark://h:7077"),
        ("--storage-option endpoint=http://me:s3cr3t@h", "--storage-option endpoint=http://...@h"),
        ("--spark-conf spark.x.proxy=//me:s3cr3t@h", "--spark-conf spark.x.proxy=//...@h"),
    ],
)
def test_no_token_and_no_login_is_repeated(run, golden, typed: str, again: str) -> None:
    words = ("prune-type-changes", golden("tw_rowtracking_prunable"), "--engine", "local")
    result = run(*words, *typed.split())
    assert result.stderr.splitlines()[-1] == (
        f"hint: to agree: deltactl {' '.join(words)} {again} --yes"
    )
    assert "s3cr3t" not in result.stderr + result.stdout


def test_a_property_is_no_secret_of_the_command_line(run, table: str) -> None:
    """Only options hold secrets of the store: what is to be written stays as it was typed."""
    words = ("property", "set", table, "delta.enableRowTracking=true", "owner.token=abc")
    assert (
        run(*words).stderr.splitlines()[-1] == f"hint: to agree: deltactl {' '.join(words)} --yes"
    )


def test_the_screen_of_a_table_names_it(run, golden) -> None:
    table = golden("crc_bad_metadata")
    [health] = [
        line for line in run("show", table).stdout.splitlines() if line.startswith("Health")
    ]
    assert health.endswith(f"; see deltactl verify-checksum {table}")


ENABLE = "protocol enable all_types columnMapping"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (
            ["column", "drop", "all_types", "i", "-m", "it is"],
            f"deltactl column drop all_types i -m 'it is' --enable, or first: deltactl {ENABLE}",
        ),
        (
            ["column", "add", "all_types", "a b", "int"],
            "take another name, or have column mapping: "
            "deltactl column add all_types 'a b' int --enable",
        ),
        (
            ["domain", "set", "all_types", "a", "b"],
            "deltactl domain set all_types a b --enable, or first: "
            "deltactl protocol enable all_types domainMetadata",
        ),
    ],
)
def test_the_command_with_one_more_option(run, golden, valid_document, words, hint) -> None:
    golden("all_types")
    assert run(*words).stderr.splitlines()[1] == f"hint: {hint}"
    document = valid_document(" ".join(words[:2]), run(*words, "-o", "json").stdout)
    assert document["error"]["hint"] == hint
    assert document["plan"]["refusals"][0]["hint"] == document["error"]["hint"]


def test_the_option_stands_in_front_of_what_follows_dashes(run, golden) -> None:
    golden("all_types")
    stderr = run("column", "drop", "--", "all_types", "i").stderr
    assert "hint: deltactl column drop --enable -- all_types i, or first: " in stderr


@pytest.mark.parametrize("spelled", [["-o", "json"], ["-ojson"], ["--output=json"]])
def test_how_to_print_is_not_repeated(run, golden, spelled: list[str]) -> None:
    golden("all_types")
    for words in ([*spelled, "column", "drop"], ["column", *spelled, "drop"]):
        hint = run(*words, "all_types", "i", "-m", "json").document["error"]["hint"]
        assert hint == (
            f"deltactl column drop all_types i -m json --enable, or first: deltactl {ENABLE}"
        )
