"""Spark beside deltactl on one table: as its reader, as another writer, as a stream."""

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from in_process import say
from interloper import interloping
from racing import assert_each_success_once, log_of, race, widened_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.jvm, pytest.mark.races]

# What Delta says where the metadata or the protocol changed below a transaction.
DELTAS_RULE = (
    "DELTA_METADATA_CHANGED", "DELTA_PROTOCOL_CHANGED", "MetadataChangedException",
    "ProtocolChangedException",
)  # fmt: skip

Rows = list[tuple[Any, ...]]
Sql = Callable[[str], Rows]


@pytest.fixture
def sql(spark: "SparkSession") -> Sql:
    return lambda statement: [tuple(row) for row in spark.sql(statement).collect()]


@pytest.fixture
def table(tmp_path: Path) -> str:
    return str(tmp_path / "table")


def deltactl(*words: str) -> int | None:
    said = say([*words, "--yes", "-o", "json"])
    assert said.exit_code == 0, said
    return said.committed


def test_spark_reads_what_sixteen_writers_leave(
    sql: Sql, spark: "SparkSession", tmp_path: Path
) -> None:
    rounds = 4
    folder = widened_table(tmp_path / "table", rounds)
    kinds = [*["widen"] * 4, *["add column"] * 4, *["set own property"] * 4, *["append"] * 4]
    told = race(folder, kinds, rounds)
    log = log_of(folder)
    assert_each_success_once([attempt for attempts in told for attempt in attempts], log)

    name = f"delta.`{folder}`"
    appended = [1000 * number + turn for number in range(12, 16) for turn in range(rounds)]
    assert sql(f"SELECT id, w0 FROM {name} ORDER BY id") == [(value, None) for value in appended]
    history = spark.sql(f"DESCRIBE HISTORY {name}").select("version", "userMetadata")
    told_by_spark = [tuple(row) for row in history.orderBy("version").collect()]
    assert told_by_spark == [(commit.version, commit.label) for commit in log]
    sql(f"INSERT INTO {name} (id, w0) VALUES (1, 40000)")
    assert sql(f"SELECT id FROM {name} WHERE w0 > 39999") == [(1,)]


def test_spark_reads_past_a_stale_checksum_of_hadoop(sql: Sql, table: str) -> None:
    """A commit was undone by hand, and Hadoop's checksum of it is still there."""
    name = f"delta.`{table}`"
    sql(f"CREATE TABLE {name} (id INT) USING delta")
    sql(f"INSERT INTO {name} VALUES (1)")
    sql(f"INSERT INTO {name} VALUES (2)")
    log = Path(table, "_delta_log")
    for suffix in ("json", "crc"):
        (log / f"{2:020d}.{suffix}").unlink()
    assert (log / f".{2:020d}.json.crc").exists()
    assert (log / f".{2:020d}.crc.crc").exists()
    assert deltactl("column", "add", table, "x", "int") == 2
    assert sql(f"SELECT id, x FROM {name}") == [(1, None)]
    sql(f"INSERT INTO {name} VALUES (3, 4)")
    assert sql(f"SELECT id, x FROM {name} ORDER BY id") == [(1, None), (3, 4)]


@pytest.mark.parametrize("vectors", ["true", "false"])
@pytest.mark.parametrize("command", ["fix-stats", "backfill"])
def test_what_spark_deletes_meanwhile_stays_deleted(
    sql: Sql, table: str, command: str, vectors: str
) -> None:
    name = f"delta.`{table}`"
    sql(
        f"CREATE TABLE {name} (id INT, f FLOAT) USING delta TBLPROPERTIES ("
        f"'delta.enableTypeWidening' = 'true', 'delta.enableDeletionVectors' = '{vectors}')"
    )
    for first in (0, 10):
        numbers = f"range({first}, {first + 10})"
        sql(
            f"INSERT INTO {name} SELECT /*+ COALESCE(1) */ CAST(id AS INT), "
            f"CAST(id + 0.1 AS FLOAT) FROM {numbers}"
        )

    def delete(target: Path) -> None:
        sql(f"DELETE FROM {name} WHERE id IN (3, 4) OR id = 17")

    with interloping(delete):
        if command == "fix-stats":
            made = deltactl("widen", table, "f", "double", "--fix-stats")
        else:
            made = deltactl("protocol", "enable", table, "rowTracking")
    assert made is not None
    left = [(number,) for number in range(20) if number not in (3, 4, 17)]
    assert sql(f"SELECT id FROM {name} ORDER BY id") == left
    if command == "fix-stats":
        # 19.1 as a float is a little more than 19.1: the old bound would hide it.
        assert sql(f"SELECT id FROM {name} WHERE f > 19.1D") == [(19,)]
        return
    sql(f"INSERT INTO {name} VALUES (100, 0.5), (101, 0.5)")
    ids = sql(f"SELECT _metadata.row_id FROM {name}")
    assert len(set(ids)) == len(ids) == 19


def test_spark_writes_at_the_same_moment(sql: Sql, table: str) -> None:
    """On a local folder Spark can replace a commit, even one that was read back by then."""
    name = f"delta.`{table}`"
    sql(f"CREATE TABLE {name} (id INT) USING delta")
    inserted: list[int] = []
    refused: list[str] = []
    over = threading.Event()

    def insert() -> None:
        number = 0
        while not over.is_set():
            number += 1
            try:
                sql(f"INSERT INTO {name} VALUES ({number})")
            except Exception as error:
                refused.append(str(error))
            else:
                inserted.append(number)

    spark_writer = threading.Thread(target=insert)
    spark_writer.start()
    try:
        told = race(Path(table), ["witnessed"] * 4, 25)
    finally:
        over.set()
        spark_writer.join()

    log = log_of(Path(table))
    by_version = {commit.version: commit for commit in log}
    attempts = [attempt for attempts in told for attempt in attempts]
    for attempt in attempts:
        if attempt.version is None:
            assert attempt.exit_code == 6, attempt
            continue
        there = by_version[attempt.version]
        assert there.label == attempt.label or there.engine == "Apache-Spark"
    ours = [commit.label for commit in log if commit.engine == "deltactl"]
    assert len(ours) == len(set(ours))
    assert set(ours) <= {attempt.label for attempt in attempts if attempt.version is not None}
    assert inserted, "Spark never came through: nothing was raced"
    assert all(any(rule in said for rule in DELTAS_RULE) for said in refused), refused
    assert sql(f"SELECT id FROM {name} ORDER BY id") == [(number,) for number in inserted]


def test_a_stream_that_appends_meanwhile(
    sql: Sql, spark: "SparkSession", table: str, tmp_path: Path
) -> None:
    name = f"delta.`{table}`"
    sql(
        f"CREATE TABLE {name} (value BIGINT, n INT) USING delta "
        "TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"
    )

    def start() -> Any:
        source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5)
        writer = source.load().select("value").writeStream.format("delta")
        return writer.option("checkpointLocation", str(tmp_path / "progress")).start(table)

    def batches() -> int:
        made = [commit.actions[0]["commitInfo"]["operation"] for commit in log_of(Path(table))]
        return made.count("STREAMING UPDATE")

    def wait_for_batches(query: Any, number: int) -> None:
        wanted, end = batches() + number, time.monotonic() + 60
        while batches() < wanted and query.isActive:
            assert time.monotonic() < end, "nothing has happened for a minute"
            time.sleep(0.05)

    changes = [
        ["property", "set", table, "team=data"],
        ["column", "comment", table, "n", "a number"],
        ["widen", table, "n", "long"],
        ["column", "add", table, "later", "string"],
        ["table", "rename", table, "stream of numbers"],
        ["protocol", "enable", table, "inCommitTimestamp"],
    ]
    query, stopped = start(), []
    try:
        for change in changes:
            wait_for_batches(query, 1)
            deltactl(*change)
            if not query.isActive:
                stopped.append(str(query.exception()))
                query = start()
        wait_for_batches(query, 2)
        if not query.isActive:
            stopped.append(str(query.exception()))
    finally:
        query.stop()
    assert all(any(rule in said for rule in DELTAS_RULE) for said in stopped), stopped
    assert batches() > len(changes)
    values = [value for (value,) in sql(f"SELECT value FROM {name} ORDER BY value")]
    assert values == list(range(len(values)))
