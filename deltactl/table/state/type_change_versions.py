"""Since which version a type change is recorded: by its own word, else by the log's metadata."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from deltactl.errors import DeltactlError
from deltactl.log.commit import commit_lines
from deltactl.log.filenames import commit_name
from deltactl.log.segment import recreatable
from deltactl.spec.schema import column_mapping
from deltactl.spec.schema.schema import Path, parse_schema, walk
from deltactl.spec.schema.type_changes import TypeChange, changes_of
from deltactl.spec.schema.types import Struct
from deltactl.table.snapshot import Snapshot, read_protocol_and_metadata

# One way to tell a change of a node from others: it may have several.
Identity = tuple[object, ...]
# A node, and the place of a change among its changes.
TypeChangePlace = tuple[Path, int]


class Sighting(NamedTuple):
    """`since`: the version it came with; else it came `before` a version, the log being cleaned."""

    since: int | None
    before: int | None = None


class DatedChange(NamedTuple):
    """A type change and the version it came with; `before` if that is only known so far."""

    change: TypeChange
    sighting: Sighting

    def to_json(self) -> dict[str, Any]:
        return {
            **self.change.to_json(),
            "sinceVersion": self.sighting.since,
            "beforeVersion": self.sighting.before,
        }


def find_versions(snapshot: Snapshot) -> Mapping[TypeChangePlace, Sighting]:
    """Return the version of each type change, by the node's path and the change's index."""
    if snapshot.schema is None:
        return {}
    found: dict[TypeChangePlace, Sighting] = {}
    undated: dict[TypeChangePlace, frozenset[Identity]] = {}
    for identities, place, change in _changes(snapshot.schema):
        if change.table_version is not None:
            found[place] = Sighting(change.table_version)
        else:
            undated[place] = identities
    return found | _search(snapshot, undated) if undated else found


def _changes(schema: Struct) -> Iterator[tuple[frozenset[Identity], TypeChangePlace, TypeChange]]:
    for node in walk(schema):
        for index, change in enumerate(changes_of(node)):
            what = _what(change)
            # The physical path is the same before and after mapping is turned on; the id holds
            # where a rewrite has changed it.
            own: set[Identity] = {(column_mapping.physical_path(schema, node), *what)}
            if (column_id := column_mapping.column_id(node.field)) is not None:
                own.add((column_id, *what))
            yield frozenset(own), (node.path, index), change


def _what(change: TypeChange) -> Identity:
    return change.below, change.from_type, change.to_type


def _held(schema: Struct, *, by_name: bool) -> dict[Identity, frozenset[Identity]]:
    """Return each change of the schema by the identity that it has in a newer schema.

    That is its name if column mapping was dropped in between: then files were rewritten with the
    names of that time.
    """
    held = {}
    for identities, (path, _), change in _changes(schema):
        keys = {(path, *_what(change))} if by_name else identities
        held.update(dict.fromkeys(keys, identities))
    return held


def _is_mapped(schema: Struct | None) -> bool:
    fields = () if schema is None else schema.fields
    return any(column_mapping.column_id(field) is not None for field in fields)


def _search(
    snapshot: Snapshot, undated: Mapping[TypeChangePlace, frozenset[Identity]]
) -> dict[TypeChangePlace, Sighting]:
    """Go down through the metadata of the log until each change is gone, or the log is."""
    found: dict[TypeChangePlace, Sighting] = {}
    left = dict(undated)
    held_since, newer = snapshot.version, snapshot.schema
    for version, schema in _schemas(snapshot):
        held = _held(schema, by_name=_is_mapped(schema) and not _is_mapped(newer))
        for place, identities in [*left.items()]:
            if same := [held[identity] for identity in identities if identity in held]:
                # It is sought further down by what tells it from others here.
                left[place] = frozenset().union(*same)
            else:
                del left[place]
                found[place] = Sighting(held_since)
        if not left:
            return found
        held_since, newer = version, schema
    # What is left was there in the oldest metadata that the log still gives.
    oldest = Sighting(0) if held_since == 0 else Sighting(None, held_since + 1)
    return found | dict.fromkeys(left, oldest)


def _schemas(snapshot: Snapshot) -> Iterator[tuple[int, Struct]]:
    """Yield the table's schemas, newest first, each with its first known version."""
    listing = snapshot.log.listing()
    version = lowest = snapshot.version
    has_changed = False
    while version in listing.commits:
        for _, block in snapshot.log.blocks(listing.commits[version]):
            bodies = commit_lines.search(block, "metaData", commit_name(version))
            text = bodies[-1].body.get("schemaString") if bodies else None
            if isinstance(text, str):
                lowest, has_changed = version, True
                yield version, parse_schema(text)
        version -= 1
    bottom = max(version, recreatable(listing) or 0)
    if version < 0 or bottom >= lowest:
        return
    if not has_changed:
        # No commit on the way down has metadata: then it was as it is.
        if snapshot.schema is not None:
            yield bottom, snapshot.schema
        return
    try:
        metadata = read_protocol_and_metadata(snapshot.log, bottom).metadata
    except DeltactlError:
        return  # The log was cleaned up to here: nothing older can be known.
    if metadata is not None and metadata.schema_string is not None:
        yield bottom, parse_schema(metadata.schema_string)
