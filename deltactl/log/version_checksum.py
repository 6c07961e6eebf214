"""`.crc` files: what a writer may carry over to the next version when no file came or went."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from deltactl.model import strict_json
from deltactl.model.actions import DomainMetadata, Metadata, Protocol, Transaction

_COUNTS = ("tableSizeBytes", "numFiles")
_ONES = ("numMetadata", "numProtocol")
# With the feature a checksum counts vectors, and what was never counted cannot be carried over.
_VECTORS = "deletionVectors"
_DOMAINS = "domainMetadata"
_TRANSACTIONS = "setTransactions"
# With a retention, or beyond this many, engines leave transactions out.
RETENTION = "delta.setTransactionRetentionDuration"
MOST_TRANSACTIONS = 100
MOST_DOMAINS = 10


class Heads(NamedTuple):
    """What a checksum says of a version beside its files.

    There is no time where commits have none; `domains` is None where nobody looked for them.
    """

    protocol: Protocol
    metadata: Metadata
    in_commit_timestamp: int | None
    domains: Sequence[DomainMetadata] | None = None


def name(version: int) -> str:
    """The name of the checksum of `version`."""
    return f"{version:020d}.crc"


def number_of_files(text: bytes) -> int | None:
    """How many files the checksum counts; None where it does not parse or does not say."""
    found = (_parsed(text) or {}).get("numFiles")
    return found if type(found) is int and found >= 0 else None


def totals(text: bytes) -> tuple[int, int] | None:
    """How many files the checksum counts, and their bytes; None where it does not say both."""
    found = _parsed(text) or {}
    count, size = found.get("numFiles"), found.get("tableSizeBytes")
    if type(count) is not int or type(size) is not int or min(count, size) < 0:
        return None
    return count, size


def following(
    text: bytes,
    before: Heads,
    after: Heads,
    *,
    txn_id: str,
    transactions: Sequence[Transaction] = (),
) -> bytes | None:
    """The checksum of a version without file actions, from that of the version before it.

    The answer is None where the old checksum is incomplete or wrong: engines believe a checksum,
    and none is harmless.
    """
    old = _parsed(text)
    if old is None or not _is_complete(old) or not _agrees(old, before):
        return None
    gained = after.protocol.listed - before.protocol.listed
    if _VECTORS in gained or (after.domains is None and _may_have_domains(before, after)):
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
    return strict_json.dumps(new).encode() + b"\n"


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        found = strict_json.loads(text.decode())
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _is_complete(old: Mapping[str, Any]) -> bool:
    counts, ones = [old.get(key) for key in _COUNTS], [old.get(key) for key in _ONES]
    lists = [old.get(key, []) for key in (_DOMAINS, _TRANSACTIONS)]
    return (
        all(type(count) is int and count >= 0 for count in counts)
        and all(type(one) is int and one == 1 for one in ones)
        and all(isinstance(value, list) for value in lists)
    )


def _agrees(old: Mapping[str, Any], before: Heads) -> bool:
    """Whether the checksum says of all but the files what the log says."""
    metadata, protocol = old.get("metadata"), old.get("protocol")
    if not isinstance(metadata, dict) or not isinstance(protocol, dict):
        return False
    if _plain(metadata) != _plain(before.metadata.to_json()):
        return False
    # The order of the lists means nothing, and engines do not keep it.
    if _sorted_lists(protocol) != _sorted_lists(before.protocol.to_json()):
        return False
    if old.get("inCommitTimestampOpt") != before.in_commit_timestamp:
        return False
    # A list that is missing is not known; an empty one says that there is nothing.
    domains = old.get(_DOMAINS)
    return domains is None or _by_name(domains) == {
        domain.domain: domain.configuration for domain in before.domains or ()
    }


def _by_name(domains: Sequence[Any]) -> dict[Any, Any]:
    bodies = (domain for domain in domains if isinstance(domain, dict))
    return {body.get("domain"): body.get("configuration") for body in bodies}


def _has_retention(metadata: Metadata) -> bool:
    return any(key.casefold() == RETENTION.casefold() for key in metadata.configuration)


def _plain(body: Mapping[str, Any]) -> dict[str, Any]:
    """Without the members that say nothing, which some engines write and others leave out."""
    return {key: value for key, value in body.items() if value is not None}


def _sorted_lists(body: Mapping[str, Any]) -> dict[str, Any]:
    lists = {key: sorted(value) for key, value in body.items() if isinstance(value, list)}
    return _plain(body) | lists


def _may_have_domains(before: Heads, after: Heads) -> bool:
    return _DOMAINS in before.protocol.listed | after.protocol.listed


def _with(known: Any, newer: Sequence[Transaction]) -> list[Any]:
    ids = {transaction.app_id for transaction in newer}
    kept = [t for t in known if not isinstance(t, dict) or t.get("appId") not in ids]
    return [*kept, *(transaction.to_json() for transaction in newer)]
