"""Configuration files: `deltactl.toml` of a project, and `config.toml` of the user.

output = "json"
[tables]
events = "s3://lake/events"
orders = { uri = "s3://shop/orders", profile = "prod" }
[storage-options]
AWS_REGION = "eu-west-1"
[profiles.prod]
timeout = "2m"
storage-options = { AWS_REGION = "us-east-1" }
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from deltactl.cli.config.settings import SETTINGS, Alias
from deltactl.errors import InvalidUsageError
from deltactl.storage.local.regular_file import open_regular
from deltactl.text.suggestions import nearest

MAPS = ("storage-options", "spark-conf")
TABLES = "tables"
ALIAS = ("uri", "profile")
MOST = 1 << 20  # bytes of a file: a stranger's may be of any size
DEPTH = 5  # of the deepest member: profiles.NAME.tables.NAME.profile
BITS = 64  # of a number
DOTS = 1000  # in a line: the time for a key with dots grows with the square of them
KEY_PART = re.compile(r"""\s*("[^"]*"|'[^']*'|[A-Za-z0-9_-]+)\s*(\.?)""")


class FileLayer(NamedTuple):
    """What a file sets at its top level (`profile` is None) or in one profile."""

    path: str
    profile: str | None
    values: Mapping[str, Any]
    maps: Mapping[str, Mapping[str, str]]
    tables: Mapping[str, Alias]

    @property
    def origin(self) -> str:
        """Where it stands, for people."""
        return self.path if self.profile is None else f"{self.path} [profiles.{self.profile}]"

    def names(self) -> Iterator[str]:
        """Yield the names of its settings, as they stand in the file."""
        above = "" if self.profile is None else f"profiles.{self.profile}."
        yield from (f"{above}{name}" for name in self.values)
        for group, members in self.maps.items():
            yield from (f"{above}{group}.{key}" for key in members)
        yield from (f"{above}{TABLES}.{name}" for name in self.tables)


def load(path: str, content: bytes | None = None) -> list[FileLayer]:
    """Return the profiles of the file at `path`, and its top level; `content` is what it holds.

    Raises:
        InvalidUsageError: it cannot be read, is not TOML, or holds something unknown.
    """
    try:
        text = (content if content is not None else read_bytes(path)).decode()
    except UnicodeDecodeError as error:
        raise _unreadable(path, "it is not UTF-8") from error
    if max((line.count(".") for line in text.split("\n")), default=0) > DOTS:
        raise _unreadable(path, f"it has a line with more than {DOTS} dots")
    import tomllib  # costs more than all else here, and most runs have no file to read

    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5000 digits is another ValueError
        raise InvalidUsageError(
            "CONFIG_NOT_TOML", f"{path}: {error}", details={"file": path}
        ) from error
    file = _File(path, _lines(text))
    profiles = data.pop("profiles", {})
    if not isinstance(profiles, dict):
        raise file.wrong(("profiles",), "is a table of profiles")
    layers = [file.layer(data, None)]
    for name, members in profiles.items():
        if not isinstance(members, dict):
            raise file.wrong(("profiles", name), "is a table of settings")
        layers.append(file.layer(members, name))
    return layers


def unknown_name_hint(name: str, known: Collection[str], noun: str) -> str | None:
    """Return a hint with the names near `name`, else with all that are known."""
    if near := nearest(name, known):
        return f"did you mean {' or '.join(near)}?"
    return f"known {noun}: {', '.join(known)}" if known else None


def read_bytes(path: str) -> bytes:
    """Return what the file at `path` holds; a link to /dev/null holds nothing.

    The user did not name this file, so pipes are not waited for, not even those of a shell.

    Raises:
        InvalidUsageError: it cannot be read, or is not a regular file.
    """
    if os.path.realpath(path) == os.devnull:
        return b""
    try:
        with open(path, "rb", opener=open_regular) as file:
            content = file.read(MOST + 1)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    if len(content) > MOST:
        raise _unreadable(path, f"it is larger than {MOST >> 20} MiB")
    return content


def _unreadable(path: str, reason: str) -> InvalidUsageError:
    return InvalidUsageError(
        "CONFIG_UNREADABLE", f"cannot read {path}: {reason}", details={"file": path}
    )


class _File(NamedTuple):
    path: str
    lines: Mapping[tuple[str, ...], int]

    def layer(self, members: Mapping[str, Any], profile: str | None) -> FileLayer:
        prefix = () if profile is None else ("profiles", profile)
        values: dict[str, Any] = {}
        maps: dict[str, dict[str, str]] = {name: {} for name in MAPS}
        tables: dict[str, Alias] = {}
        for name, member in members.items():
            at = (*prefix, name)
            if name in MAPS:
                maps[name] = self._texts(at, member)
            elif name == TABLES:
                tables = self._aliases(at, member)
            elif name in SETTINGS and not (profile and name == "profile"):
                values[name] = self._parsed(at, member)
            else:
                raise self._unknown(at)
        for key, value in maps["storage-options"].items():
            # A file without such options does without the module that knows them.
            is_path = import_module("deltactl.storage.options.options").is_path_option
            if value.strip() and is_path(key):
                maps["storage-options"][key] = self._location(value.strip())
        for name in ("jars", "spark-log"):
            if name in values:
                values[name] = self._location(values[name])
        return FileLayer(self.path, profile, values, maps, tables)

    def wrong(self, at: tuple[str, ...], what: str) -> InvalidUsageError:
        """Return the error that the member `at` is not what it should be."""
        return self._error("CONFIG_INVALID", at, f"{'.'.join(at)} {what}")

    def _unknown(self, at: tuple[str, ...]) -> InvalidUsageError:
        known = [*SETTINGS, *MAPS, TABLES, "profiles"]
        hint = unknown_name_hint(at[-1], known, "settings")
        return self._error("CONFIG_KEY_UNKNOWN", at, f"no setting {'.'.join(at)!r}", hint)

    def _where(self, at: tuple[str, ...]) -> str:
        line = _line_of(self.lines, at)
        return self.path if line is None else f"{self.path}:{line}"

    def _error(
        self, code: str, at: tuple[str, ...], message: str, hint: str | None = None
    ) -> InvalidUsageError:
        details = {"file": self.path, "line": _line_of(self.lines, at), "key": ".".join(at)}
        said = f"{self._where(at)}: {message}"
        return InvalidUsageError(code, said, hint=hint, details=details)

    def _aliases(self, at: tuple[str, ...], member: Any) -> dict[str, Alias]:
        if not isinstance(member, dict):
            raise self.wrong(at, "is a table of names and places")
        return {name: self._alias((*at, name), value) for name, value in member.items()}

    def _alias(self, at: tuple[str, ...], value: Any) -> Alias:
        """Return the place that is meant by a text, or by a table with `uri` and `profile`."""
        if not isinstance(value, dict):
            return Alias(self._location(self._text(at, value)), where=self._where(at))
        for key in value:
            if key not in ALIAS:
                hint = unknown_name_hint(key, ALIAS, "keys")
                said = f"no key {key!r} in {'.'.join(at)}"
                raise self._error("CONFIG_KEY_UNKNOWN", (*at, key), said, hint)
        if "uri" not in value:
            raise self.wrong(at, 'takes one text, or { uri = "...", profile = "..." }')
        uri, profile = self._text((*at, "uri"), value["uri"]), value.get("profile")
        if profile is not None and (not isinstance(profile, str) or not profile):
            raise self.wrong((*at, "profile"), "takes the name of a profile")
        return Alias(self._location(uri), profile, self._where((*at, "profile")))

    def _texts(self, at: tuple[str, ...], member: Any) -> dict[str, str]:
        if not isinstance(member, dict):
            raise self.wrong(at, "is a table of names and texts")
        return {name: self._text((*at, name), value) for name, value in member.items()}

    def _text(self, at: tuple[str, ...], value: Any) -> str:
        match value:
            case bool():
                return str(value).lower()
            case str() if "\0" in value:
                raise self.wrong(at, "has a null character in it")
            case str() | float():
                return str(value)
            case int() if value.bit_length() <= BITS:
                return str(value)
            case _:
                raise self.wrong(at, "takes one text, number, or true or false")

    def _parsed(self, at: tuple[str, ...], value: Any) -> Any:
        try:
            return SETTINGS[at[-1]].parse(self._text(at, value))
        except ValueError as error:
            raise self.wrong(at, f"= {error}") from error

    def _location(self, uri: str) -> str:
        """Return a place as seen from anywhere: paths are relative to the file."""
        if "://" in uri:
            return uri
        return os.path.normpath(os.path.join(os.path.dirname(self.path), os.path.expanduser(uri)))


def _lines(text: str) -> dict[tuple[str, ...], int]:
    """Return for each member that is found the first line that names it, or something in it."""
    found: dict[tuple[str, ...], int] = {}
    for number, key in _keys(text):
        for depth in range(1, min(len(key), DEPTH) + 1):
            found.setdefault(key[:depth], number)
    return found


def _line_of(lines: Mapping[tuple[str, ...], int], at: tuple[str, ...]) -> int | None:
    """Return the line where the member `at` is set, else where what holds it begins."""
    places = (lines.get(at[:depth]) for depth in range(len(at), 0, -1))
    return next((number for number in places if number is not None), None)


def _keys(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield the lines that name a key, with its whole path; text in several lines may mislead."""
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip()
        if bare.startswith("["):
            table = _dotted(bare.lstrip("["))
            yield number, table
        elif bare and not bare.startswith("#"):
            yield number, (*table, *_dotted(bare))


def _dotted(text: str) -> tuple[str, ...]:
    parts: list[str] = []
    end = 0
    while match := KEY_PART.match(text, end):
        parts.append(match[1].strip("\"'"))
        end = match.end()
        if not match[2]:
            break
    return tuple(parts)
