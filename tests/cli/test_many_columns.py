"""The work of a command for one column does not depend on how many columns the table has."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from in_process import say

import deltactl

FEW, MANY = 25, 100
OURS = str(Path(deltactl.__file__).parent)


def column(number: int, **metadata: Any) -> dict[str, Any]:
    change = {"fromType": "short", "toType": "integer", "tableVersion": 1}
    metadata |= {
        "delta.typeChanges": [change],
        "delta.columnMapping.id": number + 1,
        "delta.columnMapping.physicalName": f"p{number}",
    }
    return {"name": f"c{number}", "type": "integer", "nullable": True, "metadata": metadata}


def write_table(folder: Path, columns: list[dict[str, Any]], files: list[Any], rules: int) -> None:
    features = ["columnMapping", "typeWidening"]
    configuration = {
        "delta.enableTypeWidening": "true",
        "delta.columnMapping.mode": "name",
        "delta.columnMapping.maxColumnId": "100000",
        **{f"delta.constraints.k{n}": f"c{n} > 0" for n in range(rules)},
    }
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features,
        "writerFeatures": [*features, "checkConstraints"],
    }
    metadata = {
        "id": "t",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": columns}),
        "partitionColumns": [],
        "configuration": configuration,
    }
    actions = [{"protocol": protocol}, {"metaData": metadata}, *({"add": a} for a in files)]
    log = folder / "_delta_log"
    (folder.with_suffix(".json")).write_text(str(metadata["schemaString"]), "utf-8")
    log.mkdir(parents=True)
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (log / f"{0:020}.json").write_text(text, encoding="utf-8")


def flat(folder: Path, number: int, *, rules: bool = False) -> str:
    """A table of so many columns, all of them widened, and one file."""
    folder.mkdir(parents=True)
    names = [f"p{n}" for n in range(number)]
    pq.write_table(pa.table({name: pa.array([1, 2], pa.int32()) for name in names}), folder / "f")
    stats = {
        "numRecords": 2,
        "minValues": dict.fromkeys(names, 1),
        "maxValues": dict.fromkeys(names, 2),
        "nullCount": dict.fromkeys(names, 0),
    }
    size = (folder / "f").stat().st_size
    add = {"path": "f", "size": size, "partitionValues": {}, "modificationTime": 1,
           "dataChange": True, "stats": json.dumps(stats)}  # fmt: skip
    write_table(folder, [column(n) for n in range(number)], [add], number if rules else 0)
    return str(folder)


def nested(folder: Path, number: int) -> str:
    """A table without files, of so many columns with 30 levels each."""
    columns = []
    for top in range(number):
        inner = column(100 * top)
        for level in range(1, 30):
            outer = column(100 * top + level)
            outer |= {"type": {"type": "struct", "fields": [inner]}}
            del outer["metadata"]["delta.typeChanges"]
            inner = outer
        columns.append(inner | {"name": f"c{top}"})
    write_table(folder, columns, [], 0)
    return str(folder)


def lines_run(function: Callable[[], object]) -> int:
    """How many lines of deltactl the function runs, loops line by line."""
    count = 0

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(OURS):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


def work(arguments: list[str]) -> int:
    say(arguments)  # What is loaded once is no work for a column.

    def run() -> None:
        assert say(arguments).exit_code in (0, 4)  # to refuse is work, too

    return lines_run(run)


READS = [
    "show {t}",
    "schema show {t}",
    "schema diff {t} {t}",
    "schema types {t} c3",
    "schema check {t} {t}.json",
    "schema export {t}",
    "history {t}",
    "protocol show {t}",
    "constraint list {t}",
    "verify-checksum {t}",
    "verify-checksum {t} --all --data",
    "files {t} --physical c3",
    "prune-type-changes {t} --dry-run",
    "column rename {t} c1 d1 --dry-run",
    "protocol enable {t} rowTracking --dry-run --yes",
]


VERBS = [
    "add x{n} int",
    "add x{n} int --first",
    "comment c{n} hello",
    "drop c{n}",
    "rename c{n} d{n}",
    "set-not-null c{n}",
]


@pytest.mark.parametrize("command", READS)
@pytest.mark.parametrize("shape", ["flat", "rules", "nested"])
def test_four_times_the_columns_are_four_times_the_work(
    tmp_path: Path, command: str, shape: str
) -> None:
    def work_of(number: int) -> int:
        folder = tmp_path / str(number)
        if shape == "nested":
            table = nested(folder, number // 5)
        else:
            table = flat(folder, number, rules=shape == "rules")
        return work([*command.format(t=table).split(), "--output", "json"])

    assert work_of(MANY) <= 4.2 * work_of(FEW)


@pytest.mark.parametrize("verb", VERBS)
def test_four_times_the_changes_are_four_times_the_work(tmp_path: Path, verb: str) -> None:
    def work_of(number: int) -> int:
        table, script = flat(tmp_path / str(number), number), tmp_path / "changes"
        script.write_text("".join(f"{verb.format(n=n)}\n" for n in range(number // 2)), "utf-8")
        arguments = ["column", "apply", table, str(script), "--dry-run", "--output", "json"]
        return work(arguments)

    assert work_of(MANY) <= 4.2 * work_of(FEW)


@pytest.mark.parametrize("verb", ["drop c{n}", "rename c{n} d{n}"])
def test_a_rule_of_one_column_is_not_looked_for_in_all(tmp_path: Path, verb: str) -> None:
    def work_of(number: int) -> int:
        columns = [column(n) for n in range(number)]
        rule = json.dumps({"expression": {"expression": "x > 0"}})
        columns[-1]["metadata"]["delta.invariants"] = rule
        table, script = tmp_path / str(number), tmp_path / "changes"
        write_table(table, columns, [], 0)
        script.write_text("".join(f"{verb.format(n=n)}\n" for n in range(number // 2)), "utf-8")
        return work(["column", "apply", str(table), str(script), "--dry-run", "-o", "json"])

    assert work_of(MANY) <= 4.2 * work_of(FEW)


def test_four_times_the_widenings_are_four_times_the_work(tmp_path: Path) -> None:
    def work_of(number: int) -> int:
        table = flat(tmp_path / str(number), number)
        spark_config = [word for n in range(number) for word in (f"c{n}", "long")]
        return work(["widen", table, *spark_config, "--dry-run", "--count", "--output", "json"])

    assert work_of(MANY) <= 4.2 * work_of(FEW)
