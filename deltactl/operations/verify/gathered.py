"""What checks found: one line a check, and so many findings of each kind."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from deltactl.log.verify.finding import Finding

# One kind of fault may be in every file of a table: so many are told of each, and then counted.
NAMED = 20


@dataclass(slots=True)
class Check:
    """One subject: how many things were looked at, how many findings there are, why none was."""

    name: str
    subjects: int = 0
    findings: int = 0
    skipped: str | None = None
    detail: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "subjects": self.subjects,
            "findings": self.findings,
            "skipped": self.skipped,
            "detail": self.detail,
        }


class Findings:
    """Gathers what checks find, without holding a million findings of one kind."""

    def __init__(self) -> None:
        self.checks: dict[str, Check] = {}
        self.held: dict[tuple[str, Finding], None] = {}
        # What can be put right, by check: the names of files, without their place in them.
        self.repairable: dict[str, dict[str, None]] = {}
        # The text that a wrong checksum should have.
        self.good_checksums: dict[str, bytes] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def check(self, name: str) -> Check:
        """The check of that name, begun when first asked for."""
        return self.checks.setdefault(name, Check(name))

    def take(self, name: str, findings: Iterable[Finding]) -> bool:
        """Add the findings of a check; whether there were any."""
        check, any_found = self.check(name), False
        for finding in findings:
            any_found = True
            key = (name, finding)
            if key in self.held:
                continue
            check.findings += 1
            if finding.repairable:
                self.repairable.setdefault(name, {})[finding.subject.partition(":")[0]] = None
            count = self._counts[name, finding.code] = self._counts.get((name, finding.code), 0) + 1
            if count <= NAMED:
                self.held[key] = None
        return any_found
