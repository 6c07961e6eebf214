"""Names that commands and options had before: they work as before, and no help shows them."""

import pytest

TABLE = "crc_good"


@pytest.mark.parametrize(
    ("former", "present"),
    [
        ("schema check {t} --against {c}", "schema check {t} {c}"),
        ("property set {t} a=b --dry-run --txn x:1", "property set {t} a=b --dry-run --once x:1"),
        ("property set {t} a=b --if-version 99", "property set {t} a=b --expect-version 99"),
        ("table set-name {t} a --dry-run --if-version=4", "table set-name {t} a --dry-run"),
        ("property set {t} a=b --dry-run --enable", "property set {t} a=b --dry-run"),
        ("constraint add {t} c {e} --dry-run --enable", "constraint add {t} c {e} --dry-run"),
    ],
)
def test_they_mean_the_same(run, golden, former: str, present: str) -> None:
    table = golden(TABLE)

    def said(words: str) -> tuple[int, str, str]:
        args = [w.format(t=table, c="id bigint, x int", e="id > 0") for w in words.split()]
        result = run(*args)
        return result.exit_code, result.stdout, result.stderr

    assert said(former) == said(present)
    assert said(present)[0] != 2


def test_a_renamed_command(run, golden, valid_document) -> None:
    table = golden(TABLE)
    former = run("table", "rename", table, "a", "--dry-run", "-o", "json")
    present = run("table", "set-name", table, "a", "--dry-run", "-o", "json")
    document = valid_document("table rename", former.stdout)
    assert document | {"command": "table set-name"} == valid_document(
        "table set-name", present.stdout
    )
    assert document["plan"]["undo"]["commands"] == [f"deltactl table set-name {table} ''"]


@pytest.mark.parametrize(
    ("command", "former"),
    [
        ("widen", "--txn"),
        ("widen", "--if-version"),
        ("checkpoint", "--if-version"),
        ("schema check", "--against"),
        ("property set", "--enable"),
        ("constraint add", "--enable"),
        ("table", "rename"),
    ],
)
def test_no_help_shows_them(run, command: str, former: str) -> None:
    assert former not in run(*command.split(), "--help").stdout.split()


def test_the_data_of_a_check_is_given_once(run, golden) -> None:
    words = ("schema", "check", golden(TABLE))
    none, two = run(*words), run(*words, "a int", "--against", "b int")
    assert (none.exit_code, two.exit_code) == (2, 2)
    assert none.stderr.startswith("error: missing argument 'FILE|COLUMNS' [USAGE]\n")
    assert two.stderr.startswith("error: got a int and --against b int: give one of them [USAGE]\n")


def test_options_for_spark_are_one_group(run) -> None:
    shown = run("prune-type-changes", "--help").stdout
    own, _, spark = shown.partition("\nSpark [environment variable]:\n")
    own = own.partition("\nOptions:\n")[2]
    assert "\n  --master " not in own
    assert "--rewrite" not in spark
    for option in ("--engine", "--master", "--remote", "--jars", "--spark-conf", "--spark-log"):
        assert f"\n  {option} " in f"\n{spark}"
