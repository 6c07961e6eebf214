"""`constraint list`: constraints, generated columns and invariants, with their columns."""


def test_a_check(run, golden) -> None:
    table = golden("check_constraints_invariants")
    assert run("constraint", "list", table).stdout.splitlines() == [
        "CONSTRAINT  KIND   EXPRESSION  COLUMNS",
        "positive    check  v > 0       v",
    ]
    assert run("constraint", "list", table, "-o", "json").document["constraints"] == [
        {"name": "positive", "kind": "check", "expression": "v > 0", "columns": ["v"]}
    ]


def test_a_column_of_a_struct_and_no_column(run, golden) -> None:
    table = golden("check_constraints_invariants")
    run("constraint", "add", table, "inner", "S.X > 0 OR v > 1")
    run("constraint", "add", table, "sure", "TRUE")
    rows = run("constraint", "list", table, "-o", "json").document["constraints"]
    assert {row["name"]: row["columns"] for row in rows} == {
        "positive": ["v"],
        "inner": ["s.x", "v"],
        "sure": [],
    }


def test_there_are_none(run, golden) -> None:
    result = run("constraint", "list", golden("all_types"))
    assert result.stdout == "The table has no constraints.\n"
