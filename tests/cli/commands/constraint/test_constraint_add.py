"""`constraint add` and `constraint drop`, from the command line to the log."""

import json
from pathlib import Path
from typing import Any

TABLE = "check_constraints_invariants"


def actions(table: str) -> dict[str, Any]:
    newest = max(Path(table, "_delta_log").glob("*.json"))
    return {k: v for line in newest.read_text().splitlines() for k, v in json.loads(line).items()}


def test_rows_are_read_first(run, golden) -> None:
    table = golden(TABLE)
    result = run("constraint", "add", table, "Small", "v < 10 AND s.x IS NOT NULL")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[2:] == [
        "Constraints  + small: v < 10 AND s.x IS NOT NULL",
        "Data files   0 of 1 file rewritten",
        "Rows         1 row in 1 file checked; all satisfy the change",
        f"To go back   deltactl constraint drop {table} Small",
        "",
        "Committed as version 6.",
    ]
    done = actions(table)
    assert done["commitInfo"]["operation"] == "ADD CONSTRAINT"
    assert done["commitInfo"]["operationParameters"] == {
        "name": "Small",
        "expr": "v < 10 AND s.x IS NOT NULL",
    }
    assert done["metaData"]["configuration"] == {
        "delta.constraints.positive": "v > 0",
        "delta.constraints.small": "v < 10 AND s.x IS NOT NULL",
    }


def test_the_document_says_how_many(run, golden) -> None:
    result = run("constraint", "add", golden(TABLE), "small", "v < 10", "--dry-run", "-o", "json")
    assert result.document["plan"]["rowsChecked"] == {"files": 1, "rows": 1}


def test_rows_that_violate_it(run, golden) -> None:
    table = golden(TABLE)
    result = run("constraint", "add", table, "big", "v > 10", "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (4, "ROWS_VIOLATE_CONSTRAINT")
    assert result.document["plan"]["rowsChecked"] is None


def test_rows_in_the_way_have_their_own_times(run, golden) -> None:
    result = run("constraint", "add", golden("far_timestamps"), "none", "id < 1", "-o", "json")
    shown = {row["values"]["ts"] for row in result.document["plan"]["counterexamples"]}
    assert shown == {
        "9999-12-31T23:59:59.999999+00:00",
        "1600-02-29T12:00:00+00:00",
        "2026-01-02T03:04:05.678901+00:00",
    }


def test_what_needs_spark(run, golden) -> None:
    table = golden(TABLE)
    result = run("constraint", "add", table, "c", "abs(v) > 0", "--engine", "local")
    assert (result.exit_code, "[SPARK_NEEDED]" in result.stderr) == (9, True)
    assert (
        f"ALTER TABLE delta.`{Path(table).absolute()}` ADD CONSTRAINT `c` CHECK (abs(v) > 0)"
        in (result.stderr)
    )


def test_all_that_is_wrong_with_an_expression(run, golden) -> None:
    result = run("constraint", "add", golden(TABLE), "c", "w > 0 OR s.y > 0 OR v > 0")
    assert result.exit_code == 3
    assert result.stderr.count("[COLUMN_NOT_FOUND]") == 2


def test_dropping(run, golden) -> None:
    table = golden(TABLE)
    assert run("constraint", "drop", table, "POSITIVE").exit_code == 0
    done = actions(table)
    assert done["commitInfo"]["operation"] == "DROP CONSTRAINT"
    assert done["metaData"]["configuration"] == {}
    assert run("constraint", "drop", table, "positive").exit_code == 3
    assert run("constraint", "drop", table, "positive", "--if-exists").exit_code == 0
    assert run("constraint", "add", table, "positive", "v > 0").exit_code == 0
