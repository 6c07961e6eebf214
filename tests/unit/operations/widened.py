"""Small tables that are to be widened, and what becomes of them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from small_tables import Action, Field, metadata, protocol, write_log

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor, Planner
from deltactl.changes.plan import Plan
from deltactl.operations.widen.widen import WidenRequest, plan_widen
from deltactl.table.table import open_table

NOW = 1_767_322_800_000
Table = Sequence[Action]


def spark_config(text: str) -> list[WidenRequest]:
    """`a long, s.x double` as the command line gives it."""
    return [WidenRequest(*pair.split(" ", 1)) for pair in text.split(", ")]


def on(*fields: Field, also: Sequence[str] = (), writer: Sequence[str] = (), **conf: str) -> Table:
    """A table with type widening switched on, and with other features."""
    properties = {"enableTypeWidening": "true", **conf}
    return [
        protocol(reader=["typeWidening", *also], writer=writer),
        metadata(*fields, **properties),
    ]


def planned(root: Path, table: Table, text: str, **options: Any) -> Plan:
    """The plan for a table whose version 0 is this one commit."""
    snapshot = open_table(write_log(root, [table])).snapshot()
    draft = Draft(snapshot, now=NOW, fresh=lambda prefix, what: f"{prefix}{what}")
    return plan_widen(draft, spark_config(text), **options)


def committed(uri: str, planner: Planner) -> int | None:
    """Carry the change out; the version that it made."""
    return (
        ChangeExecutor(open_table(uri), planner, CommitOptions()).execute(lambda plan: None).version
    )


def fields(plan: Plan) -> dict[str, Field]:
    """The columns of the table that the plan makes, by name."""
    assert plan.metadata is not None
    assert plan.metadata.schema_string is not None
    return {field["name"]: field for field in json.loads(plan.metadata.schema_string)["fields"]}


def codes(plan: Plan) -> list[str]:
    return [refusal.code for refusal in plan.refusals]


def change(old: str, new: str, path: str | None = None, version: int = 1) -> dict[str, Any]:
    """An entry of `delta.typeChanges`."""
    below = {} if path is None else {"fieldPath": path}
    return {"fromType": old, "toType": new, **below, "tableVersion": version}
