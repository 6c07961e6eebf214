"""Drafts of small tables, and what is said of the plans that are made of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from small_tables import Action, commit_info, write_log

from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.operations.protocol.drop import plan_protocol_drop
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.operations.prune.prune_type_changes import FileScan
from deltactl.table.table import open_table

NOW = 1_767_322_800_000


def draft_of(root: Path, *commits: Sequence[Action]) -> Draft:
    """A draft of a table with these commits."""
    uri = write_log(root, [[commit_info(), *commit] for commit in commits])
    return Draft(open_table(uri).snapshot(), now=NOW, fresh=lambda prefix, what: prefix + what)


def codes(plan: Plan) -> list[str]:
    return [refusal.code for refusal in plan.refusals]


def warned(plan: Plan) -> list[str]:
    return [notice.code for notice in plan.warnings]


def back(plan: Plan) -> list[str]:
    """How to go back, as people are told it: the commands, then the note."""
    assert plan.undo is not None
    return [*map(str, plan.undo.commands), *([str(plan.undo.note)] if plan.undo.note else [])]


def configuration(plan: Plan) -> dict[str, str]:
    """The properties that the table is to have."""
    assert plan.metadata is not None
    return dict(plan.metadata.configuration)


def parameters(plan: Plan) -> dict[str, Any]:
    """The operation's parameters, out of their texts."""
    return {key: json.loads(value) for key, value in plan.parameters.items()}


def drop(draft: Draft, name: str, *, truncate: bool = False) -> Plan:
    """The plan to drop a feature; footers are read where they count, and files may be rewritten."""
    footers = FooterScanner()
    files = FileScan(footers.scan, footers.old_files, batch=10)
    return plan_protocol_drop(draft, name, files, truncate=truncate)
