"""What a check says of something that is not as it must be."""

from enum import StrEnum
from typing import Any, NamedTuple


class Severity(StrEnum):
    """An error breaks a rule of the protocol or a reader; a warning is a trap for some engine."""

    ERROR = "error"
    WARNING = "warning"


class Finding(NamedTuple):
    """One fault: `subject` is the file, the place in it, or the column that has it.

    `since_version` is the first version at which expected and found part, if one is known.
    `repairable`: all that is needed to put it right is in the log itself.
    """

    code: str
    subject: str
    expected: str
    found: str
    severity: Severity = Severity.ERROR
    since_version: int | None = None
    repairable: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity.value,
            "subject": self.subject,
            "expected": self.expected,
            "found": self.found,
            "sinceVersion": self.since_version,
            "repairable": self.repairable,
        }


def doubtful(finding: Finding, damaged: str) -> Finding:
    """Return the finding if the commit `damaged` may be wrong, and not its file."""
    expected = f"{finding.expected}, unless {damaged} is what is wrong: then this may be right"
    return finding._replace(expected=expected, repairable=False)


def shown(value: Any) -> str:
    """Return a value of the log for a finding, cut short since it may be of any length."""
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
