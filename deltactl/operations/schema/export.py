"""`schema export`: the schema for another program."""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from deltactl.errors import Notice
from deltactl.report import Report, TableRef
from deltactl.spec.keys import CLUSTERING_FEATURE, COLLATIONS
from deltactl.spec.protocol.protocol import supported
from deltactl.spec.schema.schema import walk
from deltactl.spec.schema.types import Struct
from deltactl.sql.ddl import create_table
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import At, Table
from deltactl.table.version_facts import schema_json, table_ref

Form = Literal["ddl", "json", "arrow"]


@dataclass(frozen=True, kw_only=True)
class SchemaExportReport(Report):
    """The schema for another program.

    Attributes:
        table: its place, its id and its name.
        version: the version that was read.
        form: `ddl`, `json` or `arrow`.
        text: the schema in that form.
        arrow: Arrow's own serialisation in base64, None for the other forms.
        warnings: what is odd, each with a `code` and a `message`.
    """

    table: TableRef
    version: int
    form: Form
    text: str
    arrow: str | None = None
    warnings: tuple[Notice, ...] = field(default=())

    def body(self) -> Mapping[str, Any]:
        return {
            "version": self.version,
            "format": self.form,
            "text": self.text,
            "arrowIpc": self.arrow,
        }


def report_schema_export(table: Table, form: Form, at: At = None) -> SchemaExportReport:
    """Return the schema as a CREATE TABLE statement, as Delta's JSON, or as Arrow has it.

    Raises:
        RefusedError: Arrow does not have one of its types.
    """
    snapshot = table.snapshot(at, even_if_unsupported=True)
    schema, arrow = snapshot.usable_schema, None
    notices = list(snapshot.notices)
    match form:
        case "ddl":
            text = create_table(snapshot.metadata, schema, table.uri)
            notices += _left_out(snapshot, schema)
        case "json":
            text = json.dumps(schema_json(snapshot.metadata), ensure_ascii=False, indent=2)
        case "arrow":
            # Loads pyarrow, which the other two forms do without.
            found = import_module("deltactl.log.arrow.arrow_schema").arrow_schema(schema)
            text = found.to_string(show_field_metadata=False)
            arrow = base64.b64encode(found.serialize().to_pybytes()).decode()
    return SchemaExportReport(
        table=table_ref(table, snapshot.metadata),
        version=snapshot.version,
        form=form,
        text=text,
        arrow=arrow,
        warnings=tuple(notices),
    )


def _left_out(snapshot: Snapshot, schema: Struct) -> Iterator[Notice]:
    """Yield what the statement cannot say, or what only the log's domains know."""
    missing = []
    if CLUSTERING_FEATURE in supported(snapshot.protocol):
        missing.append("clustering (CLUSTER BY)")
    if any(COLLATIONS in node.field.metadata for node in walk(schema) if node.is_field):
        missing.append("collations")
    if missing:
        yield Notice("DDL_INCOMPLETE", f"the statement leaves out {' and '.join(missing)}")
