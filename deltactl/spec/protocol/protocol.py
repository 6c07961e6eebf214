"""Whether a protocol action is well formed, and whether deltactl may read a table that has it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from deltactl.errors import BrokenLogError, Notice, RefusedError
from deltactl.spec.actions.action import Protocol
from deltactl.spec.protocol import features
from deltactl.spec.protocol.features import FeatureKind
from deltactl.spec.schema.schema import walk
from deltactl.spec.schema.types import Struct, Unknown
from deltactl.text.hints import Command, Words
from deltactl.text.suggestions import nearest

READER_FEATURES = 3
WRITER_FEATURES = 7

# The versions that stand for features without listing them, lowest first.
_LEGACY = ((1, 1), (1, 2), (1, 3), (1, 4), (2, 5), (2, 6))


def supported(protocol: Protocol) -> frozenset[str]:
    """Return every feature that the table has, listed, also under another name, or implied."""
    implied = features.implied(protocol.min_reader_version, protocol.min_writer_version)
    named = {own for other, own in features.OTHER_NAMES.items() if other in protocol.listed}
    return implied | protocol.listed | named


def schema_markers(schema: Struct) -> set[str]:
    """Return the schema's type names and field metadata keys that can need features."""
    nodes = list(walk(schema))
    found = {str(node.type) for node in nodes}
    found |= {key for node in nodes if node.is_field for key in node.field.metadata}
    if any(node.is_field and not node.nullable for node in nodes):
        found.add(features.NOT_NULL)
    return found


def with_features(protocol: Protocol, names: Iterable[str]) -> Protocol:
    """Return the protocol with more features and what these require; the same if it has all.

    What the versions implied until now is listed from then on. Versions never go down.
    """
    have = supported(protocol)
    wanted = have | _with_requirements(names)
    if wanted == have:
        return protocol
    rows = [features.FEATURES[name] for name in wanted if name in features.FEATURES]
    reader_writer = [row for row in rows if row.kind is FeatureKind.READER_WRITER]
    reader = max((row.min_reader for row in reader_writer), default=1)
    reader = max(reader, protocol.min_reader_version)
    listed = None
    if reader == READER_FEATURES:
        # What no row knows keeps the list that it stood in.
        names_read = {row.name for row in reader_writer} | set(protocol.reader_features or ())
        listed = _in_order(protocol.reader_features, names_read)
    return replace(
        protocol,
        min_reader_version=reader,
        min_writer_version=WRITER_FEATURES,
        reader_features=listed,
        writer_features=_in_order(protocol.writer_features, wanted),
    )


def without_feature(protocol: Protocol, name: str) -> Protocol:
    """Return the protocol without one feature; the same if it does not have it.

    What is left is said by versions alone if versions can say exactly that, as after Spark's
    DROP FEATURE; else it is listed.
    """
    have = supported(protocol)
    left = have - {name}
    if left == have:
        return protocol
    for reader, writer in _LEGACY:
        if features.implied(reader, writer) == left:
            return replace(
                protocol,
                min_reader_version=reader,
                min_writer_version=writer,
                reader_features=None,
                writer_features=None,
            )
    readers = tuple(n for n in protocol.reader_features or () if n != name)
    reader = protocol.min_reader_version
    row = features.FEATURES.get(name)
    if row is not None and row.kind is FeatureKind.READER_WRITER:
        # What only readers of the feature had to know is nothing that others must know.
        rows = [features.FEATURES.get(n) for n in left if n in readers or reader < READER_FEATURES]
        reader = max((READER_FEATURES if r is None else r.min_reader for r in rows), default=1)
    return replace(
        protocol,
        min_reader_version=reader,
        min_writer_version=WRITER_FEATURES,
        reader_features=readers
        if reader == READER_FEATURES and protocol.reader_features is not None
        else None,
        writer_features=tuple(n for n in _in_order(protocol.writer_features, have) if n != name),
    )


def upgraded(protocol: Protocol, reader: int, writer: int) -> Protocol:
    """Return the protocol at higher versions; the same at 3 and 7, which stand for no feature.

    Raises:
        RefusedError: the versions are lower than the protocol's, or do not go together.
    """
    now = protocol.min_reader_version, protocol.min_writer_version
    if reader == READER_FEATURES and writer < WRITER_FEATURES:
        raise RefusedError(
            "VERSIONS_DO_NOT_FIT",
            f"reader version 3 goes with writer version 7 only, not with {writer}",
        )
    if reader < now[0] or writer < now[1]:
        raise RefusedError(
            "VERSION_GOES_DOWN",
            f"the table has reader version {now[0]} and writer version {now[1]}, which cannot "
            f"become {reader} and {writer}: versions only go up",
            hint=Command("protocol enable", "FEATURE") + " adds a feature by its name"
            if now[1] == WRITER_FEATURES
            else None,
        )
    if writer == WRITER_FEATURES and reader not in (now[0], READER_FEATURES):
        raise RefusedError(
            "VERSIONS_DO_NOT_FIT",
            f"with writer version 7 a table lists its features: reader version {reader} comes with "
            "a feature that needs it",
            hint=Command("protocol enable", "columnMapping"),
        )
    if writer == WRITER_FEATURES:
        return protocol
    return replace(protocol, min_reader_version=reader, min_writer_version=writer)


def _with_requirements(names: Iterable[str]) -> frozenset[str]:
    found: set[str] = set()
    open_names = list(names)
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            open_names += features.FEATURES[name].requires
    return frozenset(found)


def _in_order(listed: Iterable[str] | None, names: Iterable[str]) -> tuple[str, ...]:
    """Return the listed names once each in their order, then the others by name."""
    first = dict.fromkeys(listed or ())
    return (*first, *sorted(set(names) - set(first)))


def check_form(protocol: Protocol) -> None:
    """Refuse a protocol that contradicts itself.

    Raises:
        BrokenLogError: versions or lists that no protocol can have.
        RefusedError: a reader version that is newer than deltactl.
    """
    if protocol.has_draft_keys:
        raise BrokenLogError(
            "DRAFT_PROTOCOL_KEYS",
            "the protocol has the keys readerVersion and writerVersion of the draft's examples",
            hint="the real keys are minReaderVersion and minWriterVersion",
        )
    reader, writer = protocol.min_reader_version, protocol.min_writer_version
    for field, version in (("minReaderVersion", reader), ("minWriterVersion", writer)):
        if version < 1:
            raise BrokenLogError(
                "PROTOCOL_VERSION_INVALID",
                f"the protocol has {field} {version}; versions begin at 1",
            )
    if reader > READER_FEATURES:
        raise RefusedError(
            "UNSUPPORTED_PROTOCOL_VERSION",
            f"the table needs reader version {reader}; deltactl knows up to {READER_FEATURES}",
            hint="a newer client is needed; " + _STILL_ANSWER,
            details={"minReaderVersion": reader, "minWriterVersion": writer},
        )
    if reader == READER_FEATURES and writer < WRITER_FEATURES:
        raise BrokenLogError(
            "READER_3_NEEDS_WRITER_7",
            f"the protocol has minReaderVersion 3 with minWriterVersion {writer} instead of 7",
        )
    for field, listed, version, needed in (
        ("readerFeatures", protocol.reader_features, reader, READER_FEATURES),
        ("writerFeatures", protocol.writer_features, writer, WRITER_FEATURES),
    ):
        if listed is None and version == needed:
            raise BrokenLogError(
                "FEATURE_LISTS_MISSING", f"the protocol ({reader},{writer}) has no {field}"
            )
        if listed and version < needed:
            raise BrokenLogError(
                "FEATURES_ON_OLD_PROTOCOL",
                f"the protocol ({reader},{writer}) has {field}, which need version {needed}",
            )


def check_readable(protocol: Protocol) -> None:
    """Refuse a table whose log deltactl would misread.

    Raises:
        RefusedError: the table has reader features that deltactl does not know.
    """
    unreadable = features.unreadable(protocol.reader_features or ())
    if not unreadable:
        return
    names = ", ".join(unreadable)
    raise RefusedError(
        "UNSUPPORTED_READER_FEATURE",
        f"the table needs the reader feature{'s' if len(unreadable) > 1 else ''} {names}, "
        "which deltactl cannot read",
        hint=_meant(unreadable),
        details={"features": list(unreadable)},
    )


def check_types(protocol: Protocol, schema: Struct) -> None:
    """Refuse a type that is not known if a feature that is not known may have brought it.

    Raises:
        RefusedError: there is one of each.
    """
    unknown = features.unreadable(protocol.listed)
    if not unknown:
        return
    node = next((node for node in walk(schema) if isinstance(node.type, Unknown)), None)
    if node is None:
        return
    is_read = not set(unknown).isdisjoint(protocol.reader_features or ())
    raise RefusedError(
        "UNSUPPORTED_READER_FEATURE" if is_read else "UNSUPPORTED_WRITER_FEATURE",
        f"column {node} has the type {node.type}, and the table the "
        f"feature{'s' if len(unknown) > 1 else ''} {', '.join(unknown)}, which deltactl does not "
        "know",
        hint=_meant(unknown),
        details={"features": list(unknown)},
    )


def protocol_warnings(protocol: Protocol) -> Iterator[Notice]:
    """Yield what is odd about a well-formed protocol, and what forbids changes of the table."""
    reader, writer = protocol.min_reader_version, protocol.min_writer_version
    listed_reader = protocol.reader_features or ()
    listed_writer = protocol.writer_features or ()
    if writer > WRITER_FEATURES:
        yield Notice(
            "UNSUPPORTED_WRITER_VERSION",
            f"the table needs writer version {writer}; deltactl cannot change it",
        )
    for name in _doubled(listed_reader) | _doubled(listed_writer):
        yield Notice("DUPLICATE_FEATURE", f"the protocol lists {name} twice")
    for name in sorted(set(listed_reader) - set(listed_writer)):
        yield Notice(
            "READER_FEATURE_NOT_IN_WRITER", f"{name} is in readerFeatures but not in writerFeatures"
        )
    for name in sorted(set(listed_writer) - set(listed_reader)):
        row = features.FEATURES.get(name)
        if row is not None and row.kind is FeatureKind.READER_WRITER:
            needed = row.legacy_reader or READER_FEATURES
            if reader == READER_FEATURES:
                yield Notice(
                    "WRITER_FEATURE_NOT_IN_READER",
                    f"{name} is in writerFeatures but not in readerFeatures",
                )
            elif reader < needed:
                yield Notice(
                    "READER_VERSION_TOO_LOW",
                    f"{name} needs reader version {needed}; the protocol has {reader}",
                )
        elif name in features.DRAFT_NAMES:
            released = features.DRAFT_NAMES[name]
            yield Notice(
                "DRAFT_FEATURE_NAME",
                f"{name} is a draft name that was never released; the feature is now {released}",
            )
        elif row is None:
            yield Notice(
                "UNSUPPORTED_WRITER_FEATURE",
                f"the table has the writer feature {name}, which deltactl does not know; "
                "deltactl cannot change it",
            )


def _doubled(names: Sequence[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


_STILL_ANSWER = Command("protocol show") + " and " + Command("history") + " still answer"


def _meant(names: Sequence[str]) -> str | Words:
    known = list(features.FEATURES)
    near = [found[0] for name in names if (found := nearest(name, known)) and found[0] not in names]
    if near:
        return f"did you mean {' or '.join(near)}? Names of features are case-sensitive in the log"
    return _STILL_ANSWER
