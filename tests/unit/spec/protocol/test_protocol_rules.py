import pytest
from small_tables import array, field, schema

from deltactl.errors import BrokenLogError, DeltactlError, RefusedError
from deltactl.spec.actions.action import Protocol
from deltactl.spec.protocol.protocol import (
    check_form,
    check_readable,
    check_types,
    protocol_warnings,
    supported,
)

Lists = list[str] | None


def protocol(reader: int, writer: int, readers: Lists = None, writers: Lists = None) -> Protocol:
    return Protocol(
        min_reader_version=reader,
        min_writer_version=writer,
        reader_features=None if readers is None else tuple(readers),
        writer_features=None if writers is None else tuple(writers),
    )


@pytest.mark.parametrize(
    "sound",
    [
        protocol(1, 1),
        protocol(1, 2),
        protocol(2, 5),
        protocol(2, 6),
        protocol(1, 7, None, []),
        protocol(1, 7, None, ["appendOnly"]),
        protocol(2, 7, None, ["columnMapping"]),
        protocol(3, 7, [], []),
        protocol(3, 7, ["typeWidening"], ["typeWidening", "invariants"]),
        protocol(1, 2, [], []),  # empty lists say nothing
        protocol(1, 9),
    ],
)
def test_a_protocol_that_may_be(sound: Protocol) -> None:
    check_form(sound)


@pytest.mark.parametrize(
    ("odd", "error", "code"),
    [
        (protocol(0, 2), BrokenLogError, "PROTOCOL_VERSION_INVALID"),
        (protocol(1, -1), BrokenLogError, "PROTOCOL_VERSION_INVALID"),
        (protocol(4, 7), RefusedError, "UNSUPPORTED_PROTOCOL_VERSION"),
        (protocol(99, 99), RefusedError, "UNSUPPORTED_PROTOCOL_VERSION"),
        (protocol(3, 2, [], []), BrokenLogError, "READER_3_NEEDS_WRITER_7"),
        (protocol(3, 8, [], []), None, None),
        (protocol(3, 7), BrokenLogError, "FEATURE_LISTS_MISSING"),
        (protocol(3, 7, ["x"]), BrokenLogError, "FEATURE_LISTS_MISSING"),
        (protocol(1, 7), BrokenLogError, "FEATURE_LISTS_MISSING"),
        (protocol(1, 2, ["typeWidening"]), BrokenLogError, "FEATURES_ON_OLD_PROTOCOL"),
        (protocol(1, 6, None, ["appendOnly"]), BrokenLogError, "FEATURES_ON_OLD_PROTOCOL"),
        (protocol(2, 7, ["columnMapping"], []), BrokenLogError, "FEATURES_ON_OLD_PROTOCOL"),
    ],
)
def test_a_protocol_that_contradicts_itself(
    odd: Protocol, error: type[DeltactlError] | None, code: str | None
) -> None:
    if error is None:
        check_form(odd)
        return
    with pytest.raises(error) as caught:
        check_form(odd)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("readers", "hint"),
    [
        (["DeletionVectors"], "did you mean deletionVectors?"),
        (["fooBar"], "deltactl protocol show TABLE and deltactl history TABLE still answer"),
        (["deletionVectors", "catalogManaged"], "still answer"),
        (["geospatial"], "still answer"),
    ],
)
def test_a_reader_feature_that_we_cannot_read_is_refused(readers: list[str], hint: str) -> None:
    with pytest.raises(RefusedError) as caught:
        check_readable(protocol(3, 7, readers, readers))
    assert caught.value.code == "UNSUPPORTED_READER_FEATURE"
    assert caught.value.details == {"features": readers[-1:]}
    assert hint in (caught.value.hint or "")


def test_what_we_read_and_what_only_writers_need_is_not_refused() -> None:
    readers = ["deletionVectors", "columnMapping", "v2Checkpoint", "typeWidening-preview"]
    check_readable(protocol(3, 7, readers, [*readers, "noOneKnowsThis"]))


ODD = schema(field("a", "long"), field("b", array("hyperlong")))


@pytest.mark.parametrize(
    ("readers", "writers", "code", "message"),
    [
        (
            ["fooBar"],
            ["fooBar"],
            "UNSUPPORTED_READER_FEATURE",
            "column b.element has the type hyperlong, and the table the feature fooBar, which "
            "deltactl does not know",
        ),
        (
            [],
            ["fooBar", "aNew"],
            "UNSUPPORTED_WRITER_FEATURE",
            "column b.element has the type hyperlong, and the table the features aNew, fooBar, "
            "which deltactl does not know",
        ),
        (
            None,
            ["fooBar"],
            "UNSUPPORTED_WRITER_FEATURE",
            "column b.element has the type hyperlong, and the table the feature fooBar, which "
            "deltactl does not know",
        ),
    ],
)
def test_an_unknown_type_that_an_unknown_feature_may_have_brought(
    readers: Lists, writers: Lists, code: str, message: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        check_types(protocol(3, 7, readers, writers), ODD)
    assert (caught.value.code, caught.value.message) == (code, message)
    assert caught.value.details == {"features": sorted(writers or ())}


def test_an_unknown_type_or_an_unknown_feature_alone() -> None:
    check_types(protocol(3, 7, ["typeWidening"], ["typeWidening"]), ODD)
    check_types(protocol(3, 7, ["fooBar"], ["fooBar"]), schema(field("a", array("long"))))


@pytest.mark.parametrize(
    ("odd", "codes"),
    [
        (protocol(1, 2), []),
        (protocol(3, 7, ["typeWidening"], ["typeWidening"]), []),
        (protocol(3, 7, ["columnMapping"], ["columnMapping"]), []),
        (protocol(2, 7, None, ["columnMapping"]), []),
        (protocol(1, 7, None, ["columnMapping"]), ["READER_VERSION_TOO_LOW"]),
        (protocol(1, 7, None, ["typeWidening"]), ["READER_VERSION_TOO_LOW"]),
        (protocol(1, 8, None, []), ["UNSUPPORTED_WRITER_VERSION"]),
        (protocol(1, 7, None, ["a", "a"]), ["DUPLICATE_FEATURE", "UNSUPPORTED_WRITER_FEATURE"]),
        (protocol(3, 7, ["typeWidening"], []), ["READER_FEATURE_NOT_IN_WRITER"]),
        (protocol(3, 7, [], ["typeWidening"]), ["WRITER_FEATURE_NOT_IN_READER"]),
        (protocol(1, 7, None, ["rowIds"]), ["DRAFT_FEATURE_NAME"]),
        (protocol(1, 7, None, ["futureFeature"]), ["UNSUPPORTED_WRITER_FEATURE"]),
    ],
)
def test_what_is_odd_is_remarked(odd: Protocol, codes: list[str]) -> None:
    assert [notice.code for notice in protocol_warnings(odd)] == codes


def test_features_are_listed_or_implied() -> None:
    assert supported(protocol(1, 1)) == frozenset()
    assert supported(protocol(1, 2)) == {"appendOnly", "invariants"}
    assert supported(protocol(1, 3)) == {"appendOnly", "invariants", "checkConstraints"}
    # Reader 1 does not imply column mapping, whatever the writer version is.
    assert "columnMapping" not in supported(protocol(1, 5))
    assert "columnMapping" in supported(protocol(2, 5))
    assert supported(protocol(3, 7, ["typeWidening"], ["typeWidening", "x"])) == {
        "typeWidening",
        "x",
    }


def test_the_keys_of_the_drafts_examples_are_recognised() -> None:
    draft = Protocol.from_json({"readerVersion": 1, "writerVersion": 2})
    with pytest.raises(BrokenLogError) as caught:
        check_form(draft)
    assert caught.value.code == "DRAFT_PROTOCOL_KEYS"
    assert caught.value.hint == "the real keys are minReaderVersion and minWriterVersion"
