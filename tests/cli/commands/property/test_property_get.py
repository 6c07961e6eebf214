"""`property get`: one value, in words that a script can use."""

import pytest

TABLE = "tw_kitchen_sink"


@pytest.mark.parametrize(
    ("key", "value", "note"),
    [
        ("delta.columnMapping.mode", "name", ""),
        ("DELTA.COLUMNMAPPING.MODE", "name", ""),
        ("delta.constraints.pos", "id > 0", ""),
        (
            "delta.appendonly",
            "false",
            "note: delta.appendOnly is not set; this is its default\n",
        ),
    ],
)
def test_the_value(run, golden, key, value, note) -> None:
    table = golden(TABLE)
    result = run("property", "get", table, key)
    assert (result.exit_code, result.stdout, result.stderr) == (0, f"{value}\n", note)
    assert run("property", "get", table, key, "-q").stderr == ""


def test_the_document(run, golden, valid_document) -> None:
    words = ("property", "get", golden(TABLE), "delta.appendOnly", "-o", "json")
    document = valid_document("property get", run(*words).stdout)
    assert document["property"]["value"] is None
    assert document["property"]["effective"] is False
    assert document["property"]["default"] == "false"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("delta.apendOnly", "did you mean delta.appendOnly?"),
        ("zzz", f"deltactl property list {TABLE}"),
    ],
)
def test_a_property_that_is_not_set(run, golden, key, hint) -> None:
    result = run("property", "get", golden(TABLE), key)
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == (
        f"error: the table has no property {key} [PROPERTY_NOT_FOUND]\nhint: {hint}\n"
    )


def test_an_older_version(run, golden) -> None:
    table = golden(TABLE)
    assert run("property", "set", table, "owner.x=1", "--yes").exit_code == 0
    assert run("property", "get", table, "owner.x").stdout == "1\n"
    assert run("property", "get", table, "owner.x", "--at", "1").exit_code == 3
