"""What a plan reports row by row: settings, clients that lose access, types in data files."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from deltactl.spec.protocol.clients import Client, ClientSupport, Verdict


class SettingKind(StrEnum):
    """What changes beside the schema, whose changes have kinds of their own."""

    PROPERTY = "property"
    DOMAIN = "domain"
    TABLE = "table"


class SettingChange(NamedTuple):
    """A property, a domain, or a field of the metadata with its value before and after.

    `depends_on_version`: the value is rebuilt for each attempt, and says nothing of what was
    asked for.
    """

    kind: SettingKind
    path: str
    before: Any
    after: Any
    depends_on_version: bool = False

    def to_json(self) -> dict[str, Any]:
        sides = {"before": self.before, "after": self.after}
        return {"kind": self.kind.value, "path": self.path, **sides, "readersGoOn": True}


class ClientImpact(NamedTuple):
    """A client that could open the table before, and what it can no longer do."""

    client: Client
    before: Verdict
    after: Verdict

    @property
    def loses(self) -> tuple[str, ...]:
        """`read`, `write`: what it could do, or no measurement says that it could not."""
        words = {
            "read": (self.before.reads, self.after.reads),
            "write": (self.before.writes, self.after.writes),
        }
        return tuple(word for word, (was, now) in words.items() if was != now == ClientSupport.NO)

    @property
    def lacked(self) -> tuple[str, ...]:
        """`read`, `write`: what it could not do before either."""
        words = {"read": self.before.reads, "write": self.before.writes}
        return tuple(word for word, was in words.items() if was == ClientSupport.NO)

    @property
    def because(self) -> tuple[str, ...]:
        """What is against it now, and was not before."""
        return tuple(reason for reason in self.after.because if reason not in self.before.because)

    def to_json(self) -> dict[str, Any]:
        return {
            "client": self.client.name,
            "version": self.client.version,
            "loses": list(self.loses),
            "because": list(self.because),
        }


class PhysicalColumn(NamedTuple):
    """A column whose type has changed, and the types in which data files hold it.

    `field` is the one whose metadata remembers the `changes`. It can forget them where
    `is_prunable`; `reason` says why, or why not.
    """

    path: str
    field: str
    type: str
    changes: tuple[Mapping[str, Any], ...]
    types: tuple[Mapping[str, Any], ...]
    is_prunable: bool
    reason: str

    def to_json(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "field": self.field,
            "type": self.type,
            "typeChanges": [dict(change) for change in self.changes],
            "physicalTypes": [dict(held) for held in self.types],
            "prunable": self.is_prunable,
            "reason": self.reason,
        }
