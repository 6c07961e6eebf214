"""Schemas: from `schemaString` to nodes with paths, and from what people type to a node."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from deltactl.errors import BrokenLogError, InvalidUsageError, NotFoundError, Notice
from deltactl.spec.schema.types import (
    Array,
    DataType,
    Map,
    Struct,
    StructField,
    Unknown,
    short_name,
    type_from_json,
)
from deltactl.text import strict_json
from deltactl.text.identifiers import backticked
from deltactl.text.suggestions import nearest

Path = tuple[str, ...]

_PLAIN = re.compile(r"[^\s.`]+")
_BRACKETS = re.compile(r"(?:\[\])+\Z")
_SEGMENT = re.compile(r"`(?:[^`]|``)+`|[^.`]+")


class Node(NamedTuple):
    """A place in a schema: a column, a field, or the element, key or value of one.

    `field` is the field itself or the nearest one above; `below` leads from there to the node:
    empty for the field itself, `("value", "element")` for an element of a map's values.
    """

    path: Path
    type: DataType
    nullable: bool
    field: StructField
    below: Path

    @property
    def is_field(self) -> bool:
        return not self.below

    def __str__(self) -> str:
        return format_path(self.path)


def parse_schema(text: str) -> Struct:
    """Read a `schemaString`.

    Raises:
        BrokenLogError: it is not JSON, not a struct, or nested too deeply to read.
    """
    try:
        schema = type_from_json(strict_json.loads(text))
    except ValueError as error:
        raise BrokenLogError(
            "SCHEMA_NOT_JSON", f"the table's schemaString is not JSON: {error}"
        ) from error
    except RecursionError as error:
        raise BrokenLogError(
            "SCHEMA_TOO_DEEP", "the table's schemaString is nested too deeply to read"
        ) from error
    if not isinstance(schema, Struct):
        raise BrokenLogError("SCHEMA_MALFORMED", "the table's schemaString is not a struct")
    return schema


def walk(struct: Struct, path: Path = ()) -> Iterator[Node]:
    """Yield every node below `struct`, parents first."""
    for field in struct.fields:
        yield from _below(Node((*path, field.name), field.type, field.nullable, field, ()))


def top(schema: Struct) -> Iterator[Node]:
    """Return the columns of a table."""
    return (Node((f.name,), f.type, f.nullable, f, ()) for f in schema.fields)


def children(node: Node) -> list[Node]:
    """Return the nodes directly below `node`."""
    match node.type:
        case Struct(fields):
            return [Node((*node.path, f.name), f.type, f.nullable, f, ()) for f in fields]
        case Array(element, contains_null):
            return [_inside(node, "element", element, contains_null)]
        case Map(key, value, value_contains_null):
            return [
                _inside(node, "key", key, False),
                _inside(node, "value", value, value_contains_null),
            ]
        case _:
            return []


def _inside(node: Node, name: str, data_type: DataType, nullable: bool) -> Node:
    """Return what is below `node` without being a field."""
    return Node((*node.path, name), data_type, nullable, node.field, (*node.below, name))


def parse_path(text: str) -> Path:
    """Read a dotted path; backticks hold a name that has a dot, and double themselves.

    Raises:
        InvalidUsageError: an empty segment, or a backtick without its partner.
    """
    segments, position = [], 0
    while found := _SEGMENT.match(text, position):
        segment = found[0]
        quoted = segment.startswith("`")
        segments.append(segment[1:-1].replace("``", "`") if quoted else segment)
        position = found.end()
        if position == len(text):
            return tuple(segments)
        if text[position] != ".":
            break
        position += 1
    raise InvalidUsageError(
        "BAD_COLUMN_PATH",
        f"{text!r} is not a column path",
        hint="write s.x, ar.element, m.value.x; backticks round a name that has a dot: `a.b`.c",
    )


def format_path(path: Path) -> str:
    """Return the path as `parse_path` reads it."""
    return ".".join(n if _PLAIN.fullmatch(n) else backticked(n) for n in path)


def find(schema: Struct, path: Path) -> Node:
    """Return the node at `path`, names matched without regard to case, exact spelling preferred.

    Raises:
        NotFoundError: there is no such node; the hint names what comes near.
    """
    found = steps(schema, path)
    if not found:
        raise InvalidUsageError("BAD_COLUMN_PATH", "an empty path names no column")
    return found[-1]


def steps(schema: Struct, path: Path) -> list[Node]:
    """Return every node on the way to the one at `path`, from the top; `find` returns the last.

    `items[]`, as diffs write it, is `items.element` if no column has that name.

    Raises:
        NotFoundError: there is no such node; the hint names what comes near.
    """
    nodes: list[Node] = []
    node: Node | None = None
    for name in path:
        names: Path = (name,)
        if name.endswith("[]") and _child(schema, node, name) is None:
            bare = _BRACKETS.sub("", name)
            names = (bare, *["element"] * ((len(name) - len(bare)) // 2))
        for one in names:
            inside = _child(schema, node, one)
            if inside is None:
                raise _not_found(path, schema, node, one)
            node = inside
            nodes.append(node)
    return nodes


def check_usable(schema: Struct) -> None:
    """Refuse a schema that schema commands cannot answer for.

    Raises:
        BrokenLogError: a type that the protocol does not have, or two columns whose names differ
            only in case.
    """
    for fault in faults(schema):
        raise BrokenLogError(fault.code, fault.message)


def resolve_prefix(schema: Struct, names: Path) -> Path:
    """Return the node that an expression means by `a.b.c`, as far as the schema has it.

    SQL steps into the structs of an array without saying `element`; what it names below a map is
    a key.
    """
    path: Path = ()
    node: Node | None = None
    for name in names:
        while node is not None and isinstance(node.type, Array):
            (node,) = children(node)
        node = _child(schema, node, name)
        if node is None:
            break
        path = node.path
        if isinstance(node.type, Map):
            break
    return path


def faults(schema: Struct) -> Iterator[Notice]:
    """Yield what no engine accepts: unknown types, sibling names that differ in case."""
    nodes = list(walk(schema))
    structs: list[tuple[Path, Struct]] = [((), schema)]
    structs += [(n.path, n.type) for n in nodes if isinstance(n.type, Struct)]
    for path, struct in structs:
        seen: dict[str, str] = {}
        for field in struct.fields:
            folded = field.name.casefold()
            if folded in seen:
                both = (
                    f"{format_path((*path, seen[folded]))} and {format_path((*path, field.name))}"
                )
                yield Notice("DUPLICATE_COLUMNS", f"the schema has both {both}")
            seen.setdefault(folded, field.name)
    for node in nodes:
        if isinstance(node.type, Unknown):
            yield Notice("UNKNOWN_TYPE", f"column {node} has the unknown type {node.type}")


def _below(node: Node) -> Iterator[Node]:
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(children(current)))


def _child(schema: Struct, above: Node | None, name: str) -> Node | None:
    """Return the node of that name directly below `above`, or at the top of the schema."""
    struct = schema if above is None else above.type
    if isinstance(struct, Struct):
        field = struct.named(name)
        if field is None:
            return None
        path = (field.name,) if above is None else (*above.path, field.name)
        return Node(path, field.type, field.nullable, field, ())
    inside = children(above) if above is not None else []
    folded = name.casefold()  # `element`, `key` and `value` differ in more than their case.
    return next((node for node in inside if node.path[-1] == folded), None)


def _not_found(path: Path, schema: Struct, above: Node | None, name: str) -> NotFoundError:
    level = list(top(schema) if above is None else children(above))
    names = [n.path[-1] for n in level]
    message = f"no column {format_path(path)}"
    if above is not None and not level:
        message += f": {above} is {short_name(above.type)} and has nothing below it"
    elif above is not None:
        message += f": {above} has no {format_path((name,))}"
    return NotFoundError(
        "COLUMN_NOT_FOUND",
        message,
        hint=_suggestion(name, names, above.path if above else ()),
        details={"column": format_path(path), "known": names[:100]},
    )


def _suggestion(name: str, names: list[str], above: Path) -> str | None:
    if near := nearest(name, names):
        return "did you mean " + " or ".join(format_path((*above, n)) for n in near) + "?"
    if not names:
        return None
    shown: list[Any] = [format_path((*above, n)) for n in names[:10]]
    return "columns: " + ", ".join(shown) + (", …" if len(names) > len(shown) else "")
