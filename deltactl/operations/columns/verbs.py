"""What every change of columns shares: verbs that change a draft, and how history tells them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from deltactl.changes.column_operations import RecordedOperation, recorded
from deltactl.changes.draft import Draft
from deltactl.changes.plan import ChangePlan
from deltactl.errors import NotFoundError, RefusedError
from deltactl.operations.table_features.enablement import enable
from deltactl.spec.keys import CHAR_VARCHAR, COLUMN_MAPPING_FEATURE
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Node, Path, find, format_path, parse_path, steps
from deltactl.spec.schema.types import Struct, StructField
from deltactl.text.hints import Command, Option


class Verb(Protocol):
    """One change of columns, as it was typed."""

    def apply(self, draft: Draft, *, enabling: bool) -> RecordedOperation | None:
        """Change the draft; what forbids it is refused. None if the table is like that.

        `enabling` adds the features that are missing.
        """


class ColumnStep(NamedTuple):
    """A verb, and where it was typed if it is one of several: `line 3: `."""

    verb: Verb
    lead: str = ""


def plan_columns(
    draft: Draft, steps: Sequence[ColumnStep], *, enabling: bool = False
) -> ChangePlan:
    """Plan all the steps, in their order, as one commit."""
    before = draft.schema
    entries: list[RecordedOperation] = []
    for step in steps:
        with draft.telling(step.lead):
            entry = step.verb.apply(draft, enabling=enabling)
        if entry is not None:
            entries.append(entry)
    return draft.plan(*recorded(entries, before, draft.schema))


def find_field(draft: Draft, column: str, *, or_else: str | None = None) -> Node | None:
    """Return the column or field that was typed; refuse other paths, with `or_else` as a hint."""
    with draft.refusing():
        try:
            node = find(draft.schema, parse_path(column))
        except NotFoundError as error:
            if or_else is not None:
                near = "" if error.remedy is None else str(error.remedy)
                mark = "" if near.endswith("?") else ";"
                error.remedy = f"{near}{mark} {or_else}" if near else or_else
            raise
        if node.is_field:
            return node
        raise RefusedError(
            "NOT_A_FIELD",
            f"{node} is a part of {format_path(node.path[: -len(node.below)])}, and has no name "
            "and no settings of its own",
            hint="name a column, or a field of a struct",
        )
    return None


def command(verb: str, *arguments: str, option: str | None = None) -> Command:
    """Return the command of the verb, whose arguments may begin as options do."""
    options = [] if option is None else [option]
    if any(argument.startswith("-") for argument in arguments):
        options.append("--")
    return Command(f"column {verb}", *options, *arguments)


def limit_of(field: StructField) -> str | None:
    """Return the type with its lengths, `varchar(5)`, of a column that has any."""
    text = field.metadata.get(CHAR_VARCHAR)
    return text if isinstance(text, str) else None


def check_lengths(draft: Draft, path: Path, limit: str | None = None) -> None:
    """Refuse a change below a column that would make the text with its lengths untrue."""
    if len(path) == 1:
        return
    column = find(draft.schema, path[:1])
    if limit is not None:
        draft.refuse(
            "LENGTH_NOT_KEPT",
            f"{format_path(path)} cannot be {limit}: lengths are kept beside whole columns",
            "write string instead",
        )
    if (text := limit_of(column.field)) is not None:
        draft.refuse(
            "LENGTH_NOT_KEPT",
            f"{column} has a length inside ({text}), and Spark fails on other fields than these",
            "make the varchar or char inside a string first: "
            + Command("widen", "COLUMN", "string"),
        )


def is_there(draft: Draft, path: Path) -> bool:
    """Return whether the schema has a node at the path."""
    try:
        find(draft.schema, path)
    except NotFoundError:
        return False
    return True


def struct_at(draft: Draft, parent: Path) -> Struct:
    """Return the struct at `parent`, the empty path for that of the table's columns."""
    found = find(draft.schema, parent).type if parent else draft.schema
    assert isinstance(found, Struct)
    return found


def is_mapped(draft: Draft) -> bool:
    """Return whether files know the columns by names that a rename or a drop does not touch."""
    return column_mapping.mode(draft.configuration) != "none"


def needs_mapping(draft: Draft, verb: str, *, enabling: bool) -> None:
    """Switch column mapping on for a change that needs it, or refuse the change."""
    if is_mapped(draft):
        return
    if enabling:
        enable(draft, COLUMN_MAPPING_FEATURE)
        return
    draft.refuse(
        "COLUMN_MAPPING_NEEDED",
        f"without column mapping a column cannot be {verb}: data files store it under its name",
        Option("--enable") + ", or first: " + Command("protocol enable", COLUMN_MAPPING_FEATURE),
    )


def needs_feature(draft: Draft, name: str, why: str, *, enabling: bool) -> None:
    """Add a feature that a change needs, or refuse the change."""
    if {name, f"{name}-preview"} & draft.features:
        return
    if enabling:
        enable(draft, name)
        return
    draft.refuse(
        "FEATURE_NEEDED",
        f"{why} needs the feature {name}, which the table does not have",
        Option("--enable") + ", or first: " + Command("protocol enable", name),
    )


def is_partition(draft: Draft, path: Path) -> bool:
    """Return whether the path is that of a partition column."""
    names = {name.casefold() for name in draft.partition_columns}
    return len(path) == 1 and path[0].casefold() in names


def is_in_map_key(draft: Draft, path: Path) -> bool:
    """Return whether the path leads through the key of a map."""
    above = steps(draft.schema, path[:-1])
    return any(node.below and node.below[-1] == "key" for node in above)


def with_metadata(field: StructField, key: str, value: str | None) -> StructField:
    """Return the field with one more setting, or with None without it."""
    rest = {name: known for name, known in field.metadata.items() if name != key}
    if value is None:
        return replace(field, metadata=rest)
    return replace(field, metadata={**field.metadata, key: value})
