"""What is odd about a table's properties and domains though every engine can read it."""

from collections.abc import Iterator

from deltactl.errors import Notice
from deltactl.spec.actions.action import DomainMetadata
from deltactl.spec.keys import DOMAIN_METADATA_FEATURE
from deltactl.spec.properties import registry
from deltactl.spec.protocol import features
from deltactl.spec.protocol.protocol import supported
from deltactl.table.snapshot import Snapshot


def property_warnings(snapshot: Snapshot) -> Iterator[Notice]:
    """Warn of properties without their feature, and of values that no engine accepts."""
    configuration, have = snapshot.configuration, supported(snapshot.protocol)
    for row, key in features.properties_missing_feature(configuration, have):
        said = f"{key} asks for the feature {row.name}, which the protocol does not have"
        yield Notice("PROPERTY_WITHOUT_FEATURE", said)
    for name, wrong in registry.problems(configuration):
        unknown = registry.lookup(name) is None
        code = "UNKNOWN_PROPERTY" if unknown else "BAD_PROPERTY_VALUE"
        yield Notice(code, f"property {name} = {configuration[name]!r}: {wrong}")


def domain_warnings(snapshot: Snapshot, domains: list[DomainMetadata]) -> Iterator[Notice]:
    """Warn of domains without their feature, or in the form of the draft."""
    if domains and DOMAIN_METADATA_FEATURE not in supported(snapshot.protocol):
        names = ", ".join(domain.domain for domain in domains)
        said = f"the domains {names} are there, but the protocol has no domainMetadata"
        yield Notice("DOMAIN_WITHOUT_FEATURE", said)
    for domain in domains:
        if isinstance(domain.configuration, dict):
            said = f"the configuration of domain {domain.domain} is an object, as in the draft"
            yield Notice("DRAFT_DOMAIN_CONFIGURATION", said)
