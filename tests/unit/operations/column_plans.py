"""Small tables whose columns are to change, and the plans for that."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from small_tables import Action, Field, commit_info, metadata, protocol, write_log

from deltactl.changes.draft import Draft
from deltactl.changes.plan import Plan
from deltactl.cli.columns import read_steps
from deltactl.operations.columns.verbs import plan_columns
from deltactl.table.table import open_table

NOW = 1_767_322_800_000


def plan(root: Path, table: Sequence[Action], *lines: str, enabling: bool = False) -> Plan:
    """The plan for verbs, written as lines of `column apply`, on a table of this one commit."""
    snapshot = open_table(write_log(root, [[commit_info(), *table]])).snapshot()
    draft = Draft(snapshot, now=NOW, fresh=lambda prefix, what: prefix + what.replace(" ", "-"))
    steps = [step._replace(lead="") if len(lines) == 1 else step for step in read_steps(lines)]
    return plan_columns(draft, steps, enabling=enabling)


def mapped_table(*fields: Field, last: int = 9, **conf: str) -> list[Action]:
    """A table with column mapping by name."""
    own = protocol(writer=["columnMapping", "appendOnly", "invariants"])
    own["protocol"]["minReaderVersion"] = 2
    settings = {"columnMapping.mode": "name", "columnMapping.maxColumnId": str(last), **conf}
    return [own, metadata(*fields, **settings)]


def partitioned(table: Sequence[Action], *names: str) -> list[Action]:
    """The table, partitioned."""
    first, second = table
    return [first, {"metaData": {**second["metaData"], "partitionColumns": [*names]}}]


def fields(plan: Plan) -> list[Field]:
    """The columns of the table that the plan makes."""
    assert plan.metadata is not None
    assert plan.metadata.schema_string is not None
    found: list[Field] = json.loads(plan.metadata.schema_string)["fields"]
    return found


def codes(plan: Plan) -> list[str]:
    """What is refused."""
    return [refusal.code for refusal in plan.refusals]


def parameters(plan: Plan) -> dict[str, Any]:
    """The operation's parameters, those that are JSON read."""
    return {key: json.loads(value) for key, value in plan.parameters.items()}


def words(*parts: str) -> str:
    """A line of these words."""
    return shlex.join(parts)
