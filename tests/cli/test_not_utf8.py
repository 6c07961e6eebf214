"""Words that are not UTF-8: a path may be one, and what a log is to hold may not."""

import os
import shutil
from pathlib import Path

import pytest

TABLE = os.fsdecode(b"t\xff")


@pytest.fixture
def table(golden) -> str:
    """A table with a checkpoint, in a folder whose name is not UTF-8."""
    golden("all_types")
    shutil.move("all_types", TABLE)
    return TABLE


def test_a_plan_of_such_a_table_can_be_applied(run, table: str) -> None:
    file = os.fsdecode(b"p\xfe.json")
    assert run("property", "set", table, "a=b", "--plan-out", file).exit_code == 0
    assert run("apply", file).exit_code == 0
    assert Path(table, "_delta_log", f"{3:020d}.json").exists()


def test_a_plan_made_from_such_a_file_can_be_applied(run, golden) -> None:
    golden("all_types")
    steps = os.fsdecode(b"f\xfd")
    Path(steps).write_text("add z int\n", encoding="utf-8")
    plan = run("column", "apply", "all_types", steps, "--plan-out", "p.json")
    assert plan.exit_code == 0
    Path(steps).unlink()
    assert run("apply", "p.json").exit_code == 0


def test_checkpoints_and_data_files_of_such_a_table_are_read(run, table: str) -> None:
    assert run("checkpoint", table).exit_code == 0
    shown = run("show", table, "-o", "json")
    assert shown.document["warnings"] == []
    assert shown.document["checkpoint"]["version"] == 2
    checked = run("verify-checksum", table, "--data", "-o", "json")
    assert (checked.exit_code, checked.document["findings"]) == (0, [])


@pytest.mark.parametrize(
    "words",
    [
        ("property", "set", "TABLE", "a=b\udcff"),
        ("property", "set", "TABLE", "a\udcff=b"),
        ("table", "comment", "TABLE", "\udcff"),
        ("column", "comment", "TABLE", "i", "\udcff"),
        ("column", "add", "TABLE", "\udcff", "int"),
        ("column", "rename", "TABLE", "i", "\udcff", "--enable"),
        ("column", "add", "TABLE", "z", "string", "--default", "'\udcff'", "--enable"),
        ("constraint", "add", "TABLE", "c\udcff", "i > 0"),
        ("domain", "set", "TABLE", "d", "\udcff", "--enable"),
        ("widen", "TABLE", "i\udcff", "long"),
    ],
)
def test_what_a_log_cannot_hold_is_wrong_usage(run, golden, words: tuple[str, ...]) -> None:
    golden("all_types")
    typed = ["all_types" if word == "TABLE" else word for word in words]
    result = run(*typed, "--yes")
    assert (result.exit_code, "not text in UTF-8 [USAGE]" in result.stderr) == (2, True)
