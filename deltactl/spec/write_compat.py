"""Whether a table takes data of another schema, for each way in which Delta can be asked to."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any

from deltactl.spec.constraints import rules
from deltactl.spec.constraints.rules import RowRules, RuleKind, row_rules
from deltactl.spec.keys import (
    APPEND_ONLY,
    CHAR_VARCHAR,
    CURRENT_DEFAULT,
    ENABLE_ICEBERG_COMPAT,
    ENABLE_TYPE_WIDENING,
    TIMESTAMP_NTZ_FEATURE,
    TYPE_WIDENING_FEATURES,
    is_enabled,
)
from deltactl.spec.schema import column_names
from deltactl.spec.schema.char_varchar import limit_of
from deltactl.spec.schema.column_mapping import unmapped
from deltactl.spec.schema.diff import ChangeKind, SchemaChange, changes
from deltactl.spec.schema.merge import Difference, Merge, as_data, merge, voids_in_collections
from deltactl.spec.schema.schema import Path, faults, format_path, walk
from deltactl.spec.schema.types import (
    INTERVALS,
    TIMESTAMP_NTZ,
    VOID,
    Struct,
    StructField,
    Unknown,
    short_name,
)
from deltactl.spec.schema.widening import widening_rule


class Mode(StrEnum):
    """How data is written, in the words of Delta's options; `APPEND` is an append without any."""

    APPEND = "append"
    MERGE_SCHEMA = "mergeSchema"
    TYPE_WIDENING = "typeWidening"
    OVERWRITE_SCHEMA = "overwriteSchema"


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """One reason why data is not taken; `table` and `data` are the types, None on a side without.

    `path` is None if the reason is not about a column.
    """

    code: str
    path: str | None
    message: str
    table: str | None = None
    data: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Remark:
    """What to know about a column of data that is taken."""

    code: str
    path: str
    message: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class WriteVerdict:
    """Whether data is taken in one mode, what it would change in the schema, and what clashes.

    Changes are told also where something clashes: they are what would be left. `schema` is that
    of the table after them.
    """

    mode: Mode
    schema: Struct
    changes: tuple[SchemaChange, ...]
    clashes: tuple[Incompatibility, ...]

    @property
    def accepted(self) -> bool:
        return not self.clashes


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """What decides of a table whether it takes data."""

    schema: Struct
    partition_columns: Collection[str]
    features: Collection[str]
    configuration: Mapping[str, str]

    @property
    def widens(self) -> bool:
        """Whether Delta widens columns by itself if a schema may evolve."""
        has_feature = not TYPE_WIDENING_FEATURES.isdisjoint(self.features)
        return has_feature and is_enabled(self.configuration, ENABLE_TYPE_WIDENING)


def write_verdict(table: WriteTarget, data: Struct, mode: Mode) -> WriteVerdict:
    """Return what Delta does with data of schema `data`; `TYPE_WIDENING` counts as on."""
    own = as_data(data)
    duplicates = tuple(_faults(own))
    if duplicates:
        return WriteVerdict(mode, table.schema, (), duplicates)
    if mode is Mode.OVERWRITE_SCHEMA:
        made = tuple(changes(unmapped(table.schema), own))
        clashes = (*_overwrite_clashes(table), *_content_clashes(table, own), *_given(table, own))
        return WriteVerdict(mode, own, made, clashes)
    merged = merged_schema(table, own, mode)
    made = tuple(changes(table.schema, merged.schema))
    found = [*_dependents(table, merged), *_type_clashes(table, merged)]
    found += _missing(table, merged)
    if table.partition_columns:
        found += _beside_partitions(table, own)
    if mode is Mode.APPEND:
        found += map(_unwanted, made)
    else:
        found += _content_clashes(table, merged.schema)
    return WriteVerdict(mode, merged.schema, made, (*found, *_given(table, own)))


def merged_schema(table: WriteTarget, own: Struct, mode: Mode) -> Merge:
    """Return the table's schema and that of the data, as `as_data` has it, as Delta merges them."""
    widens = table.widens or mode is Mode.TYPE_WIDENING
    return merge(table.schema, own, lambda old, new: widens and widening_rule(old, new) is not None)


def remarks(table: WriteTarget, data: Struct) -> Iterator[Remark]:
    """Yield what an accepted append does to columns that differ from the data."""
    own = as_data(data)
    merged = merged_schema(table, own, Mode.TYPE_WIDENING)
    for spelling in merged.spellings:
        place = format_path(spelling.table)
        yield Remark("CASE_DIFFERS", place, f"{spelling.data} of the data is taken for {place}")
    for path, field in merged.missing:
        place = format_path(path)
        yield Remark("COLUMN_LEFT_OUT", place, f"the data has no {place}: {_instead(field)}")
    yield from _checked_as_null(table, merged)
    nullable = {node.path: node.nullable for node in walk(data)}
    folded = {tuple(map(str.casefold, path)): null for path, null in nullable.items()}
    limited = {n.path[0] for n in walk(table.schema) if CHAR_VARCHAR in n.field.metadata}
    for node in walk(table.schema):
        null = folded.get(tuple(map(str.casefold, node.path)), False)
        if node.is_field and null and not node.nullable:
            said = f"rows with NULL in {node} are refused when they are written"
            yield Remark("NULLS_REFUSED", str(node), said)
        if node.path[0] in limited and (limit := limit_of(table.schema, node)):
            said = f"texts too long for {limit} are refused when they are written"
            yield Remark("LENGTH_CHECKED", str(node), said)


def _checked_as_null(table: WriteTarget, merged: Merge) -> Iterator[Remark]:
    if not merged.missing:
        return
    every = row_rules(table.schema, table.configuration)
    rules = RowRules((rule for rule in every if rule.kind is RuleKind.CHECK), table.schema)
    named = [(rule, path) for path, _ in merged.missing for rule in rules.naming(path)]
    number = {rule: place for place, rule in enumerate(rules.rules)}
    for rule, path in sorted(named, key=lambda both: number[both[0]]):
        place = format_path(path)
        said = f"the CHECK constraint {rule.name} is applied with NULL for {place}"
        yield Remark("CHECKED_AS_NULL", place, said)


def _instead(field: StructField) -> str:
    if rules.generation(field):
        return "it is computed"
    if rules.identity(field):
        return "it is numbered"
    if CURRENT_DEFAULT in field.metadata:
        return f"the default {field.metadata[CURRENT_DEFAULT]}, or NULL, as the writer does it"
    return "NULL"


def _faults(own: Struct) -> Iterator[Incompatibility]:
    """Yield what no write could be made of."""
    for notice in faults(own):
        if notice.code == "DUPLICATE_COLUMNS":
            said = notice.message.replace("the schema has", "the data has")
            yield Incompatibility("DUPLICATE_COLUMNS", None, said)
    for node in walk(own):
        if isinstance(node.type, Unknown):
            said = f"{node} is {node.type}, which a Delta table cannot have"
            yield Incompatibility("TYPE_NOT_IN_DELTA", str(node), said, data=str(node.type))
        elif node.type in INTERVALS.values():
            # Tables have them, and Delta's own check of data refuses them.
            said = f"{node} is {node.type}, which Spark does not write to a Delta table"
            yield Incompatibility("TYPE_NOT_IN_DELTA", str(node), said, data=str(node.type))


def _type_clashes(table: WriteTarget, merged: Merge) -> Iterator[Incompatibility]:
    for found in merged.differences:
        rule = widening_rule(found.table, found.data)
        if found.merged is None:
            old, new = short_name(found.table), short_name(found.data)
            said = f"{found} is {old} in the table and {new} in the data"
            yield _differing("TYPES_CLASH", found, said)
        elif rule is not None and not rule.iceberg:
            for key in ENABLE_ICEBERG_COMPAT:
                if is_enabled(table.configuration, key):
                    said = f"{found} would be widened to {found.data}, and {key} is true"
                    yield _differing("ICEBERG_COMPAT", found, said)


def _dependents(table: WriteTarget, merged: Merge) -> Iterator[Incompatibility]:
    """Yield the constraints and generated columns that want the very type that the table has."""
    if not merged.differences:
        return
    every = row_rules(table.schema, table.configuration)
    rules = RowRules((r for r in every if r.kind is not RuleKind.INVARIANT), table.schema)
    for found in merged.differences:
        for rule in rules.of(found.path):
            what = "CHECK constraint" if rule.kind is RuleKind.CHECK else "generated column"
            old, new = short_name(found.table), short_name(found.data)
            said = f"{found} is {new} in the data: the {what} {rule.name} needs {old}"
            yield _differing(f"{rule.kind.upper()}_DEPENDS_ON_COLUMN", found, said)


def _missing(table: WriteTarget, merged: Merge) -> Iterator[Incompatibility]:
    partitions = {name.casefold() for name in table.partition_columns}
    for path, field in merged.missing:
        name = format_path(path)
        if len(path) == 1 and field.name.casefold() in partitions:
            said = f"the data has no {name}, by which the table is partitioned"
            yield Incompatibility("PARTITION_COLUMN_MISSING", name, said, table=str(field.type))
        elif _instead(field) == "NULL" and (required := _required(path, field)):
            said = f"the data has no {required}, which may not be null"
            yield Incompatibility("NOT_NULL_MISSING", required, said, table=str(field.type))


def _beside_partitions(table: WriteTarget, own: Struct) -> Iterator[Incompatibility]:
    """Yield the reason if files would have no columns: only partitions and void ones."""
    if own.fields and not columns_of_files(own, table.partition_columns):
        said = "the data has no column beside those by which the table is partitioned"
        yield Incompatibility("ONLY_PARTITION_COLUMNS", None, said)


def columns_of_files(schema: Struct, partition_columns: Collection[str]) -> list[str]:
    """Return the columns that data files of such a table hold."""
    partitions = {name.casefold() for name in partition_columns}
    filled = [field.name for field in schema.fields if field.type != VOID]
    return [name for name in filled if name.casefold() not in partitions]


def _required(path: Path, field: StructField) -> str | None:
    """Return the first of a field and what is in it, through structs only, that may not be null."""
    if not field.nullable:
        return format_path(path)
    inside = field.type.fields if isinstance(field.type, Struct) else ()
    found = (_required((*path, below.name), below) for below in inside)
    return next(filter(None, found), None)


def _given(table: WriteTarget, own: Struct) -> Iterator[Incompatibility]:
    """Yield what no write of the data could carry out, whatever becomes of the schema."""
    for path in voids_in_collections(own):
        name = format_path(path)
        said = f"{name} is void: it has no type yet, which an array or a map cannot have"
        yield Incompatibility("VOID_IN_COLLECTION", name, said, data="void")
    yield from _nothing_to_write(own)
    given = {field.name.casefold() for field in own.fields}
    for field in table.schema.fields:
        settings = rules.identity(field) or {"allowExplicitInsert": True}
        if settings.get("allowExplicitInsert") is not True and field.name.casefold() in given:
            name = format_path((field.name,))
            said = f"{name} is an identity column, which only the engine fills"
            yield Incompatibility("IDENTITY_GIVEN", name, said, str(field.type), str(field.type))


def _nothing_to_write(own: Struct) -> Iterator[Incompatibility]:
    """Yield that files would have no columns."""
    if not own.fields:
        yield Incompatibility("NO_COLUMNS", None, "the data has no columns: nothing can be written")
    elif all(field.type == VOID for field in own.fields):
        yield Incompatibility(
            "ALL_VOID", None, "all columns of the data are void: nothing can be written"
        )


def _overwrite_clashes(table: WriteTarget) -> Iterator[Incompatibility]:
    if is_enabled(table.configuration, APPEND_ONLY):
        said = f"{APPEND_ONLY} is true: nothing may be overwritten"
        yield Incompatibility("APPEND_ONLY", None, said)


def _content_clashes(table: WriteTarget, result: Struct) -> Iterator[Incompatibility]:
    """Yield what a table cannot have, in the schema that would come out."""
    before = {tuple(map(str.casefold, node.path)) for node in walk(table.schema)}
    for node in walk(result):
        is_new = tuple(map(str.casefold, node.path)) not in before
        if is_new and node.is_field:
            is_top = len(node.path) == 1
            for notice in column_names.faults(node.path[-1], table.configuration, is_top=is_top):
                yield Incompatibility(notice.code, str(node), notice.message, data=str(node.type))
    if TIMESTAMP_NTZ_FEATURE not in table.features:
        for node in walk(result):
            if node.type == TIMESTAMP_NTZ:
                said = f"{node} would be timestamp_ntz, and the table lacks the feature for it"
                clash = Incompatibility("TIMESTAMP_NTZ_NOT_SUPPORTED", str(node), said)
                yield replace(clash, data=str(node.type))
                break


def _unwanted(change: SchemaChange) -> Incompatibility:
    """Return a change of the schema as the reason why an append without any option fails."""
    if change.kind is ChangeKind.ADDED:
        said = f"the table has no {change.path}"
        return Incompatibility("COLUMN_NOT_IN_TABLE", change.path, said, data=str(change.after))
    said = f"{change.path} would have to become " + str(change).rpartition(" → ")[2]
    sides = str(change.before), str(change.after)
    return Incompatibility("TYPE_WOULD_CHANGE", change.path, said, *sides)


def _differing(code: str, found: Difference, message: str) -> Incompatibility:
    return Incompatibility(code, str(found), message, str(found.table), str(found.data))
