"""What is said of commands and options that deltactl does not have."""

import os
from pathlib import Path

import pytest

from deltactl.cli.commands import _index


@pytest.mark.parametrize(
    ("alias", "command"), [("describe", "show"), ("verify", "verify-checksum")]
)
def test_aliases(run, golden, alias: str, command: str) -> None:
    table = golden("crc_good")
    meant = run(command, table, "-o", "json")
    assert run(alias, table, "-o", "json").stdout == meant.stdout
    assert meant.document["command"] == command


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("fsck t", "deltactl verify-checksum t --data finds missing data files; FSCK REPAIR TABLE "
         "of Databricks or repair() of delta-rs removes their entries"),
        ("vacuum t", "deltactl deletes no data files; in Spark SQL: VACUUM delta.`{t}`"),
        (
            "vacuum --retain 0 t",
            "deltactl deletes no data files; in Spark SQL: VACUUM delta.`{t}`",
        ),
        ("vacuum s3://b/t", "deltactl deletes no data files; in Spark SQL: VACUUM "
         "delta.`s3a://b/t`"),
        ("vacuum", "deltactl deletes no data files; in Spark SQL: VACUUM ..."),
        ("restore t", "deltactl restores no older version; in Spark SQL: RESTORE TABLE delta.`{t}` "
         "TO VERSION AS OF N"),
        ("undo t", "deltactl restores no older version; in Spark SQL: RESTORE TABLE delta.`{t}` "
         "TO VERSION AS OF N"),
        ("columns t", "deltactl column list t"),
        ("column remove t a", "deltactl column drop t COLUMN"),
        ("drop-column t a", "deltactl column drop t COLUMN"),
        ("schema history t", "deltactl history t --schema"),
        ("protocol clients t", "deltactl protocol show t"),
        ("prune t", "deltactl prune-type-changes t --dry-run"),
        ("repair t", "deltactl verify-checksum t --repair --dry-run"),
        ("plan p.json", "add --dry-run to a command to see its plan, --plan-out FILE to save it; "
         "deltactl apply FILE carries it out"),
        ("optimize t", "deltactl compacts no data files; in Spark SQL: OPTIMIZE delta.`{t}`"),
        ("detail t", "deltactl show t"),
        ("check t", "deltactl verify-checksum t"),
        ("column set-type t a long", "deltactl widen t COLUMN TYPE"),
        ("property show t", "deltactl property list t"),
        ("constraint get t", "deltactl constraint list t"),
        ("log show t", "deltactl log list t"),
        ("table show t", "deltactl show t"),
        ("t", "deltactl show t"),
        ("s3://b/t", "deltactl show s3://b/t"),
        ("table t", "deltactl show t"),
        ("hsitory t", "did you mean deltactl history?"),
    ],
)  # fmt: skip
def test_commands_of_other_tools(run, golden, words: str, hint: str) -> None:
    os.rename(golden("crc_good"), "t")
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[1] == f"hint: {hint.format(t=os.path.abspath('t'))}"


def test_the_profile_is_kept(run) -> None:
    stderr = run("--profile", "lake", "info", "t").stderr
    assert stderr.splitlines()[1] == "hint: deltactl show t --profile lake"


@pytest.mark.parametrize("name", _index.WRITES)
def test_what_writes_is_never_proposed(run, name: str) -> None:
    """One letter is missing, or another one is there: no command that writes is near."""
    above, _, last = name.rpartition(" ")
    for typed in (last[:-1], last[1:], f"{last}x"):
        stderr = run(*above.split(), typed, "t").stderr
        assert stderr.startswith("error: no such command "), typed
        for write in _index.WRITES:
            assert f"deltactl {write}?" not in stderr
            assert f"deltactl {write} or" not in stderr


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("show t --json", "did you mean -o json?"),
        ("--json show t", "did you mean -o json?"),
        ("show t --format json", "did you mean -o json?"),
        ("show t --format=ndjson", "did you mean -o ndjson?"),
        ("show t --format yaml", "did you mean -o FORMAT?"),
        ("show t --version 3", "did you mean --at VERSION?"),
        ("show t --timestamp 2026-01-01", "did you mean --at TIMESTAMP?"),
        ("history t --timestamp 2026-01-01", "see deltactl history --help"),
        ("show t --quite", "did you mean --quiet?"),
        ("explain --at 3", "see deltactl explain --help"),
        ("column drop t a --yess", "see deltactl column drop --help"),
        ("column drop t a --force", "see deltactl column drop --help"),
        ("widen t a long --preview", "did you mean --dry-run?"),
        ("show t --preview", "see deltactl show --help"),
        ("history t --last 5", "did you mean --limit N?"),
        ("column drop t a --dryrun", "did you mean --dry-run?"),
        ("constraint add t c x --conf a=b", "--spark-conf KEY=VALUE"),
    ],
)
def test_options_of_other_tools(run, words: str, hint: str) -> None:
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    option = next(word for word in words.split() if word.startswith("--")).partition("=")[0]
    assert result.stderr == f"error: no such option {option} [USAGE]\nhint: {hint}\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("history t -5", "no such option -5 [USAGE]\nhint: did you mean --limit 5?"),
        ("history t -15", "no such option -1 [USAGE]\nhint: did you mean --limit 15?"),
        ("show t -5", "no such option -5 [USAGE]\nhint: see deltactl show --help"),
        ("diff t 3..5", "'3..5' is neither a version nor a table; write 3 5"),
        ("diff t v3...v5", "'v3...v5' is neither a version nor a table; write 3 5"),
        ("diff t 3 v5", "'v5' is neither a version nor a table; write 5"),
        ("diff t v3 v5", "'v3' is neither a version nor a table; write 3"),
        ("show t --at v5", "'v5' is not a version; write 5"),
        ("widen t a=long", "missing TYPE for the column 'a=long'; write a long"),
    ],
)
def test_what_git_and_sql_write(run, golden, words: str, said: str) -> None:
    os.rename(golden("crc_good"), "t")
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


@pytest.mark.parametrize(
    ("words", "option", "command"),
    [
        ("show t --at", "--at", "show"),
        ("schema t --at", "--at", "schema show"),
        ("schema -o", "-o", "schema"),
        ("-o", "-o", ""),
    ],
)
def test_an_option_without_its_value(run, words: str, option: str, command: str) -> None:
    result = run(*words.split())
    called = f"deltactl {command}".strip()
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: option '{option}' requires an argument [USAGE]\nhint: see {called} --help\n"
    )


@pytest.mark.parametrize("command", ["diff", "schema diff"])
def test_a_table_may_have_the_name_of_a_version(run, golden, command: str) -> None:
    table = golden("crc_good")
    Path("deltactl.toml").write_text(f'[tables]\nv2 = "{table}"\n')
    result = run(*command.split(), table, "v2", "-o", "json")
    assert (result.exit_code, result.document["to"]["uri"].rpartition("/")[2]) == (0, table)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("log t 3", "deltactl log cat t 3"),
        ("log list t 3 --profile lake", "deltactl log cat t --profile lake 3"),
        ("log t x", "see deltactl log list --help"),
        ("show t 3", "did you mean --at 3?"),
        ("schema t 3", "did you mean --at 3?"),
        ("history t 3", "did you mean --limit 3?"),
        ("prune-type-changes t id", "did you mean --column id?"),
        ("prune-type-changes t id v", "see deltactl prune-type-changes --help"),
    ],
)
def test_one_word_too_many(run, golden, words: str, hint: str) -> None:
    os.rename(golden("crc_good"), "t")
    result = run(*words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines()[1] == f"hint: {hint}"
