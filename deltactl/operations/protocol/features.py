"""`protocol features`: every table feature that is known."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from deltactl.report import Report
from deltactl.spec.protocol.clients import CLIENTS, fact
from deltactl.spec.protocol.features import DRAFT_NAMES, FEATURES, Feature, Support, feature


@dataclass(frozen=True, kw_only=True)
class FeaturesReport(Report):
    """Some or all table features.

    Attributes:
        features: the features, in the order in which to show them.
    """

    features: tuple[Feature, ...]

    def body(self) -> Mapping[str, Any]:
        return {"features": list(self.elements()), "draftNames": dict(DRAFT_NAMES)}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (_feature_json(row) for row in self.features)


def report_features(name: str | None = None) -> FeaturesReport:
    """Return every feature, or the one that a person names.

    Raises:
        NotFoundError: there is no such feature.
    """
    if name is None:
        return FeaturesReport(features=tuple(FEATURES.values()))
    return FeaturesReport(features=(feature(DRAFT_NAMES.get(name, name)),))


def _feature_json(row: Feature) -> dict[str, Any]:
    return {
        "name": row.name,
        "kind": row.kind.value,
        "purpose": row.purpose,
        "minReaderVersion": row.min_reader,
        "minWriterVersion": row.min_writer,
        "impliedFrom": {"reader": row.legacy_reader, "writer": row.legacy_writer},
        "requires": list(row.requires),
        "activatedBy": {"kind": row.activation.by.value, "keys": list(row.activation.keys)},
        "enabling": {"needs": row.enabling.value, "note": row.enabling_note or None},
        "dropping": {"spark": row.dropping.value, "note": row.dropping_note or None},
        "deltactl": {"reads": Support.READ in row.support, "writes": Support.WRITE in row.support},
        "clients": [
            {
                "client": client.name,
                "version": client.version,
                "reads": fact(client, row.name).reads.value,
                "writes": fact(client, row.name).writes.value,
            }
            for client in CLIENTS
        ],
    }
