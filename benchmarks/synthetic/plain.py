"""Logs of adds alone: one to a commit, or all of them in one."""

from collections.abc import Iterator
from pathlib import Path

from benchmarks.synthetic.table import (
    MINUTE_MS,
    START_MS,
    Action,
    column,
    commit_info,
    compact,
    metadata,
    write_commit,
)

PARTITIONS = 100_000
ROWS = 10


def write_one_add_log(log: Path, *, commits: int) -> None:
    """Write `commits` commits of one file each, with statistics of one column."""
    for version in range(commits):
        actions = [_info(version, files=1)]
        if version == 0:
            actions += _heads()
        write_commit(log, version, [*actions, _add(version, {})])


def write_large_commit(log: Path, *, files: int) -> None:
    """Write one commit that adds `files` files to 100,000 partitions."""
    write_commit(log, 0, _large_commit(files))


def _large_commit(files: int) -> Iterator[Action]:
    yield _info(0, files=files)
    yield from _heads("p")
    for number in range(files):
        yield _add(number, {"p": f"value-{number % PARTITIONS:06d}"})


def _info(version: int, *, files: int) -> Action:
    metrics = {"numFiles": str(files), "numOutputRows": str(files * ROWS), "numOutputBytes": "1234"}
    parameters = {"mode": "Append", "partitionBy": "[]"}
    return {"commitInfo": commit_info(version, "WRITE", parameters, metrics)}


def _heads(*partition: str) -> list[Action]:
    columns = [column("id", "long"), *(column(name, "string") for name in partition)]
    described = metadata(columns, partitioned=False, properties={})
    described["partitionColumns"] = list(partition)
    return [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": described}]


def _add(number: int, values: dict[str, str]) -> Action:
    folder = "".join(f"{name}={value}/" for name, value in values.items())
    stats = {
        "numRecords": ROWS,
        "minValues": {"id": number * ROWS},
        "maxValues": {"id": number * ROWS + ROWS - 1},
        "nullCount": {"id": 0},
    }
    name = f"part-00000-0b1c2d3e-4f50-4172-8394-{number:012d}-c000.snappy.parquet"
    return {
        "add": {
            "path": f"{folder}{name}",
            "partitionValues": values,
            "size": 1234,
            "modificationTime": START_MS + number % 10_000 * MINUTE_MS,
            "dataChange": True,
            "stats": compact(stats),
        }
    }
