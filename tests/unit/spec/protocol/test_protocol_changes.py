"""Protocols that grow and shrink: the table of versions is what Spark writes."""

from collections.abc import Sequence

import pytest

from deltactl.errors import RefusedError
from deltactl.spec.actions.action import Protocol
from deltactl.spec.protocol.protocol import supported, upgraded, with_features, without_feature

Names = Sequence[str]

TO_2 = ["appendOnly", "invariants"]
TO_3 = ["appendOnly", "checkConstraints", "invariants"]
TO_4 = ["appendOnly", "changeDataFeed", "checkConstraints", "generatedColumns", "invariants"]
TO_5 = sorted([*TO_4, "columnMapping"])
TO_6 = sorted([*TO_5, "identityColumns"])


def legacy(reader: int, writer: int) -> Protocol:
    return Protocol(min_reader_version=reader, min_writer_version=writer)


def listing(reader: int, writers: Names, readers: Names | None = None) -> Protocol:
    return Protocol(
        min_reader_version=reader,
        min_writer_version=7,
        reader_features=None if readers is None else tuple(readers),
        writer_features=tuple(writers),
    )


@pytest.mark.parametrize(
    ("reader", "writer", "new_reader", "implied"),
    [
        (1, 1, 1, []),
        (1, 2, 1, TO_2),
        (1, 3, 1, TO_3),
        (1, 4, 1, TO_4),
        (1, 5, 1, TO_4),  # columnMapping needs reader version 2 as well
        (1, 6, 1, [*TO_4, "identityColumns"]),
        (2, 2, 2, TO_2),  # versions never go down
        (2, 5, 2, TO_5),
        (2, 6, 2, TO_6),
    ],
)
def test_a_writer_feature_on_top_of_versions(
    reader: int, writer: int, new_reader: int, implied: Names
) -> None:
    new = with_features(legacy(reader, writer), ["domainMetadata"])
    assert (new.min_reader_version, new.min_writer_version) == (new_reader, 7)
    assert new.reader_features is None
    assert new.writer_features == tuple(sorted([*implied, "domainMetadata"]))


@pytest.mark.parametrize(
    ("reader", "writer", "readers", "implied"),
    [
        (1, 1, ["v2Checkpoint"], []),
        (1, 2, ["v2Checkpoint"], TO_2),
        (1, 3, ["v2Checkpoint"], TO_3),
        (1, 4, ["v2Checkpoint"], TO_4),
        (1, 6, ["v2Checkpoint"], [*TO_4, "identityColumns"]),
        (2, 5, ["columnMapping", "v2Checkpoint"], TO_5),
        (2, 6, ["columnMapping", "v2Checkpoint"], TO_6),
    ],
)
def test_a_reader_writer_feature_on_top_of_versions(
    reader: int, writer: int, readers: Names, implied: Names
) -> None:
    new = with_features(legacy(reader, writer), ["v2Checkpoint"])
    assert (new.min_reader_version, new.min_writer_version) == (3, 7)
    assert new.reader_features == tuple(readers)
    assert new.writer_features == tuple(sorted([*implied, "v2Checkpoint"]))


def test_column_mapping_alone_stays_at_reader_version_2() -> None:
    assert with_features(legacy(1, 2), ["columnMapping"]) == listing(
        2, ["appendOnly", "columnMapping", "invariants"]
    )


def test_a_feature_that_a_version_could_imply_is_listed() -> None:
    assert with_features(legacy(1, 2), ["changeDataFeed"]) == listing(
        1, ["appendOnly", "changeDataFeed", "invariants"]
    )


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("rowTracking", ["domainMetadata", "rowTracking"]),
        ("clustering", ["clustering", "domainMetadata"]),
        ("icebergCompatV2", ["columnMapping", "icebergCompatV2"]),
        ("icebergCompatV3", ["columnMapping", "domainMetadata", "icebergCompatV3", "rowTracking"]),
    ],
)
def test_what_a_feature_requires_comes_with_it(name: str, new: Names) -> None:
    assert with_features(legacy(1, 1), [name]).writer_features == tuple(new)


def test_lists_keep_their_order_and_what_nobody_knows() -> None:
    before = listing(3, ["zeta", "invariants", "appendOnly", "alpha"], ["zeta"])
    assert with_features(before, ["deletionVectors", "domainMetadata"]) == listing(
        3,
        ["zeta", "invariants", "appendOnly", "alpha", "deletionVectors", "domainMetadata"],
        ["zeta", "deletionVectors"],
    )


@pytest.mark.parametrize(
    ("before", "names"),
    [
        (legacy(1, 4), ["changeDataFeed", "appendOnly"]),
        (legacy(2, 5), ["columnMapping"]),
        (listing(1, ["rowTracking", "domainMetadata"]), ["rowTracking"]),
        (listing(3, ["typeWidening"], ["typeWidening"]), ["typeWidening"]),
        (legacy(1, 2), []),
    ],
)
def test_a_protocol_that_has_it_all_stays_as_it_is(before: Protocol, names: Names) -> None:
    assert with_features(before, names) is before


def test_unknown_fields_stay() -> None:
    before = Protocol(min_reader_version=1, min_writer_version=2, unknown={"x": 1})
    assert with_features(before, ["rowTracking"]).unknown == {"x": 1}
    assert upgraded(before, 1, 3).unknown == {"x": 1}


@pytest.mark.parametrize(
    ("before", "name", "after"),
    [
        # what is left can be said by versions
        (listing(1, ["appendOnly", "invariants", "rowTracking"]), "rowTracking", legacy(1, 2)),
        (listing(1, ["rowTracking"]), "rowTracking", legacy(1, 1)),
        (listing(1, [*TO_3, "domainMetadata"]), "domainMetadata", legacy(1, 3)),
        (listing(1, [*TO_4, "domainMetadata"]), "domainMetadata", legacy(1, 4)),
        (listing(2, [*TO_5, "domainMetadata"]), "domainMetadata", legacy(2, 5)),
        (listing(2, [*TO_6, "domainMetadata"]), "domainMetadata", legacy(2, 6)),
        (legacy(1, 3), "checkConstraints", legacy(1, 2)),
        # it cannot
        (
            legacy(1, 4),
            "checkConstraints",
            listing(1, ["appendOnly", "changeDataFeed", "generatedColumns", "invariants"]),
        ),
        (
            legacy(2, 5),
            "checkConstraints",
            listing(2, [n for n in TO_5 if n != "checkConstraints"]),
        ),
        (
            listing(3, ["typeWidening", "rowTracking", "b"], ["typeWidening"]),
            "rowTracking",
            listing(3, ["typeWidening", "b"], ["typeWidening"]),
        ),
        (listing(1, ["invariants", "rowTracking"]), "rowTracking", listing(1, ["invariants"])),
        # readers must still know what is left
        (
            listing(3, ["deletionVectors", "typeWidening"], ["deletionVectors", "typeWidening"]),
            "deletionVectors",
            listing(3, ["typeWidening"], ["typeWidening"]),
        ),
        (
            listing(3, ["deletionVectors", "x"], ["deletionVectors", "x"]),
            "deletionVectors",
            listing(3, ["x"], ["x"]),
        ),
        (
            listing(3, ["deletionVectors", "columnMapping"], ["deletionVectors", "columnMapping"]),
            "deletionVectors",
            listing(2, ["columnMapping"]),
        ),
        # and of a version below the lists, what writers' features stand for
        (
            listing(2, ["columnMapping", "typeWidening"]),
            "typeWidening",
            listing(2, ["columnMapping"]),
        ),
        # it is not there
        (legacy(1, 2), "rowTracking", legacy(1, 2)),
    ],
)
def test_without_a_feature(before: Protocol, name: str, after: Protocol) -> None:
    assert without_feature(before, name) == after
    assert supported(after) == supported(before) - {name}


@pytest.mark.parametrize(
    ("before", "reader", "writer", "after"),
    [
        (legacy(1, 2), 1, 3, legacy(1, 3)),
        (legacy(1, 2), 1, 6, legacy(1, 6)),
        (legacy(1, 2), 2, 6, legacy(2, 6)),
        (legacy(1, 1), 2, 5, legacy(2, 5)),
        (legacy(1, 2), 1, 2, legacy(1, 2)),
        # 3 and 7 stand for no feature of their own
        (legacy(1, 2), 3, 7, legacy(1, 2)),
        (legacy(1, 4), 1, 7, legacy(1, 4)),
        (legacy(2, 5), 3, 7, legacy(2, 5)),
        (listing(1, ["rowTracking"]), 3, 7, listing(1, ["rowTracking"])),
    ],
)
def test_higher_versions(before: Protocol, reader: int, writer: int, after: Protocol) -> None:
    assert upgraded(before, reader, writer) == after


@pytest.mark.parametrize(
    ("before", "reader", "writer", "code"),
    [
        (legacy(1, 3), 1, 2, "VERSION_GOES_DOWN"),
        (legacy(2, 5), 1, 6, "VERSION_GOES_DOWN"),
        (listing(1, ["rowTracking"]), 1, 6, "VERSION_GOES_DOWN"),
        (listing(3, ["typeWidening"], ["typeWidening"]), 2, 7, "VERSION_GOES_DOWN"),
        (legacy(1, 2), 3, 6, "VERSIONS_DO_NOT_FIT"),
    ],
)
def test_versions_that_a_table_cannot_have(
    before: Protocol, reader: int, writer: int, code: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        upgraded(before, reader, writer)
    assert caught.value.code == code
