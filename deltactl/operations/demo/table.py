"""The table that `deltactl demo` makes, commit by commit: its rows, its schema, its actions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.arrow.arrow_schema import arrow_schema
from deltactl.log.commit.commit_text import CommitContext, commit_info, line
from deltactl.spec.actions.action import Metadata, Protocol
from deltactl.spec.actions.file_action import AddFile
from deltactl.spec.keys import (
    APPEND_ONLY_FEATURE,
    ENABLE_TYPE_WIDENING,
    INVARIANTS_FEATURE,
    TYPE_CHANGES,
    TYPE_WIDENING_FEATURE,
)
from deltactl.spec.schema.edit import schema_string
from deltactl.spec.schema.types import (
    INTEGER,
    LONG,
    STRING,
    Array,
    Struct,
    StructField,
    field_to_json,
)
from deltactl.text import strict_json

NAME = "orders"
DESCRIPTION = "made by deltactl demo"
CONFIGURATION = {ENABLE_TYPE_WIDENING: "true"}
PROTOCOL = Protocol(
    min_reader_version=3,
    min_writer_version=7,
    reader_features=(TYPE_WIDENING_FEATURE,),
    # A protocol that lists features lists those that older versions implied, too.
    writer_features=(TYPE_WIDENING_FEATURE, APPEND_ONLY_FEATURE, INVARIANTS_FEATURE),
)
WIDENED_AT = 2

_ITEM = Struct((StructField("sku", STRING), StructField("quantity", INTEGER)))
_NARROW = StructField("amount", INTEGER, metadata={"comment": "in cents"})
_WIDE = replace(
    _NARROW,
    type=LONG,
    metadata={
        "comment": "in cents",
        TYPE_CHANGES: [{"toType": "long", "fromType": "integer", "tableVersion": WIDENED_AT}],
    },
)
_NOTE = StructField("note", STRING)

_EARLY_ROWS = (
    {"id": 1, "customer": "Ada", "amount": 1250, "items": [{"sku": "tea", "quantity": 5}]},
    {"id": 2, "customer": "Grace", "amount": 48000, "items": [{"sku": "kettle", "quantity": 1}]},
    {"id": 3, "customer": None, "amount": 990, "items": None},
)
_LATE_ROWS = (
    # More than an int can hold: what the widening is for.
    {"id": 4, "customer": "Edsger", "amount": 3_200_000_000, "items": []},
    {"id": 5, "customer": "Barbara", "amount": 1750, "items": [{"sku": "tea", "quantity": 7}]},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoCommit:
    """One version of the table. `schema` is what it has from here on; `rows` are appended."""

    operation: str
    parameters: Mapping[str, str]
    schema: Struct
    rows: tuple[Mapping[str, Any], ...] = ()
    declares: bool = False

    def data(self) -> pa.Table:
        """Return the rows as a data file holds them."""
        return pa.Table.from_pylist(list(self.rows), schema=arrow_schema(self.schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What the table takes from the world outside: the same in each of its commits."""

    table_id: str
    created: int


def commit_text(
    version: int, commit: DemoCommit, origin: Origin, stamp: CommitContext, added: AddFile | None
) -> bytes:
    """Return the text of the commit of `version`, which adds the file `added`, if any."""
    info = commit_info(commit.operation, commit.parameters, version - 1 if version else None, stamp)
    lines = [line("commitInfo", {**info, "operationMetrics": _metrics(commit, added)})]
    if version == 0:
        lines.append(line("protocol", PROTOCOL.to_json()))
    if commit.declares:
        lines.append(line("metaData", _metadata(commit.schema, origin).to_json()))
    if added is not None:
        lines.append(line("add", added.to_json()))
    return b"".join(lines)


def add_action(commit: DemoCommit, path: str, size: int, modified: int) -> AddFile:
    """Return the action that adds the data of `commit`, a file of `size` bytes at `path`."""
    stats = strict_json.dumps(statistics(commit.data()))
    return AddFile(path=path, size=size, modification_time=modified, stats=stats)


def statistics(data: pa.Table) -> dict[str, Any]:
    """Return what Delta keeps of a file to skip it: bounds of the plain columns, nulls of all."""
    bounds = {
        column: pc.min_max(data[column]).as_py()
        for column in data.column_names
        if not pa.types.is_nested(data[column].type)
    }
    return {
        "numRecords": data.num_rows,
        "minValues": {column: bound["min"] for column, bound in bounds.items()},
        "maxValues": {column: bound["max"] for column, bound in bounds.items()},
        "nullCount": {column: data[column].null_count for column in data.column_names},
    }


def _metrics(commit: DemoCommit, added: AddFile | None) -> dict[str, str]:
    if added is None:
        return {}
    return {
        "numFiles": "1",
        "numOutputRows": str(len(commit.rows)),
        "numOutputBytes": str(added.size),
    }


def _metadata(schema: Struct, origin: Origin) -> Metadata:
    return Metadata(
        id=origin.table_id,
        name=NAME,
        description=DESCRIPTION,
        format={"provider": "parquet", "options": {}},
        schema_string=schema_string(schema),
        configuration=CONFIGURATION,
        created_time=origin.created,
    )


def _orders(amount: StructField, *more: StructField) -> Struct:
    key, customer = StructField("id", LONG, nullable=False), StructField("customer", STRING)
    items = StructField("items", Array(_ITEM, contains_null=True))
    return Struct((key, customer, amount, items, *more))


def _append(schema: Struct, rows: tuple[Mapping[str, Any], ...]) -> DemoCommit:
    parameters = {"mode": "Append", "partitionBy": "[]"}
    return DemoCommit(operation="WRITE", parameters=parameters, schema=schema, rows=rows)


COMMITS = (
    DemoCommit(
        operation="CREATE TABLE",
        parameters={
            "partitionBy": "[]",
            "clusterBy": "[]",
            "description": DESCRIPTION,
            "isManaged": "false",
            "properties": strict_json.dumps(CONFIGURATION),
        },
        schema=_orders(_NARROW),
        declares=True,
    ),
    _append(_orders(_NARROW), _EARLY_ROWS),
    DemoCommit(
        operation="CHANGE COLUMN",
        # As Spark has it: the new type, beside the metadata from before the change.
        parameters={"column": strict_json.dumps(field_to_json(replace(_NARROW, type=LONG)))},
        schema=_orders(_WIDE),
        declares=True,
    ),
    _append(_orders(_WIDE), _LATE_ROWS),
    DemoCommit(
        operation="ADD COLUMNS",
        parameters={"columns": strict_json.dumps([{"column": field_to_json(_NOTE)}])},
        schema=_orders(_WIDE, _NOTE),
        declares=True,
    ),
)
