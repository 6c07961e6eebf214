"""`domain list`: the texts that features and applications keep in a table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.actions.action import DomainMetadata
from deltactl.spec.keys import DELTA_PREFIX
from deltactl.table.state.small_actions import read_domains
from deltactl.table.table import At, Table
from deltactl.table.version_facts import table_ref

# Domains that begin with this are those of table features.


@dataclass(frozen=True, kw_only=True)
class DomainsReport(Report):
    """The metadata domains of a table.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        domains: the domains, by name.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    domains: tuple[DomainMetadata, ...]
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {"version": self.version, "domains": list(self.elements())}

    def elements(self) -> Iterator[Mapping[str, Any]]:
        return (
            {
                "domain": domain.domain,
                "system": is_system(domain.domain),
                "configuration": domain.configuration,
            }
            for domain in self.domains
        )


def report_domains(table: Table, at: At = None) -> DomainsReport:
    """Return the domains of the table at a version."""
    snapshot = table.snapshot(at)
    found = read_domains(snapshot)
    return DomainsReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        domains=tuple(found[name] for name in sorted(found)),
        warnings=snapshot.notices,
    )


def is_system(name: str) -> bool:
    """Return whether the domain is that of a table feature, which keeps it itself."""
    return name.casefold().startswith(DELTA_PREFIX)
