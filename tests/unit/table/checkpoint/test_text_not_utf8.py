"""Strings that are not UTF-8: damage in a checkpoint, and a value like others in a data file."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checkpoints import UUID, parquet
from in_process import say
from small_tables import LEGACY, Action, commit_info, field, metadata, protocol, write_log

METADATA = metadata(field("a", "integer"), k="VALUE")
ADD: Action = {
    "path": "PATH",
    "partitionValues": {"KEY": "PART"},
    "size": 500,
    "modificationTime": 1,
    "dataChange": True,
    "stats": '{"numRecords":4}',
}
DOMAIN = {"domain": "d", "configuration": "DOMAIN", "removed": False}
ACTIONS: list[Action] = [
    {"txn": {"appId": "APP", "version": 1}},
    {"domainMetadata": DOMAIN},
    {"add": ADD},
    {"add": {**ADD, "path": "second"}},
]
READERS = [
    "files TABLE",
    "checkpoint TABLE",
    "protocol enable TABLE rowTracking --yes",
]
NAME = f"{1:020d}.checkpoint.parquet"
SIDECAR = f"_sidecars/{UUID}.parquet"


def damaged(actions: list[Action], word: bytes, **options: Any) -> bytes:
    whole = parquet(actions, compression="none", use_dictionary=False, **options)
    assert word in whole
    return whole.replace(word, b"\xff" * len(word))


def only_checkpoint(root: Path, others: dict[str, bytes], *, v2: bool = False) -> str:
    """A table whose first commit is gone, with the files `others`."""
    head = protocol(reader=["v2Checkpoint"]) if v2 else LEGACY
    commits = [[commit_info(), head, METADATA], [commit_info()], [commit_info()]]
    path = write_log(root, commits, others=others)
    (root / "_delta_log" / f"{0:020d}.json").unlink()
    return path


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("word", [b"PATH", b"PART", b"numRecords"])
def test_a_checkpoint_is_damaged(command: str, word: bytes, tmp_path: Path) -> None:
    content = damaged([LEGACY, METADATA, *ACTIONS], word)
    path = only_checkpoint(tmp_path, {NAME: content})
    said = say([*command.replace("TABLE", path).split(), "-o", "json"])
    assert (said.exit_code, said.committed) == (5, None)
    assert NAME in said.error["message"]
    assert "UTF8" in said.error["message"]


@pytest.mark.parametrize("command", READERS)
def test_a_sidecar_is_damaged(command: str, tmp_path: Path) -> None:
    top = [protocol(reader=["v2Checkpoint"]), METADATA]
    pointer = {"sidecar": {"path": f"{UUID}.parquet", "sizeInBytes": 5}}
    others = {
        f"{1:020d}.checkpoint.{UUID}.parquet": parquet([*top, pointer]),
        SIDECAR: damaged([{"add": ADD}], b"PATH"),
    }
    path = only_checkpoint(tmp_path, others, v2=True)
    said = say([*command.replace("TABLE", path).split(), "-o", "json"])
    assert (said.exit_code, said.committed) == (5, None)
    assert SIDECAR in said.error["message"]


@pytest.mark.parametrize("rows_before", [0, 1 << 16], ids=["small", "large"])
@pytest.mark.parametrize("word", [b"VALUE", b"APP", b"DOMAIN"])
def test_small_actions_of_a_damaged_checkpoint(
    word: bytes, rows_before: int, tmp_path: Path
) -> None:
    content = damaged([LEGACY, METADATA, *ACTIONS], word, rows_before=rows_before)
    path = only_checkpoint(tmp_path, {NAME: content})
    command = "property list" if word == b"VALUE" else "domain list"
    if word == b"APP":
        command = "checkpoint"
    said = say([*command.split(), path, "-o", "json"])
    assert said.exit_code == 5
    assert NAME in said.error["message"]


@pytest.mark.parametrize("word", [b"PATH", b"PART", b"VALUE", b"APP", b"DOMAIN"])
def test_it_is_a_finding(word: bytes, tmp_path: Path) -> None:
    content = damaged([LEGACY, METADATA, *ACTIONS], word)
    commits = [[commit_info(), LEGACY, METADATA], [commit_info(), *ACTIONS]]
    path = write_log(tmp_path, commits, others={NAME: content})
    said = say(["verify-checksum", path, "--all", "-o", "json"])
    assert said.exit_code == 5
    codes = [finding["code"] for finding in said.document["findings"]]
    assert "CHECKPOINT_UNREADABLE" in codes


def with_strings(root: Path, *values: bytes) -> str:
    """A table with one data file whose string column holds these values."""
    file = io.BytesIO()
    column = pa.array(values, pa.binary()).view(pa.string())
    pq.write_table(pa.table({"s": column, "a": pa.array(range(len(values)), pa.int32())}), file)
    bounds = {"minValues": {"s": "a", "a": 0}, "maxValues": {"s": "\ufffd", "a": 1}}
    stats = {"numRecords": len(values), **bounds}
    add = {**ADD, "path": "f.parquet", "partitionValues": {}, "size": len(file.getvalue())}
    add["stats"] = json.dumps({**stats, "nullCount": {"s": 0}})
    schema = metadata(field("s", "string"), field("a", "integer"))
    path = write_log(root, [[commit_info(), LEGACY, schema, {"add": add}]])
    (root / "f.parquet").write_bytes(file.getvalue())
    return path


def test_rows_that_violate_a_constraint_are_shown(tmp_path: Path) -> None:
    path = with_strings(tmp_path, b"a", b"b\xff")
    said = say(["constraint", "add", path, "low", "a < 1", "--yes", "-o", "json"])
    assert said.exit_code == 4
    assert "b\ufffd" in json.dumps(said.document, ensure_ascii=False)


def test_a_data_file_is_not_damaged(tmp_path: Path) -> None:
    said = say(["verify-checksum", with_strings(tmp_path, b"a", b"b\xff"), "--data", "-o", "json"])
    assert said.exit_code == 0


def test_a_column_name_is_damage(tmp_path: Path) -> None:
    path = with_strings(tmp_path, b"a", b"b")
    file = tmp_path / "f.parquet"
    table = pa.table({"NAME": pa.array([1, 2], pa.int32())})
    pq.write_table(table, file, store_schema=False)
    file.write_bytes(file.read_bytes().replace(b"NAME", b"\xff" * 4))
    said = say(["schema", "check", path, "--against", str(file), "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (8, "SCHEMA_FILE_UNREADABLE")
    said = say(["constraint", "add", path, "low", "a < 1", "--yes", "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (8, "DATA_FILE_UNREADABLE")
