"""Every real table, read from a checkpoint that deltactl wrote: by deltactl, and by deltalake."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from checkpointed import LEFT_OUT, NAMES, checkpointed_in_every_kind, original
from deltalake import DeltaTable
from in_process import say

pytestmark = pytest.mark.sweep

# To deltalake two spellings of a path are two files, of which a remove leaves one alive.
TWO_SPELLINGS = {
    "kernel-rs-golden__canonicalized-paths-normal-a",
    "kernel-rs-golden__canonicalized-paths-special-a",
    "kernel-rs-golden__canonicalized-paths-special-b",
}
# deltalake finds more statistics in our checkpoint than it did before: it does not read 0E-10 as
# JSON has it, nor times in parquet's old form.
MORE_STATISTICS = {
    "delta-rs__delta-1.2.1-only-struct-stats", "golden__basic-decimal-table",
    "golden__basic-decimal-table-legacy",
}  # fmt: skip
OF_A_FILE = ["path", "size_bytes", "modification_time"]


def test_no_table_is_forgotten(shared_tables: Path) -> None:
    assert sorted([*NAMES, *LEFT_OUT]) == sorted(path.name for path in shared_tables.glob("*/"))
    assert len(NAMES) > len(LEFT_OUT) * 5


@pytest.mark.parametrize("name", NAMES)
def test_a_table_is_the_same(name: str, shared_tables: Path, tmp_path: Path) -> None:
    table = original(shared_tables / name / "delta", tmp_path / "original")
    recorded = json.loads((shared_tables / name / "expected.json").read_text())["delta_rs"]
    is_compared = recorded["opened"] and name not in TWO_SPELLINGS
    expected = ours(table), deltalakes(table, name) if is_compared else None
    copies = checkpointed_in_every_kind(table, tmp_path)
    assert len(copies) in (2, 3)
    for kind, copy in copies.items():
        found = ours(copy), deltalakes(copy, name) if is_compared else None
        assert found == expected, kind


@pytest.mark.parametrize(("name", "code"), sorted(LEFT_OUT.items()))
def test_a_table_that_is_left_out(
    name: str, code: str, shared_tables: Path, tmp_path: Path
) -> None:
    table = tmp_path / "table"
    shutil.copytree(shared_tables / name / "delta", table)
    assert say(["checkpoint", str(table), "-o", "json"]).document["error"]["code"] == code


def ours(table: Path) -> object:
    """What `show` and `files` say of the table."""
    shown = say(["show", str(table), "-o", "json"]).document
    names = ("version", "protocol", "schema", "partitionColumns", "properties", "files")
    state = {name: shown[name] for name in (*names, "domains", "transactions")}
    files = say(["files", str(table), "-o", "json"]).document["files"]
    return state, sorted(files, key=lambda file: json.dumps(file, sort_keys=True))


def deltalakes(table: Path, name: str) -> object:
    """What deltalake says of the table."""
    opened = DeltaTable(table)
    adds: Any = pa.table(opened.get_add_actions(flatten=True))
    columns = OF_A_FILE if name in MORE_STATISTICS else sorted(adds.column_names)
    files = sorted(map(repr, adds.select(columns).to_pylist()))
    return opened.version(), opened.schema(), repr(opened.protocol()), opened.metadata(), files
