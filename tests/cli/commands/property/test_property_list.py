"""`property list`: what is set, what engines make of it, and all that is known."""

TABLE = "check_constraints_invariants"


def test_what_is_set(run, golden) -> None:
    table = golden("tw_kitchen_sink")
    rows = run("property", "list", table, "-o", "json").document["properties"]
    by_key = {row["key"]: row for row in rows}
    assert [row["key"] for row in rows] == sorted(by_key)
    assert by_key["delta.columnMapping.mode"] == {
        "key": "delta.columnMapping.mode",
        "value": "name",
        "effective": "name",
        "default": "none",
        "type": "one of a few words",
        "owner": "user, with the table feature",
        "feature": "columnMapping",
        "meaning": "How columns find their data in files: by name, by id, or by a fixed physical "
        "name.",
        "problem": None,
    }


def test_values_as_engines_take_them(run, golden) -> None:
    table = golden(TABLE)
    run(
        "property", "set", table, "delta.logRetentionDuration=interval 20 days", "any=x",
        "delta.zzz=1", "--force", "-q",
    )  # fmt: skip
    rows = run("property", "list", table, "--all", "-o", "json").document["properties"]
    found = {row["key"]: (row["value"], row["effective"], row["problem"]) for row in rows}
    assert found["delta.logRetentionDuration"] == ("interval 20 days", 1728000000, None)
    assert found["delta.checkpointInterval"] == (None, 10, None)
    assert found["delta.appendOnly"] == (None, False, None)
    assert found["any"] == ("x", "x", None)
    assert found["delta.zzz"] == ("1", "1", "unknown property")
    assert not any(key.endswith(".") for key in found)


def test_the_table(run, golden) -> None:
    assert run("property", "list", golden(TABLE)).stdout.splitlines() == [
        "PROPERTY                    VALUE  DEFAULT  FEATURE           MEANING",
        "delta.constraints.positive  v > 0  -        checkConstraints  "
        "The expression of a CHECK constraint, by the constraint's name.",
    ]


def test_nothing_is_set(run, golden) -> None:
    result = run("property", "list", golden(TABLE), "--at", "0")
    assert result.stdout == "No property is set; --all lists those that are known.\n"


def test_an_older_version(run, golden) -> None:
    table = golden(TABLE)
    run("property", "set", table, "x=1")
    assert "x" in run("property", "list", table).stdout
    assert "x  " not in run("property", "list", table, "--at", "5").stdout
