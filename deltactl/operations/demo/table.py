"""The table that `deltactl demo` makes, commit by commit: its rows, its schema, its actions."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from deltactl import __version__
from deltactl.log.arrow_schema import arrow_schema
from deltactl.model.actions import Metadata, Protocol
from deltactl.model.file_actions import AddFile
from deltactl.model.type_changes import KEY as TYPE_CHANGES
from deltactl.model.types import INTEGER, LONG, STRING, Array, Struct, StructField, type_to_json

NAME = "orders"
DESCRIPTION = "made by deltactl demo"
CONFIGURATION = {"delta.enableTypeWidening": "true"}
PROTOCOL = Protocol(
    min_reader_version=3,
    min_writer_version=7,
    reader_features=("typeWidening",),
    # A protocol that lists features lists those that older versions implied, too.
    writer_features=("typeWidening", "appendOnly", "invariants"),
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
        """The rows as a data file holds them."""
        return pa.Table.from_pylist(list(self.rows), schema=arrow_schema(self.schema))


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What a commit takes from the world outside; `created` is the same in each one."""

    table_id: str
    txn_id: str
    created: int
    time: int


def commit_text(version: int, commit: DemoCommit, origin: Origin, added: AddFile | None) -> bytes:
    """The text of the commit of `version`, which adds the file `added`, if any."""
    actions: list[dict[str, Any]] = [{"commitInfo": _commit_info(version, commit, origin, added)}]
    if version == 0:
        actions.append({"protocol": PROTOCOL.to_json()})
    if commit.declares:
        actions.append({"metaData": _metadata(commit.schema, origin).to_json()})
    if added is not None:
        actions.append({"add": added.to_json()})
    return "".join(f"{_json(action)}\n" for action in actions).encode()


def add_action(commit: DemoCommit, path: str, size: int, modified: int) -> AddFile:
    """The action that adds the data of `commit`, a file of `size` bytes at `path`."""
    return AddFile(
        path=path, size=size, modification_time=modified, stats=_json(statistics(commit.data()))
    )


def statistics(data: pa.Table) -> dict[str, Any]:
    """What Delta keeps of a file to skip it: bounds of the plain columns, nulls of all."""
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


def _commit_info(
    version: int, commit: DemoCommit, origin: Origin, added: AddFile | None
) -> dict[str, Any]:
    metrics = {}
    if added is not None:
        metrics = {
            "numFiles": "1",
            "numOutputRows": str(len(commit.rows)),
            "numOutputBytes": str(added.size),
        }
    return {
        "timestamp": origin.time,
        "operation": commit.operation,
        "operationParameters": dict(commit.parameters),
        **({"readVersion": version - 1} if version else {}),
        "isolationLevel": "Serializable",
        "isBlindAppend": False,
        "operationMetrics": metrics,
        "engineInfo": f"deltactl/{__version__}",
        "txnId": origin.txn_id,
    }


def _metadata(schema: Struct, origin: Origin) -> Metadata:
    return Metadata(
        id=origin.table_id,
        name=NAME,
        description=DESCRIPTION,
        format={"provider": "parquet", "options": {}},
        schema_string=_json(type_to_json(schema)),
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


def _column(field: StructField) -> dict[str, Any]:
    """The field as the parameters of an operation name it."""
    return {
        "name": field.name,
        "type": type_to_json(field.type),
        "nullable": field.nullable,
        "metadata": dict(field.metadata),
    }


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


COMMITS = (
    DemoCommit(
        operation="CREATE TABLE",
        parameters={
            "partitionBy": "[]",
            "clusterBy": "[]",
            "description": DESCRIPTION,
            "isManaged": "false",
            "properties": _json(CONFIGURATION),
        },
        schema=_orders(_NARROW),
        declares=True,
    ),
    _append(_orders(_NARROW), _EARLY_ROWS),
    DemoCommit(
        operation="CHANGE COLUMN",
        # As Spark has it: the new type, beside the metadata from before the change.
        parameters={"column": _json(_column(replace(_NARROW, type=LONG)))},
        schema=_orders(_WIDE),
        declares=True,
    ),
    _append(_orders(_WIDE), _LATE_ROWS),
    DemoCommit(
        operation="ADD COLUMNS",
        parameters={"columns": _json([{"column": _column(_NOTE)}])},
        schema=_orders(_WIDE, _NOTE),
        declares=True,
    ),
)
