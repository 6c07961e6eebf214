"""`column add`: a new column or field, which the existing rows do not have."""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from deltactl.changes.column_operations import ADD, RecordedOperation, described
from deltactl.changes.draft import Draft
from deltactl.errors import InvalidUsageError, NotFoundError, RefusedError
from deltactl.operations.columns import verbs
from deltactl.operations.columns.backfill import backfill_new, backfill_rest
from deltactl.operations.columns.not_null import check_not_null
from deltactl.operations.columns.warnings import warn_of_new_columns
from deltactl.operations.table_features.clustering import clustering_columns
from deltactl.operations.table_features.iceberg_compat import active_versions
from deltactl.spec.keys import (
    ALLOW_COLUMN_DEFAULTS_FEATURE,
    CHAR_VARCHAR,
    CLUSTERING_FEATURE,
    COLUMN_MAPPING_MAX_ID,
    COMMENT,
    CURRENT_DEFAULT,
    ICEBERG_COMPAT_V3_FEATURE,
)
from deltactl.spec.properties.indexed_columns import has_statistics
from deltactl.spec.schema import column_mapping, column_names, column_types
from deltactl.spec.schema.defaults import check_default
from deltactl.spec.schema.edit import After, First, Last, Place, with_new_field
from deltactl.spec.schema.schema import Path, find, format_path, parse_path, walk
from deltactl.spec.schema.type_names import Typed
from deltactl.spec.schema.types import Array, DataType, Map, Struct, StructField, short_name
from deltactl.sql.parser import parse_type_text
from deltactl.text.hints import Command, Hint, Option
from deltactl.text.suggestions import nearest


@dataclass(frozen=True, kw_only=True)
class AddColumn:
    """`add COLUMN TYPE`. `after` is the name of a neighbour; without it the new one comes last."""

    column: str
    type: str
    default: str | None = None
    comment: str | None = None
    not_null: bool = False
    first: bool = False
    after: str | None = None
    if_not_exists: bool = False
    enable: bool = False
    backfill: bool = False

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        enabling = enabling or self.enable
        path, typed = self._target(draft), None
        with draft.refusing():
            typed = parse_type_text(self.type)
        if path is None or typed is None:
            return None
        known = verbs.struct_at(draft, path[:-1]).named(path[-1])
        if known is not None:
            self._compare(draft, path, known, typed)
            if self.backfill and self.default is not None and not draft.is_refused:
                backfill_rest(draft, path, self.default.strip())
            return None
        verbs.check_lengths(draft, path, typed.limit)
        place = self._place(draft, path)
        field = self._field(path[-1], typed)
        self._check_type(draft, path, field, enabling=enabling)
        self._check_default(draft, path, typed, enabling=enabling)
        self._check_names(draft, path, field, enabling=enabling)
        if self.not_null:
            _check_not_null(draft, path, enabling=enabling)
        if not verbs.is_mapped(draft):
            _check_files(draft, path, enabling=enabling)
        before = draft.schema
        draft.schema = with_new_field(before, path[:-1], _mapped(draft, field), place)
        if len(path) > 1 or not isinstance(place, Last):
            _check_clustering(draft, before)
        self._tell(draft, path)
        if self.backfill and self.default is not None and not draft.is_refused:
            backfill_new(draft, path, self.default.strip())
        return RecordedOperation(
            ADD,
            {"column": described(path, field)} | _position(place),
        )

    def _target(self, draft: Draft) -> Path | None:
        """Return where the new field is to be, its struct spelt as the schema spells it."""
        with draft.refusing():
            path = parse_path(self.column)
            if len(path) == 1:
                return path
            above = find(draft.schema, path[:-1])
            if isinstance(above.type, Struct):
                if verbs.is_in_map_key(draft, (*above.path, path[-1])):
                    raise RefusedError(*in_map_key(path))
                return (*above.path, path[-1])
            raise RefusedError(*_no_struct(above.path, above.type, path[-1]))
        return None

    def _compare(self, draft: Draft, path: Path, known: StructField, typed: Typed) -> None:
        """Refuse a name that is taken, unless by a column that is as this one is to be."""
        wanted = column_types.plain(typed.type)
        limit = verbs.limit_of(known)
        same_type = (column_types.plain(known.type), limit) == (wanted, typed.limit)
        if self.if_not_exists:
            if not same_type:
                said = f"{format_path(path)} exists, and is {limit or short_name(known.type)}"
                draft.warn("COLUMN_HAS_OTHER_TYPE", f"{said}, not {self.type}; it stays so")
            return
        differs = [
            *([] if same_type else [f"its type is {limit or short_name(known.type)}"]),
            *([] if known.nullable is not self.not_null else ["it is " + _null_word(known)]),
            *_other(known, COMMENT, "comment", self.comment),
            *_other(known, CURRENT_DEFAULT, "default", self.default and self.default.strip()),
        ]
        if known.name != path[-1]:
            draft.refuse(
                "COLUMN_EXISTS",
                f"there is {format_path((*path[:-1], known.name))}: names that differ only in case "
                "are one name",
                "take another name",
            )
        elif differs:
            draft.refuse(
                "COLUMN_EXISTS",
                f"{format_path(path)} exists, and {', '.join(differs)}",
                "take another name, or look at the column that exists: " + Command("column list"),
            )

    def _field(self, name: str, typed: Typed) -> StructField:
        metadata = {
            COMMENT: self.comment or None,
            CHAR_VARCHAR: typed.limit,
            CURRENT_DEFAULT: self.default and self.default.strip(),
        }
        kept = {key: value for key, value in metadata.items() if value is not None}
        return StructField(name, typed.type, nullable=not self.not_null, metadata=kept)

    def _place(self, draft: Draft, path: Path) -> Place:
        if self.first:
            return First()
        if self.after is None:
            return Last()
        with draft.refusing():
            return After(_neighbour(self.after, verbs.struct_at(draft, path[:-1]), path))
        return Last()

    def _check_type(self, draft: Draft, path: Path, field: StructField, *, enabling: bool) -> None:
        said = format_path(path)
        for feature, kind in column_types.features_of(field.type):
            verbs.needs_feature(draft, feature, f"the type {kind}", enabling=enabling)
        for fault in column_types.faults(field.type):
            draft.refuse(fault.code, f"{said}: {fault.message}")
        for version in active_versions(draft):
            if word := column_types.not_in_iceberg(
                field.type,
                collections=version.allows_collections,
                variants=version.allows_variant,
            ):
                draft.refuse(
                    "NOT_IN_ICEBERG",
                    f"{said} has {word}, which {version.feature} does not allow",
                )

    def _check_default(self, draft: Draft, path: Path, typed: Typed, *, enabling: bool) -> None:
        if self.default is None:
            return
        require_default(draft, path, self.default, typed, enabling=enabling)
        if not self.backfill and _files().has_files(draft.base):
            draft.warn(
                "OLD_ROWS_READ_NULL",
                f"existing rows read NULL in {format_path(path)}: the default is "
                "for rows that are inserted from now on (--backfill gives it to all)",
            )

    def _check_names(self, draft: Draft, path: Path, field: StructField, *, enabling: bool) -> None:
        names = {field.name: len(path) == 1}
        names |= {n.path[-1]: False for n in walk(Struct((field,))) if n.is_field and n.path[1:]}
        for name, is_top in names.items():
            check_name(draft, name, is_top=is_top, enabling=enabling)

    def _tell(self, draft: Draft, path: Path) -> None:
        warn_of_new_columns(draft)
        mapped = verbs.is_mapped(draft)
        back = verbs.command("drop", format_path(path), option=None if mapped else "--enable")
        note = (
            "--enable switches column mapping on, which only a rewrite of all files removes; "
            + draft.restore
            + " in Spark SQL avoids that, but also discards rows written after version "
            + str(draft.base.version)
        )
        draft.undo_with(back, None if mapped else note)


def check_name(draft: Draft, name: str, *, is_top: bool, enabling: bool) -> None:
    """Refuse a name that a column may not have; `enabling` takes what only mapping allows."""
    for fault in column_names.faults(name, draft.configuration, is_top=is_top):
        if fault.code == "COLUMN_NAME_NEEDS_MAPPING":
            if enabling:
                verbs.needs_mapping(draft, "so named", enabling=True)
                continue
            hint = "take another name, or have column mapping: " + Option("--enable")
        else:
            hint = Hint("take another name")
        draft.refuse(fault.code, fault.message, hint)


def require_default(
    draft: Draft, path: Path, expression: str, typed: Typed, *, enabling: bool
) -> None:
    """Refuse a default that engines would not take, or that the table has no feature for."""
    said = format_path(path)
    verbs.needs_feature(draft, ALLOW_COLUMN_DEFAULTS_FEATURE, "a default", enabling=enabling)
    if len(path) > 1:
        draft.refuse("NESTED_DEFAULT", f"{said} is a field of a struct: only columns have defaults")
    if isinstance(typed.type, Struct | Array | Map) and expression.strip().upper() != "NULL":
        draft.refuse("DEFAULT_NOT_PLAIN", f"{said} has parts: its only default is NULL")
        return
    with draft.refusing():
        is_plain = check_default(expression, typed)
        if not is_plain and any(
            v.feature == ICEBERG_COMPAT_V3_FEATURE for v in active_versions(draft)
        ):
            raise RefusedError(
                "NOT_IN_ICEBERG",
                f"{expression} is not a plain value, which icebergCompatV3 asks for",
            )


def in_map_key(path: Path) -> tuple[str, str]:
    """Return the refusal of a change of what identifies the entries of a map."""
    return (
        "IN_MAP_KEY",
        f"{format_path(path)} is inside the key of a map: entries would come to have the same key, "
        "or be found no more",
    )


def _mapped(draft: Draft, field: StructField) -> StructField:
    """Return the field with ids and physical names of its own, if the table has them."""
    if not verbs.is_mapped(draft):
        return field
    last = _last_id(draft)
    struct, last = column_mapping.assigned(
        Struct((field,)), last, lambda _, number: draft.fresh("col-", f"column {number}")
    )
    if any(version.has_nested_ids for version in active_versions(draft)):
        struct, last = column_mapping.with_nested_ids(struct, last)
    draft.configuration[COLUMN_MAPPING_MAX_ID] = str(last)
    return struct.fields[0]


def _last_id(draft: Draft) -> int:
    """Return the highest id that was ever given."""
    key = COLUMN_MAPPING_MAX_ID
    if (last := draft.configuration.get(key)) not in (None, draft.base.configuration.get(key)):
        return int(last)  # Written for this change, after a look at the ids of all columns.
    return column_mapping.max_column_id(draft.schema, draft.configuration)


def _check_not_null(draft: Draft, path: Path, *, enabling: bool) -> None:
    check_not_null(draft, path, "leave out --not-null", enabling=enabling)
    if _files().has_files(draft.base):
        draft.refuse(
            "NOT_NULL_NEEDS_EMPTY_TABLE",
            f"{format_path(path)} cannot be NOT NULL: the existing rows have no value for it",
            "leave out --not-null; a table without files can have such a column",
        )


def _check_files(draft: Draft, path: Path, *, enabling: bool) -> None:
    """Refuse a name that files hold already: what they have there would come to light.

    With `enabling` the column gets another name in files instead.
    """
    if draft.newest_files is None:
        draft.newest_files = _files().NewestFiles(draft.base)
    found = draft.newest_files.holding(path)
    if found is None:
        return
    if enabling:
        verbs.needs_mapping(draft, "so named", enabling=True)
        return
    file, held = found
    draft.refuse(
        "COLUMN_IN_FILES",
        f"the file {file} holds a column {format_path(path)} ({held}) already: its values would "
        "become those of the new column",
        "take another name, or have column mapping: " + Option("--enable"),
    )


def _files() -> Any:
    """Return the module that looks at files, which loads pyarrow."""
    return import_module("deltactl.table.state.data_files")


def _check_clustering(draft: Draft, before: Struct) -> None:
    """Refuse a place that moves a clustering column out of those with statistics."""
    if CLUSTERING_FEATURE not in draft.features:
        return
    for path in _without_statistics(draft, draft.schema) - _without_statistics(draft, before):
        draft.refuse(
            "NO_STATISTICS",
            f"{format_path(path)}, by which the table is clustered, would no longer be among the "
            "columns that have statistics",
            "put the new column behind it, or last",
        )


def _without_statistics(draft: Draft, schema: Struct) -> set[Path]:
    """Return the clustering columns without statistics under the schema."""
    columns = clustering_columns(draft) or ()
    return {
        node.path
        for node in walk(schema)
        if column_mapping.physical_path(schema, node) in columns
        and not has_statistics(node.path, schema, draft.configuration, draft.partition_columns)
    }


def _neighbour(name: str, struct: Struct, path: Path) -> str:
    """Return the spelling of the neighbour.

    Raises:
        NotFoundError: the struct has no such field.
    """
    try:
        wanted = parse_path(name)
    except InvalidUsageError:
        wanted = (name,)
    if len(wanted) > 1 and [n.casefold() for n in wanted[:-1]] == [n.casefold() for n in path[:-1]]:
        wanted = wanted[-1:]
    known = struct.named(wanted[0]) if len(wanted) == 1 else None
    if known is not None:
        return known.name
    names = [field.name for field in struct.fields]
    near = nearest(name, names)
    where = f"{format_path(path[:-1])} has" if path[1:] else "the table has"
    raise NotFoundError(
        "COLUMN_NOT_FOUND",
        f"no column {name} to come after",
        hint=f"did you mean {' or '.join(map(_one, near))}?"
        if near
        else f"{where} {', '.join(map(_one, names[:10]))}",
    )


def _one(name: str) -> str:
    return format_path((name,))


def _no_struct(path: Path, data_type: DataType, name: str) -> tuple[str, str]:
    said = f"{format_path(path)} is {short_name(data_type)}, and has no fields"
    for inner in ("element", "value"):
        below = {"element": Array, "value": Map}[inner]
        if isinstance(data_type, below):
            said += f": did you mean {format_path((*path, inner, name))}?"
    return "NOT_A_STRUCT", said


def _position(place: Place) -> dict[str, str]:
    match place:
        case First():
            return {"position": "FIRST"}
        case After(name):
            return {"position": f"AFTER {_one(name)}"}
        case Last():
            return {}


def _null_word(field: StructField) -> str:
    return "nullable" if field.nullable else "NOT NULL"


def _other(known: StructField, key: str, word: str, wanted: str | None) -> Iterator[str]:
    """Yield what differs in a setting that was asked for."""
    held = known.metadata.get(key)
    if wanted is not None and (held or "") != wanted:
        yield f"its {word} is {held}" if held else f"it has no {word}"
