"""Rows 29 to 37: version checksums and `_last_checkpoint`, which reading must not trust."""

import json

from malformed.case import THREE_FILES, Rows, silent, warns
from malformed.parquet import classic_checkpoint
from malformed.table import METADATA, PROTOCOL, Table

rows = Rows()


def put_checksum(table: Table, **wrong: object) -> None:
    """The `.crc` of version 3, with `wrong` members in it."""
    checksum = {
        "txnId": "00000000-0000-4000-8000-000000000003",
        "tableSizeBytes": 1500,
        "numFiles": 3,
        "numMetadata": 1,
        "numProtocol": 1,
        "setTransactions": [],
        "domainMetadata": [],
        "metadata": METADATA,
        "protocol": PROTOCOL,
        **wrong,
    }
    table.log_file(f"{3:020d}.crc", json.dumps(checksum) + "\n")


def put_hint(table: Table, hint: str) -> None:
    """A sound checkpoint of version 3, and a `_last_checkpoint` with this text."""
    table.log_file(f"{3:020d}.checkpoint.parquet", classic_checkpoint(1, 2, 3))
    table.log_file("_last_checkpoint", hint)


@rows.row(29, silent("show", **THREE_FILES), verify="FAIL")
def checksum_with_wrong_file_count(table: Table) -> None:
    put_checksum(table, numFiles=77)


@rows.row(30, silent("show", properties={}), verify="FAIL")
def checksum_with_wrong_metadata(table: Table) -> None:
    put_checksum(table, metadata={**METADATA, "configuration": {"delta.appendOnly": "true"}})


@rows.row(31, silent("show", protocol={"minWriterVersion": 2}), verify="FAIL")
def checksum_with_wrong_protocol(table: Table) -> None:
    put_checksum(table, protocol={"minReaderVersion": 1, "minWriterVersion": 4})


@rows.row(32, warns("show", "CHECKSUM_UNREADABLE", f"{3:020d}.crc", **THREE_FILES), verify="WARN")
def checksum_not_json(table: Table) -> None:
    table.log_file(f"{3:020d}.crc", '{"numFiles":')


@rows.row(33, silent("show", **THREE_FILES), verify="WARN")
def stale_side_file_of_checksum(table: Table) -> None:
    put_checksum(table)
    table.log_file(f".{3:020d}.crc.crc", b"crc\x00\x00\x00\x02\x00\xde\xad\xbe\xef")


@rows.row(
    34, warns("show", "LAST_CHECKPOINT_DUPLICATE_KEY", "version", **THREE_FILES), verify="FAIL"
)
def last_checkpoint_with_duplicate_key(table: Table) -> None:
    put_hint(table, '{"version":2,"version":3,"size":5}')


@rows.row(35, warns("show", "LAST_CHECKPOINT_CHECKSUM_MISMATCH", **THREE_FILES), verify="FAIL")
def last_checkpoint_with_wrong_md5(table: Table) -> None:
    put_hint(table, '{"version":3,"size":5,"checksum":"00000000000000000000000000000000"}')


@rows.row(35, silent("show", **THREE_FILES), verify="OK")
def last_checkpoint_with_right_md5(table: Table) -> None:
    # MD5 of `"size"=5,"version"=3`
    put_hint(table, '{"version":3,"size":5,"checksum":"9c1b912de93a35ea47fdce7224326bd7"}')


@rows.row(35, silent("show", **THREE_FILES), verify="OK")
def last_checkpoint_with_md5_in_the_order_of_spark(table: Table) -> None:
    # Spark sorts whole pairs, so `"names"+10="f10"` comes before `"names"+1="f1"`:
    # the specification's order would give d7b4a5aff57f6c52c871fbae3fee9129.
    put_hint(
        table,
        '{"version":3,"size":5,'
        '"names":["f0","f1","f2","f3","f4","f5","f6","f7","f8","f9","f10"],'
        '"checksum":"881f2d8a570703b43b3aec808cfec214"}',
    )


@rows.row(36, warns("show", "LAST_CHECKPOINT_UNREADABLE", **THREE_FILES), verify="WARN")
def last_checkpoint_garbage(table: Table) -> None:
    put_hint(table, "not json {")


@rows.row(36, warns("show", "LAST_CHECKPOINT_UNREADABLE", **THREE_FILES), verify="WARN")
def last_checkpoint_empty(table: Table) -> None:
    put_hint(table, "")


@rows.row(37, warns("show", "LAST_CHECKPOINT_TARGET_MISSING", "99", **THREE_FILES), verify="WARN")
def last_checkpoint_names_a_missing_checkpoint(table: Table) -> None:
    table.log_file("_last_checkpoint", '{"version":99,"size":5}')


CASES = tuple(rows.cases)
