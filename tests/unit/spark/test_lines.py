import pytest

from deltactl.errors import (
    BrokenLogError,
    ConflictError,
    DeltactlError,
    InterruptedRunError,
    InvalidUsageError,
    NotFoundError,
    OutcomeUnknownError,
    RefusedError,
    SparkError,
    StorageError,
    UnfinishedError,
)
from deltactl.spark.lines import Word, error_from_json, error_to_json, line, parsed
from deltactl.text.hints import Command, Option, Sql


def test_a_line_is_read_as_it_was_written() -> None:
    said = line(Word.RESULT, {"rows": ["a\nb", "ä", None, 1.5]})
    assert said == 'DELTACTL-RESULT {"rows": ["a\\nb", "\\u00e4", null, 1.5]}\n'
    assert parsed(said.encode()) == (Word.RESULT, {"rows": ["a\nb", "ä", None, 1.5]})


@pytest.mark.parametrize(
    "said",
    [
        b"\n",
        b"WARN Utils: Your hostname resolves to a loopback address\n",
        b"DELTACTL-RESULTS {}\n",
        b'DELTACTL-RESULT {"rows": [1,\n',  # cut short
        b" DELTACTL-RESULT {}\n",
        b"DELTACTL-RESULT\n",
        b"\xff\xfe\n",
    ],
)
def test_what_is_not_ours_is_left_to_the_log(said: bytes) -> None:
    assert parsed(said) is None


@pytest.mark.parametrize(
    "kind",
    [
        InvalidUsageError,
        NotFoundError,
        RefusedError,
        BrokenLogError,
        ConflictError,
        OutcomeUnknownError,
        StorageError,
        SparkError,
        UnfinishedError,
        InterruptedRunError,
    ],
)
def test_an_error_arrives_as_what_it_was(kind: type[DeltactlError]) -> None:
    sent = kind("CODE", "it is so", hint="do this", details={"version": 3})
    said = parsed(line(Word.ERROR, error_to_json(sent)).encode())
    assert said is not None
    got = error_from_json(said[1])
    assert type(got) is kind
    assert (got.code, got.message, got.hint, got.details) == (
        "CODE",
        "it is so",
        "do this",
        {"version": 3},
    )


def test_a_hint_arrives_with_the_places_for_the_name_of_the_table() -> None:
    hint = "first: " + Command("verify-checksum", "--all") + " or " + Sql("ALTER TABLE", "x")
    hint += ", " + Option("--all")
    said = parsed(line(Word.ERROR, error_to_json(SparkError("CODE", "no", hint=hint))).encode())
    assert said is not None
    got = error_from_json(said[1])
    got.name_table("'my orders'")
    assert (
        got.hint
        == "first: deltactl verify-checksum 'my orders' --all or ALTER TABLE ... x, add --all"
    )


def test_an_error_without_a_hint_arrives_without_one() -> None:
    said = parsed(line(Word.ERROR, error_to_json(SparkError("CODE", "no"))).encode())
    assert said is not None
    assert error_from_json(said[1]).hint is None
