"""Notices of reading as findings of verification: how severe, and whether a repair mends them."""

import pytest

from deltactl.errors import BrokenLogError, Notice
from deltactl.findings import Severity
from deltactl.verify.log.notices import finding_from_notice


@pytest.mark.parametrize(
    ("code", "expected", "severity", "repairable"),
    [
        ("DUPLICATE_ADD", "one add for a file", Severity.ERROR, False),
        ("DRAFT_ACTION", "actions of the protocol", Severity.WARNING, False),
        ("UNKNOWN_ACTION", "actions of the protocol", Severity.WARNING, False),
        ("SIDECAR_MISSING", "every sidecar that the checkpoint names", Severity.ERROR, True),
        ("LAST_CHECKPOINT_UNREADABLE", "a JSON object with a version", Severity.ERROR, True),
        ("SOMETHING_NEW", "a sound log", Severity.ERROR, False),
    ],
)
def test_a_notice(code: str, expected: str, severity: Severity, repairable: bool) -> None:
    for said in (Notice(code, "why"), BrokenLogError(code, "why")):
        finding = finding_from_notice(said, "a.json", since=4)
        assert (finding.code, finding.subject, finding.found) == (code, "a.json", "why")
        assert (finding.expected, finding.severity) == (expected, severity)
        assert (finding.repairable, finding.since_version) == (repairable, 4)
