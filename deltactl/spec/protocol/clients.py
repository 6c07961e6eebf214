"""Which known clients can read and write a table, by its protocol.

Every fact was seen in a run, or read in the source, of the version that its client names. Where
neither is so the answer is "unknown": nothing here is guessed.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import StrEnum

from deltactl.spec.actions.action import Protocol
from deltactl.spec.protocol.features import DRAFT_NAMES, FEATURES, FeatureKind, implied


class ClientSupport(StrEnum):
    """Whether a client can do something."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Fact:
    """What a client does with tables that have one feature; `remark` is for people."""

    reads: ClientSupport
    writes: ClientSupport
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Client:
    """One version of one client, and what is known of it.

    `complete`: it knows no feature that `FEATURES` does not have. `ignores_case`: it takes the
    names of features in any letter case, against the protocol.
    """

    name: str
    version: str
    evidence: str
    facts: Mapping[str, Fact] = field(repr=False, hash=False)
    _: KW_ONLY
    complete: bool = False
    ignores_case: bool = False

    @property
    def title(self) -> str:
        """The client and its version, as shown to people."""
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a client can read and write a table.

    `because` says why if an answer is not yes, and what to know where it is.
    """

    reads: ClientSupport
    writes: ClientSupport
    because: tuple[str, ...]


_BOTH = Fact(ClientSupport.YES, ClientSupport.YES)
_IN_SOURCE = Fact(ClientSupport.YES, ClientSupport.YES, "read in the source, not run")
_REFUSED = Fact(ClientSupport.NO, ClientSupport.NO, "the client does not know the feature")
_SILENT = Fact(ClientSupport.UNKNOWN, ClientSupport.UNKNOWN)


def _each(fact: Fact, *names: str) -> dict[str, Fact]:
    return dict.fromkeys(names, fact)


SPARK = Client(
    "Spark with Delta",
    "4.4.0",
    "run on 2026-11-21 with pyspark 4.2.0",
    {
        **_each(
            _BOTH,
            "appendOnly",
            "invariants",
            "checkConstraints",
            "changeDataFeed",
            "generatedColumns",
            "columnMapping",
            "identityColumns",
            "deletionVectors",
            "timestampNtz",
            "domainMetadata",
            "rowTracking",
            "v2Checkpoint",
            "typeWidening",
            "typeWidening-preview",
            "inCommitTimestamp",
            "checkpointProtection",
            "clustering",
            "allowColumnDefaults",
            "icebergCompatV1",
            "icebergCompatV2",
            "icebergCompatV3",
            "variantShredding-preview",
            "materializePartitionColumns",
            "vacuumProtocolCheck",
            "variantType",
            "variantType-preview",
            "variantShredding",
        ),
        **_each(
            _REFUSED,
            "icebergWriterCompatV1",
            "icebergWriterCompatV3",
            "catalogOwned-preview",
            "redirectReaderWriter-preview",
            "redirectWriterOnly-preview",
            "collations",
            "collations-preview",
            "columnMappingUsageTracking",
            "timestampNanos",
        ),
        **_each(
            Fact(ClientSupport.UNKNOWN, ClientSupport.UNKNOWN, "it is behind a preview setting"),
            "geospatial",
            "geospatial-dev",
            "adaptiveMetadata-preview",
        ),
    },
    complete=True,
)

DELTA_RS = Client(
    "delta-rs (deltalake)",
    "1.6.6",
    "run on 2026-11-21",
    {
        **_each(
            Fact(
                ClientSupport.NO,
                ClientSupport.NO,
                "it opens the log but refuses to read data or to write; only create_checkpoint "
                "and vacuum still run",
            ),
            "typeWidening",
            "typeWidening-preview",
        ),
        **_each(
            _BOTH,
            "appendOnly",
            "invariants",
            "checkConstraints",
            "changeDataFeed",
            "generatedColumns",
            "timestampNtz",
        ),
        **_each(
            Fact(
                ClientSupport.YES,
                ClientSupport.YES,
                "QueryBuilder reads it; to_pyarrow_table refuses",
            ),
            "deletionVectors",
            "v2Checkpoint",
        ),
        "columnMapping": Fact(
            ClientSupport.YES,
            ClientSupport.YES,
            "QueryBuilder reads right; to_pyarrow_table gives nulls for renamed columns at reader "
            "version 2, and refuses at 3",
        ),
        **_each(
            Fact(ClientSupport.NO, ClientSupport.NO, "it refuses to read data and to write"),
            "vacuumProtocolCheck",
            "variantShredding",
        ),
        **_each(
            Fact(ClientSupport.YES, ClientSupport.NO, "it refuses to write"),
            "identityColumns",
            "domainMetadata",
            "rowTracking",
            "inCommitTimestamp",
            "checkpointProtection",
            "clustering",
            "allowColumnDefaults",
            "icebergCompatV1",
            "icebergCompatV2",
            "icebergCompatV3",
            "materializePartitionColumns",
        ),
    },
)

KERNEL = Client(
    "Delta Kernel (Java)",
    "4.4.0",
    "run, and read in the source, on 2026-11-21",
    {
        **_each(_IN_SOURCE, "typeWidening", "icebergWriterCompatV1", "icebergWriterCompatV3"),
        "typeWidening-preview": replace(
            _IN_SOURCE, remark="read in the source; a write loses tableVersion of type changes"
        ),
        **_each(_REFUSED, "columnMappingUsageTracking", "timestampNanos"),
    },
    complete=True,
    ignores_case=True,
)

KERNEL_RS = Client(
    "delta-kernel-rs",
    "b14c3fb84",
    "read in the source on 2026-11-21, not run",
    _each(
        Fact(ClientSupport.YES, ClientSupport.NO, "it reads data and refuses to write"),
        "typeWidening",
        "typeWidening-preview",
    ),
)

CLIENTS = (SPARK, DELTA_RS, KERNEL, KERNEL_RS)


def fact(client: Client, name: str) -> Fact:
    """Return what `client` does with a table that lists the feature `name`.

    A writer feature stops no reader, whether the reader knows it or not.
    """
    found = client.facts.get(name) or _unlisted(client, name)
    row = FEATURES.get(DRAFT_NAMES.get(name, name))
    if row is not None and row.kind is FeatureKind.WRITER:
        return replace(found, reads=ClientSupport.YES)
    return found


def verdict_on(client: Client, protocol: Protocol) -> Verdict:
    """Return whether `client` can read and write a table with this well-formed protocol."""
    return verdict(
        client,
        protocol.reader_features or (),
        protocol.writer_features or (),
        protocol.min_reader_version,
        protocol.min_writer_version,
    )


def verdict(
    client: Client,
    reader_features: Collection[str],
    writer_features: Collection[str],
    min_reader: int,
    min_writer: int,
) -> Verdict:
    """Return whether `client` can read and write a table with this protocol.

    The lists are those of the protocol action, empty if it has none. The protocol must be well
    formed: clients differ in what they make of one that is not.
    """
    if min_reader > 3:
        return Verdict(
            ClientSupport.NO, ClientSupport.NO, (f"no client knows reader version {min_reader}",)
        )
    names = {*reader_features, *writer_features, *implied(min_reader, min_writer)}
    facts = {name: fact(client, name) for name in _in_order(names)}
    # Every client opens tables below reader version 3, for which only columnMapping matters.
    reads = _all(facts[n].reads for n in reader_features) if min_reader == 3 else ClientSupport.YES
    writes = _all((reads, *(known.writes for known in facts.values())))
    because = _reasons(facts)
    if min_writer > 7:
        writes = ClientSupport.NO
        because = (f"no client knows writer version {min_writer}", *because)
    return Verdict(reads, writes, because)


def _unlisted(client: Client, name: str) -> Fact:
    """Return what follows for a feature about which there is no fact."""
    if name in FEATURES:
        return _SILENT
    spelt = next((known for known in FEATURES if known.casefold() == name.casefold()), None)
    if spelt and client.ignores_case:
        return client.facts.get(spelt, _SILENT)
    return _REFUSED if spelt or client.complete else _SILENT


def _in_order(names: Iterable[str]) -> list[str]:
    """Return names as `FEATURES` has them, unknown ones last."""
    order = {name: place for place, name in enumerate(FEATURES)}
    return sorted(names, key=lambda name: (order.get(name, len(order)), name))


def _all(answers: Iterable[ClientSupport]) -> ClientSupport:
    """Return no if any answer is no, else unknown if any is, else yes."""
    seen = set(answers)
    return next(
        (a for a in (ClientSupport.NO, ClientSupport.UNKNOWN) if a in seen), ClientSupport.YES
    )


def _reasons(facts: Mapping[str, Fact]) -> tuple[str, ...]:
    said = tuple(f"{name}: {known.remark}" for name, known in facts.items() if known.remark)
    silent = [
        name
        for name, known in facts.items()
        if not known.remark and ClientSupport.UNKNOWN in (known.reads, known.writes)
    ]
    return (*said, f"not measured: {', '.join(silent)}") if silent else said
