"""A table as the Spark SQL statement that would create it."""

from collections.abc import Iterator, Mapping

from deltactl.spec.actions.action import Metadata
from deltactl.spec.constraints import rules
from deltactl.spec.keys import (
    ALLOW_COLUMN_DEFAULTS_FEATURE,
    CHAR_VARCHAR,
    COMMENT,
    CONSTRAINT_PREFIX,
    CURRENT_DEFAULT,
    FEATURE_PREFIX,
)
from deltactl.spec.properties import registry
from deltactl.spec.properties.registry import Owner
from deltactl.spec.schema.types import Array, DataType, Map, Primitive, Struct, StructField
from deltactl.text.identifiers import sql_name, table_at

_SQL = {"integer": "INT", "long": "BIGINT", "short": "SMALLINT", "byte": "TINYINT"}


def create_table(metadata: Metadata, schema: Struct, place: str) -> str:
    """Return the statement; what engines keep for themselves is left out."""
    head = f"CREATE TABLE {_table_name(metadata, place)}"
    columns = [f"  {_column(f)}" for f in schema.fields]
    lines = [f"{head} (", ",\n".join(columns), ")"] if columns else [head]
    lines.append("USING delta")
    if metadata.partition_columns:
        lines.append(
            f"PARTITIONED BY ({', '.join(sql_name(c) for c in metadata.partition_columns)})"
        )
    if metadata.description:
        lines.append(f"COMMENT {_text(metadata.description)}")
    if settings := [*_settings(metadata.configuration), *_features(schema)]:
        lines += ["TBLPROPERTIES (", ",\n".join(f"  {s}" for s in settings), ")"]
    statements = ["\n".join(lines) + ";"]
    statements += _checks(metadata, place)
    return "\n".join(statements)


def sql_type(data_type: DataType) -> str:
    """Return the type in Spark SQL."""
    match data_type:
        case Primitive(name):
            return _SQL.get(name, name.upper())
        case Array(element):
            return f"ARRAY<{sql_type(element)}>"
        case Map(key, value):
            return f"MAP<{sql_type(key)}, {sql_type(value)}>"
        case Struct(fields):
            return f"STRUCT<{', '.join(_field(f) for f in fields)}>"
        case _:
            return str(data_type).upper()


def _column(field: StructField) -> str:
    parts = [sql_name(field.name), _declared_type(field)]
    if expression := rules.generation(field):
        parts.append(f"GENERATED ALWAYS AS ({expression})")
    if identity := rules.identity(field):
        how = "BY DEFAULT" if identity.get("allowExplicitInsert") is True else "ALWAYS"
        start, step = identity.get("start", 1), identity.get("step", 1)
        parts.append(f"GENERATED {how} AS IDENTITY (START WITH {start} INCREMENT BY {step})")
    if not field.nullable:
        parts.append("NOT NULL")
    if isinstance(default := field.metadata.get(CURRENT_DEFAULT), str):
        parts.append(f"DEFAULT {default}")
    if isinstance(comment := field.metadata.get(COMMENT), str):
        parts.append(f"COMMENT {_text(comment)}")
    return " ".join(parts)


def _field(field: StructField) -> str:
    parts = [f"{sql_name(field.name)}: {_declared_type(field)}"]
    if not field.nullable:
        parts.append("NOT NULL")
    if isinstance(comment := field.metadata.get(COMMENT), str):
        parts.append(f"COMMENT {_text(comment)}")
    return " ".join(parts)


def _declared_type(field: StructField) -> str:
    """Return the column's type; char and varchar are strings with a declared length."""
    declared = field.metadata.get(CHAR_VARCHAR)
    return declared if isinstance(declared, str) else sql_type(field.type)


def _settings(configuration: Mapping[str, str]) -> Iterator[str]:
    for name, value in configuration.items():
        row = registry.lookup(name)
        is_check = name.lower().startswith(CONSTRAINT_PREFIX)
        if not is_check and (row is None or row.owner in (Owner.USER, Owner.FEATURE)):
            yield f"{_text(name)} = {_text(str(value))}"


def _features(schema: Struct) -> Iterator[str]:
    """Yield what Spark does not turn on by itself for what the columns need."""
    if any(CURRENT_DEFAULT in field.metadata for field in schema.fields):
        yield f"'{FEATURE_PREFIX}{ALLOW_COLUMN_DEFAULTS_FEATURE}' = 'supported'"


def _checks(metadata: Metadata, place: str) -> Iterator[str]:
    prefix = CONSTRAINT_PREFIX
    for name, value in metadata.configuration.items():
        if name.lower().startswith(prefix):
            table = _table_name(metadata, place)
            own = sql_name(name[len(prefix) :])
            yield f"ALTER TABLE {table} ADD CONSTRAINT {own} CHECK ({value});"


def _table_name(metadata: Metadata, place: str) -> str:
    return sql_name(metadata.name) if metadata.name else table_at(place)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
