"""A replay of logs that shares no line with deltactl.

It answers only for plain logs: JSON that can be read in one way only, commits without gaps, paths
without escapes. Readers may begin with any checkpoint that is whole, so
there is an answer for each of them, and one for the commits alone.
"""

import codecs
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

COMMIT = re.compile(r"(\d{20})\.json")
CLASSIC = re.compile(r"(\d{20})\.checkpoint\.parquet")
PART = re.compile(r"(\d{20})\.checkpoint\.(\d{10})\.(\d{10})\.parquet")
COMPACTED = re.compile(r"\d{20}\.(\d{20})\.compacted\.json")
V2 = re.compile(r"(\d{20})\.checkpoint\.[0-9a-f-]{36}\.(json|parquet)")
HEADS = ("protocol", "metaData", "sidecar")
DAMAGE = (pa.ArrowException, OSError, ValueError, KeyError, TypeError)
BLANK = " \t\r\n"
PLAIN_PATH = re.compile(r"[A-Za-z0-9_.=-][A-Za-z0-9_.=/-]*")


class UnsureError(Exception):
    """The log has more than one right answer."""


@dataclass
class State:
    """A table at a version; without `has_files` its files could not be read."""

    version: int
    protocol: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    adds: dict[tuple[str, str | None], dict[str, Any]] = field(default_factory=dict)
    has_files: bool = True

    def take(self, kind: str, body: dict[str, Any]) -> None:
        """Take an action of the next version."""
        match kind:
            case "protocol":
                # A checkpoint may have another one, and its files be read from commits.
                if not isinstance(body, dict) or type(body.get("minReaderVersion")) is not int:
                    raise UnsureError
                self.protocol = body
            case "metaData":
                self.metadata = body
            case "add":
                self.adds[_key(body)] = body
            case "remove":
                self.adds.pop(_key(body), None)


def states(files: Mapping[str, bytes]) -> list[State]:
    """Every right answer for the newest version; none if that is not plain."""
    commits = {int(m[1]): files[name] for name in files if (m := COMMIT.fullmatch(name))}
    checkpoints = {int(name[:20]) for name in files if ".checkpoint." in name and name[0].isdigit()}
    ends = {int(m[1]) for name in files if (m := COMPACTED.fullmatch(name))}
    newest = max(commits, default=-1)
    if newest < 0 or max(checkpoints | ends, default=0) > newest:
        return []
    found = []
    for begin in (-1, *sorted(checkpoints)):
        if any(version not in commits for version in range(begin + 1, newest + 1)):
            continue
        try:
            for state in _begun(files, begin):
                for version in range(begin + 1, newest + 1):
                    for kind, body in _lines(commits[version]):
                        state.take(kind, body)
                state.version = newest
                if state.protocol is not None and state.metadata is not None:
                    found.append(state)
        except UnsureError:
            return []  # readers may begin with this one
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
    return found


def _begun(files: Mapping[str, bytes], version: int) -> Iterator[State]:
    """The state of each checkpoint of that version; an empty one before the first commit."""
    if version < 0:
        yield State(-1)
        return
    parts: dict[int, dict[int, bytes]] = {}
    for name, data in files.items():
        if not name.startswith(f"{version:020d}.checkpoint"):
            continue
        if match := PART.fullmatch(name):
            parts.setdefault(int(match[3]), {})[int(match[2])] = data
        elif CLASSIC.fullmatch(name) or V2.fullmatch(name):
            yield _of_checkpoint(version, [data], files, is_json=name.endswith(".json"))
    for number, held in parts.items():
        if len(held) == number and sorted(held) == list(range(1, number + 1)):
            yield _of_checkpoint(version, [held[part] for part in sorted(held)], files)


def _of_checkpoint(
    version: int, parts: Iterable[bytes], files: Mapping[str, bytes], *, is_json: bool = False
) -> State:
    """What can be read of a checkpoint: readers need not notice damage to what they do not need."""
    state = State(version)
    adds: list[dict[str, Any]] = []
    for data in parts:
        found = []
        for columns in [HEADS] if is_json else [[kind] for kind in HEADS]:
            try:
                found += list(_lines(data) if is_json else _rows(data, columns))
            except DAMAGE:
                # A newer protocol and newer metadata may stand in commits.
                state.has_files = state.has_files and "sidecar" not in columns
        sidecars = []
        for kind, body in found:
            if kind == "sidecar":
                sidecars.append(files.get(f"_sidecars/{body.get('path')}", b""))
            elif kind == "add":
                adds.append(body)
            elif kind in HEADS:
                state.take(kind, body)
        for file in sidecars if is_json else (data, *sidecars):
            adds += _adds(file, state)
    try:
        for add in adds:
            state.take("add", add)
    except DAMAGE:
        state.has_files = False
    if len(adds) > len(state.adds) and state.has_files:
        raise UnsureError  # a file twice: readers that hold no paths see it twice
    return state


def _adds(data: bytes, state: State) -> list[dict[str, Any]]:
    # Statistics, sizes and so on are not compared: readers may do without them.
    for columns in (("add",), ("add", "add.path", "add.deletionVector")):
        with suppress(*DAMAGE):
            return [body for _, body in _rows(data, columns)]
    state.has_files = False
    return []


def _rows(data: bytes, columns: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The actions in the first of these columns, or in all; `add` alone may be given by leaves."""
    schema = pq.read_schema(BytesIO(data))
    if len(set(schema.names)) < len(schema.names):
        raise UnsureError
    if any(name.split(".")[0] in columns for name in schema.names if "." in name):
        raise ValueError("the columns of actions are not structs")
    for column in {*columns}.intersection(schema.names):
        if not pa.types.is_struct(schema.field(column).type):
            raise TypeError(f"{column} is not a struct")
    leaves = [name for name in columns if "." in name]
    if leaves and schema.field("add").type.get_field_index("path") < 0:
        raise KeyError("path")
    for row in pq.ParquetFile(BytesIO(data)).read(columns=leaves or list(columns)).to_pylist():
        for kind, body in row.items():
            if body is not None:
                yield kind, _plain(body)


def _plain(value: Any) -> Any:
    """A value of Arrow as JSON has it: maps as objects, and nothing that is null."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return dict(value)
    return value


def _lines(data: bytes) -> Iterator[tuple[str, dict[str, Any]]]:
    for line in data.removeprefix(codecs.BOM_UTF8).decode().split("\n"):
        text = line.strip(BLANK)
        if not text:
            continue
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_unsure)
        if not isinstance(value, dict):
            raise UnsureError
        known = [(kind, body) for kind, body in value.items() if body is not None]
        for kind, body in known:
            if not isinstance(body, dict):
                raise UnsureError
            yield kind, body


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnsureError
    return found


def _unsure(text: str) -> Any:
    raise UnsureError(text)


def _key(body: Mapping[str, Any]) -> tuple[str, str | None]:
    path = body["path"]
    if not isinstance(path, str) or not PLAIN_PATH.fullmatch(path) or "//" in path or "./" in path:
        raise UnsureError
    vector = body.get("deletionVector")
    if vector is None:
        return path, None
    if not isinstance(vector, dict):
        raise UnsureError
    offset = vector.get("offset")
    if not isinstance(vector["pathOrInlineDv"], str) or isinstance(offset, float | bool | str):
        raise UnsureError
    suffix = "" if offset is None else f"@{offset}"
    return path, f"{vector['storageType']}{vector['pathOrInlineDv']}{suffix}"


def differences(document: Mapping[str, Any], answers: list[State]) -> list[str]:
    """How a document of `show`, `files` or `schema show` differs from all the answers."""
    found = []
    for state in answers:
        if document["command"] != "schema show" and not state.has_files:
            continue
        wrong = list(_differences(document, state))
        if not wrong:
            return []
        found.append("; ".join(wrong))
    return found


def _differences(document: Mapping[str, Any], state: State) -> Iterator[str]:
    metadata, protocol = state.metadata or {}, state.protocol or {}
    if document["version"] != state.version:
        yield f"version {document['version']}, not {state.version}"
    if document["table"]["id"] != (metadata.get("id") or None):
        yield f"id {document['table']['id']}, not {metadata.get('id')}"
    if document["command"] in ("show", "schema show"):
        wanted = _schema(metadata.get("schemaString"))
        if wanted is not None and document["schema"] != wanted:
            yield f"schema {document['schema']}, not {wanted}"
    if document["command"] == "show":
        for key in ("minReaderVersion", "minWriterVersion"):
            if document["protocol"][key] != protocol.get(key):
                yield f"{key} {document['protocol'][key]}, not {protocol.get(key)}"
        for key in ("readerFeatures", "writerFeatures"):
            if _names(document["protocol"][key]) != _names(protocol.get(key)):
                yield f"{key} {document['protocol'][key]}, not {protocol.get(key)}"
        if document["partitionColumns"] != (metadata.get("partitionColumns") or []):
            yield f"partition columns {document['partitionColumns']}"
        if document["properties"] != (metadata.get("configuration") or {}):
            yield f"properties {document['properties']}, not {metadata.get('configuration')}"
        if document["files"]["count"] != len(state.adds):
            yield f"{document['files']['count']} files, not {len(state.adds)}"
    if document["command"] == "files":
        paths = sorted(file["path"] for file in document["files"])
        if paths != sorted(path for path, _ in state.adds):
            yield f"files {paths}, not {sorted(state.adds, key=str)}"


def _names(value: Any) -> Any:
    """A list without its order, whatever is in it; what is no list as it is."""
    return sorted({repr(name) for name in value or ()}) if isinstance(value, list | None) else value


def _schema(text: Any) -> Any:
    """The schema as JSON, None where it could be read in two ways."""
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_unsure)
    except (ValueError, TypeError, RecursionError, UnsureError):
        return None
    return found if isinstance(found, dict) else None
