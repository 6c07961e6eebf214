"""What checks found: one line a check, and a limited number of findings of each kind."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from deltactl.findings import Finding, Severity

# One kind of fault may be in every file of a table: so many are told of each, and then counted.
NAMED = 20


@dataclass(slots=True)
class Check:
    """One subject: how many things were looked at, how many findings there are, why none was.

    `findings` counts all of them, `warnings` those that are no errors.
    """

    name: str
    subjects: int = 0
    findings: int = 0
    warnings: int = 0
    skipped: str | None = None
    detail: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "subjects": self.subjects,
            "findings": self.findings,
            "warnings": self.warnings,
            "skipped": self.skipped,
            "detail": self.detail,
        }


def file_of(finding: Finding) -> str:
    """Return the name of the file that the finding is of, without the place in it."""
    return finding.subject.partition(":")[0].partition(",")[0]


class Findings:
    """Gathers what checks find, without holding a million findings of one kind."""

    def __init__(self) -> None:
        self.checks: dict[str, Check] = {}
        self.kept: dict[tuple[str, Finding], None] = {}
        # What can be put right, by check: the names of files, without their place in them.
        self.repairable: dict[str, dict[str, None]] = {}
        # What was, until it came out that the log does not have what this takes.
        self.given_up: dict[str, dict[str, None]] = {}
        # The text that a wrong checksum should have.
        self.good_checksums: dict[str, bytes] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def check(self, name: str) -> Check:
        """Return the check of that name, begun when first asked for."""
        return self.checks.setdefault(name, Check(name))

    def add(self, name: str, findings: Iterable[Finding]) -> bool:
        """Add the findings of a check; whether there were any."""
        check, any_found = self.check(name), False
        for finding in findings:
            any_found = True
            key = (name, finding)
            if key in self.kept:
                continue
            check.findings += 1
            check.warnings += finding.severity is Severity.WARNING
            if finding.repairable:
                self.repairable.setdefault(name, {})[file_of(finding)] = None
            count = self._counts[name, finding.code] = self._counts.get((name, finding.code), 0) + 1
            if count <= NAMED:
                self.kept[key] = None
        return any_found

    def close(self, why: str) -> None:
        """Say why of each check that looked at nothing and found nothing, unless it did."""
        for check in self.checks.values():
            if not check.subjects and not check.findings and check.skipped is None:
                check.skipped = why

    def give_up(self, name: str, files: Collection[str]) -> None:
        """Say of what a check found in these files that it cannot be put right after all."""
        for file in files:
            self.repairable.get(name, {}).pop(file, None)
        self.given_up.setdefault(name, {}).update(dict.fromkeys(files))
        kept = (
            (check, finding._replace(repairable=False))
            if check == name and file_of(finding) in files
            else (check, finding)
            for check, finding in self.kept
        )
        self.kept = dict.fromkeys(kept)
