"""What to type about a finding, and what no check looked at."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from deltactl.explanations import explanations
from deltactl.findings import Finding
from deltactl.text.hints import Command
from deltactl.verify.findings import Check
from deltactl.verify.verifier import Scope

_VERIFY = "verify-checksum"
_PLACE = re.compile(r"\b[A-Z]{2,}\b")


class LeftOut(NamedTuple):
    """What was not looked at, and the option to look at it."""

    what: str
    option: str


def left_out(scope: Scope, version: int, checks: Mapping[str, Check]) -> Iterator[LeftOut]:
    """Yield what the table may have and this scope leaves out."""
    if not scope.every and version:
        yield LeftOut("older versions", "--all")
    files = checks.get("files")
    if files is None or not files.subjects:
        return
    if not scope.data:
        yield LeftOut("data files", "--data")
    elif scope.spark is None:
        yield LeftOut("rows", "--data --engine spark")


def next_command(finding: Finding, called: str | None) -> str:
    """Return the command that mends what was found, or the one that says what to do.

    `called` is how commands name the table.
    """
    if finding.repairable:
        repair = Command(_VERIFY, "--repair")
        return str(repair if called is None else repair.named(called))
    following = explanations()[finding.code].next
    if _VERIFY in following or set(_PLACE.findall(following)) != {"TABLE"}:
        return f"deltactl explain {finding.code}"
    return following if called is None else following.replace("TABLE", called)
