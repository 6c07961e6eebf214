"""`.crc` files: what a writer may carry over to the next version when no file came or went."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from deltactl.spec.actions.action import DomainMetadata, Metadata, Protocol, Transaction
from deltactl.spec.keys import DELETION_VECTORS_FEATURE, TRANSACTION_RETENTION
from deltactl.text import strict_json

_COUNTS = ("tableSizeBytes", "numFiles")
_ONES = ("numMetadata", "numProtocol")
# With the feature a checksum counts vectors, and what was never counted cannot be carried over.
_DOMAINS = "domainMetadata"
_TRANSACTIONS = "setTransactions"
# With a retention, or beyond this many, engines leave transactions out.
MOST_TRANSACTIONS = 100
MOST_DOMAINS = 10


class VersionMetadata(NamedTuple):
    """What a checksum says of a version beside its files.

    There is no time if commits have none; `domains` is None if they were not read.
    """

    protocol: Protocol
    metadata: Metadata
    in_commit_timestamp: int | None
    domains: Sequence[DomainMetadata] | None = None


def name(version: int) -> str:
    """Return the name of the checksum of `version`."""
    return f"{version:020d}.crc"


def number_of_files(text: bytes) -> int | None:
    """Return how many files the checksum counts; None if it does not parse or does not say."""
    found = (_parsed(text) or {}).get("numFiles")
    return found if type(found) is int and found >= 0 else None


def totals(text: bytes) -> tuple[int, int] | None:
    """Return the checksum's file count and bytes; None if it lacks one of them."""
    found = _parsed(text) or {}
    count, size = found.get("numFiles"), found.get("tableSizeBytes")
    if type(count) is not int or type(size) is not int or min(count, size) < 0:
        return None
    return count, size


def following(
    text: bytes,
    before: VersionMetadata,
    after: VersionMetadata,
    *,
    txn_id: str,
    transactions: Sequence[Transaction] = (),
) -> bytes | None:
    """Return the checksum of a version without file actions, from that of the version before it.

    None if the old checksum is incomplete, damaged or wrong: engines trust a checksum, and a
    missing one does no harm.
    """
    old = _parsed(text)
    if old is None or not _is_complete(old) or not _agrees(old, before):
        return None
    gained = after.protocol.listed - before.protocol.listed
    if DELETION_VECTORS_FEATURE in gained or (
        after.domains is None and _may_have_domains(before, after)
    ):
        return None
    new = {key: value for key, value in old.items() if key != "inCommitTimestampOpt"}
    new |= {
        "txnId": txn_id,
        "metadata": after.metadata.to_json(),
        "protocol": after.protocol.to_json(),
    }
    if after.in_commit_timestamp is not None:
        new["inCommitTimestampOpt"] = after.in_commit_timestamp
    if after.domains is not None and _DOMAINS in old:
        new[_DOMAINS] = [domain.to_json() for domain in after.domains]
        if len(after.domains) > MOST_DOMAINS:
            del new[_DOMAINS]
    if _TRANSACTIONS in old:
        new[_TRANSACTIONS] = _with(old[_TRANSACTIONS], transactions)
        if len(new[_TRANSACTIONS]) > MOST_TRANSACTIONS or _has_retention(after.metadata):
            del new[_TRANSACTIONS]
    try:
        return strict_json.dumps(new).encode() + b"\n"
    except RecursionError:
        return None


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        found = strict_json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_complete(old: Mapping[str, Any]) -> bool:
    """Return whether the checksum has every required member, in the form that engines write."""
    return old.keys() >= _NEEDED and all(
        fits(old[key]) for key, fits in _SHAPES.items() if key in old
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_count_or_null(value: Any) -> bool:
    return value is None or _is_count(value)


def _is_one(value: Any) -> bool:
    return type(value) is int and value == 1


def _is_text_or_null(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _has_lists_of_names(value: Any) -> bool:
    """Return whether it is a protocol, whose lists are compared in order."""
    return isinstance(value, dict) and all(
        isinstance(name, str) for held in value.values() if isinstance(held, list) for name in held
    )


def _has_lists_of_counts(value: Any) -> bool:
    """Return whether it is a histogram, or null."""
    return value is None or (
        isinstance(value, dict)
        and all(isinstance(held, list) and all(map(_is_count, held)) for held in value.values())
    )


def _objects(key: str, **kinds: type) -> Callable[[Any], bool]:
    """Return a check: a list of objects that have members of these types, each `key` once."""

    def fits(value: Any) -> bool:
        return (
            isinstance(value, list)
            and all(isinstance(body, dict) for body in value)
            and all(type(body.get(name)) is kind for body in value for name, kind in kinds.items())
            and len({body[key] for body in value}) == len(value)
        )

    return fits


_NEEDED = {*_COUNTS, *_ONES, "metadata", "protocol"}
_SHAPES: Mapping[str, Callable[[Any], bool]] = {
    "txnId": _is_text_or_null,
    **dict.fromkeys(_COUNTS, _is_count),
    **dict.fromkeys(_ONES, _is_one),
    "numDeletedRecordsOpt": _is_count_or_null,
    "numDeletionVectorsOpt": _is_count_or_null,
    _DOMAINS: _objects("domain", domain=str, configuration=str),
    _TRANSACTIONS: _objects("appId", appId=str, version=int),
    "metadata": _is_object,
    "protocol": _has_lists_of_names,
    "fileSizeHistogram": _has_lists_of_counts,
    "histogramOpt": _has_lists_of_counts,
    "deletedRecordCountsHistogramOpt": _has_lists_of_counts,
    "allFiles": _objects("path", path=str, size=int),
}


def _agrees(old: Mapping[str, Any], before: VersionMetadata) -> bool:
    """Return whether the checksum says of all but the files what the log says."""
    if _plain(old["metadata"]) != _plain(before.metadata.to_json()):
        return False
    # The order of the lists means nothing, and engines do not keep it.
    if _sorted_lists(old["protocol"]) != _sorted_lists(before.protocol.to_json()):
        return False
    if old.get("inCommitTimestampOpt") != before.in_commit_timestamp:
        return False
    # A list that is missing is not known; an empty one says that there is nothing.
    if _DOMAINS not in old:
        return True
    known = {body["domain"]: body["configuration"] for body in old[_DOMAINS]}
    return known == {domain.domain: domain.configuration for domain in before.domains or ()}


def _has_retention(metadata: Metadata) -> bool:
    return any(key.casefold() == TRANSACTION_RETENTION.casefold() for key in metadata.configuration)


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value without members that mean nothing, which only some engines write."""
    return {key: value for key, value in body.items() if value is not None}


def _sorted_lists(body: Mapping[str, Any]) -> dict[str, Any]:
    lists = {
        key: sorted(value, key=strict_json.dumps)
        for key, value in body.items()
        if isinstance(value, list)
    }
    return _plain(body) | lists


def _may_have_domains(before: VersionMetadata, after: VersionMetadata) -> bool:
    return _DOMAINS in before.protocol.listed | after.protocol.listed


def _with(known: Sequence[Mapping[str, Any]], newer: Sequence[Transaction]) -> list[Any]:
    ids = {transaction.app_id for transaction in newer}
    kept = [body for body in known if body["appId"] not in ids]
    return [*kept, *(transaction.to_json() for transaction in newer)]
