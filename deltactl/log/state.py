"""All that a table is at a version, but for its files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction


@dataclass(slots=True)
class StateWithoutFiles:
    """The actions of which there is one, or one a name; a domain that was removed is kept, too."""

    protocol: Protocol | None = None
    metadata: Metadata | None = None
    transactions: dict[str, Transaction] = field(default_factory=dict)
    domains: dict[str, DomainMetadata] = field(default_factory=dict)

    def apply_action(self, kind: str, body: Mapping[str, Any]) -> None:
        """Take over an action, in place of an older one of its name; others are passed over.

        Raises:
            BrokenLogError: a field that it must have is missing, or of another type.
        """
        match kind:
            case "protocol":
                self.protocol = Protocol.from_json(body)
            case "metaData":
                self.metadata = Metadata.from_json(body)
            case "txn":
                transaction = Transaction.from_json(body)
                self.transactions[transaction.app_id] = transaction
            case "domainMetadata":
                domain = DomainMetadata.from_json(body)
                self.domains[domain.domain] = domain
