import pytest

from deltactl.spec.protocol.clients import (
    CLIENTS,
    DELTA_RS,
    KERNEL,
    KERNEL_RS,
    SPARK,
    Client,
    fact,
    verdict,
)
from deltactl.spec.protocol.features import FEATURES

LEGACY = [(1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6)]


def answers(client: Client, reader: list[str], writer: list[str], *versions: int) -> str:
    """Return the two answers as `reads/writes`."""
    found = verdict(client, reader, writer, versions[0], versions[1])
    return f"{found.reads}/{found.writes}"


def test_clients_name_their_version_and_evidence() -> None:
    assert [client.title for client in CLIENTS] == [
        "Spark with Delta 4.4.0",
        "delta-rs (deltalake) 1.6.6",
        "Delta Kernel (Java) 4.4.0",
        "delta-kernel-rs b14c3fb84",
    ]
    assert all("2026-11-21" in client.evidence for client in CLIENTS)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda c: c.name)
def test_facts_are_about_known_features(client: Client) -> None:
    assert client.facts.keys() <= FEATURES.keys()


@pytest.mark.parametrize("client", CLIENTS, ids=lambda c: c.name)
@pytest.mark.parametrize("versions", LEGACY, ids=str)
def test_every_client_opens_legacy_tables(client: Client, versions: tuple[int, int]) -> None:
    assert verdict(client, (), (), *versions).reads == "yes"


@pytest.mark.parametrize(
    ("client", "expected"),
    [(SPARK, "yes/yes"), (DELTA_RS, "no/no"), (KERNEL, "yes/yes"), (KERNEL_RS, "yes/no")],
    ids=lambda value: getattr(value, "name", value),
)
def test_type_widening(client: Client, expected: str) -> None:
    assert answers(client, ["typeWidening"], ["typeWidening"], 3, 7) == expected


@pytest.mark.parametrize(
    ("client", "reader", "writer", "versions", "expected"),
    [
        (SPARK, [], [], (2, 6), "yes/yes"),
        (DELTA_RS, [], [], (1, 2), "yes/yes"),
        (KERNEL_RS, [], ["columnMapping"], (2, 7), "yes/unknown"),
        # A feature that only writers must know stops no reader.
        (SPARK, [], ["icebergWriterCompatV1"], (1, 7), "yes/no"),
        (SPARK, [], ["fooBar"], (1, 7), "yes/no"),
        (DELTA_RS, [], ["fooBar"], (1, 7), "yes/unknown"),
        (SPARK, [], ["rowIds"], (1, 7), "yes/no"),
        (SPARK, ["fooBar"], ["fooBar"], (3, 7), "no/no"),
        (KERNEL_RS, ["fooBar"], ["fooBar"], (3, 7), "unknown/unknown"),
        (SPARK, ["geospatial"], ["geospatial"], (3, 7), "unknown/unknown"),
        (SPARK, ["timestampNanos"], ["timestampNanos"], (3, 7), "no/no"),
        # Only Delta Kernel takes names in any letter case.
        (SPARK, ["TypeWidening"], ["TypeWidening"], (3, 7), "no/no"),
        (DELTA_RS, ["DeletionVectors"], ["DeletionVectors"], (3, 7), "no/no"),
        (KERNEL, ["TypeWidening"], ["TypeWidening"], (3, 7), "yes/yes"),
        (SPARK, [], [], (99, 99), "no/no"),
        (SPARK, [], ["appendOnly"], (1, 8), "yes/no"),
    ],
)
def test_verdicts(
    client: Client,
    reader: list[str],
    writer: list[str],
    versions: tuple[int, int],
    expected: str,
) -> None:
    assert answers(client, reader, writer, *versions) == expected


def test_reasons_name_the_feature() -> None:
    writer = ["invariants", "typeWidening", "variantShredding-preview"]
    assert verdict(SPARK, ["typeWidening"], writer, 3, 7).because == ()
    assert verdict(DELTA_RS, ["typeWidening"], writer, 3, 7).because == (
        "typeWidening: it opens the log but refuses to read data or to write; only "
        "create_checkpoint and vacuum still run",
        "not measured: variantShredding-preview",
    )


def test_reasons_say_what_a_yes_leaves_out() -> None:
    found = verdict(DELTA_RS, [], ["columnMapping"], 2, 7)
    assert found.because == (
        "columnMapping: QueryBuilder reads right; to_pyarrow_table gives nulls for renamed "
        "columns at reader version 2, and refuses at 3",
    )


def test_unknown_versions_are_named() -> None:
    assert verdict(SPARK, [], [], 4, 7).because == ("no client knows reader version 4",)
    assert verdict(SPARK, [], [], 1, 8).because == ("no client knows writer version 8",)


@pytest.mark.parametrize(
    ("client", "name", "expected"),
    [
        (SPARK, "rowTracking", ("yes", "yes")),
        (DELTA_RS, "rowTracking", ("yes", "no")),
        (DELTA_RS, "variantType", ("unknown", "unknown")),
        (SPARK, "collations", ("yes", "no")),
        (SPARK, "rowIds", ("yes", "no")),
        (KERNEL_RS, "deletionVectors", ("unknown", "unknown")),
    ],
)
def test_facts(client: Client, name: str, expected: tuple[str, str]) -> None:
    found = fact(client, name)
    assert (found.reads, found.writes) == expected


def test_reasons_are_in_the_order_of_features_and_unknown_ones_last() -> None:
    names = ["zebra", "vacuumProtocolCheck", "alpha", "typeWidening", "v2Checkpoint"]
    for listed in (names, names[::-1], sorted(names)):
        features = [
            reason.partition(": ")[0] for reason in verdict(SPARK, listed, listed, 3, 7).because
        ]
        assert features == ["alpha", "zebra"]
        known = verdict(DELTA_RS, listed, listed, 3, 7).because
        assert [reason.partition(": ")[0] for reason in known] == [
            "v2Checkpoint", "typeWidening", "vacuumProtocolCheck", "not measured",
        ]  # fmt: skip
        assert known[-1] == "not measured: alpha, zebra"
