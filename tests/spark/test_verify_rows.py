"""`verify-checksum --data --engine spark`: all is well with a sound table, and each fault is found."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from local_session import OnSession, local_session
from sound_tables import Action, edit, make, physical_names, with_schema, with_stats

from deltactl.operations.verify.verify_checksum import Scope, VerifyReport, report_verify
from deltactl.table.files import prepare_state
from deltactl.table.live_adds import live_adds
from deltactl.table.table import open_table

pytestmark = pytest.mark.jvm

LOOKED_AT = ("data files", "rows")
Names = dict[str, str]


@pytest.fixture(scope="module")
def on_spark(jars: list[Path]) -> Iterator[OnSession]:
    with local_session(jars) as session:
        yield session


@pytest.fixture(scope="module")
def sound(on_spark: OnSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sound") / "table"
    make(on_spark.spark, path)
    return path


@pytest.fixture
def table(sound: Path, tmp_path: Path) -> Path:
    """A copy, at a place of which Spark knows nothing yet."""
    path = tmp_path / "table"
    shutil.copytree(sound, path)
    return path


def verified(on_spark: OnSession, path: Path) -> VerifyReport:
    return report_verify(open_table(str(path)), Scope(data=True, spark=on_spark))


def found(report: VerifyReport) -> list[tuple[str, str, str, str]]:
    """What was found in data files and rows, without the names of files."""
    return sorted(
        (finding.code, finding.subject.partition(": ")[2], finding.expected, finding.found)
        for name, finding in report.findings
        if name in LOOKED_AT
    )


def codes(report: VerifyReport) -> set[str]:
    return {code for code, *_ in found(report)}


def live_file(path: Path, *, deleted: bool = False) -> Path:
    """One of the live files, with deleted rows or without."""
    adds = live_adds(prepare_state(open_table(str(path)).snapshot()))
    chosen = [add for add in adds if (add.deletion_vector is not None) is deleted]
    return path / sorted(chosen, key=lambda add: -add.size)[0].path


def test_a_sound_table(on_spark: OnSession, sound: Path) -> None:
    report = verified(on_spark, sound)
    assert found(report) == []
    assert report.exit_code == 0, report.findings
    checks = {check.name: check.subjects for check in report.checks}
    rows = on_spark.spark.sql(f"SELECT count(*) AS n FROM delta.`{sound}`").first()["n"]
    assert (rows, checks["rows"]) == (73, 73)


def of_constraint(action: Action) -> None:
    if metadata := action.get("metaData"):
        metadata["configuration"]["delta.constraints.fine"] = "k < 79"


def generated_otherwise(columns: dict[str, Action]) -> None:
    columns["day"]["metadata"]["delta.generationExpression"] = "date_add(CAST(t AS DATE), 1)"


def with_invariant(columns: dict[str, Action]) -> None:
    rule = {"expression": {"expression": "k < 79"}}
    columns["k"]["metadata"]["delta.invariants"] = json.dumps(rule)


def not_null(columns: dict[str, Action]) -> None:
    columns["amount"]["nullable"] = False


def not_null_below(columns: dict[str, Action]) -> None:
    next(f for f in columns["n"]["type"]["fields"] if f["name"] == "v")["nullable"] = False


def lower_mark(columns: dict[str, Action]) -> None:
    columns["id"]["metadata"]["delta.identity.highWaterMark"] = 400


RULES: dict[str, tuple[Callable[[Action], None], str, str]] = {
    "check": (of_constraint, "CHECK_VIOLATED", "CHECK fine"),
    "generated": (with_schema(generated_otherwise), "GENERATED_VALUE_WRONG", "day"),
    "invariant": (with_schema(with_invariant), "INVARIANT_VIOLATED", "k"),
    "not null": (with_schema(not_null), "NOT_NULL_VIOLATED", "amount"),
    "not null in a struct": (with_schema(not_null_below), "NOT_NULL_VIOLATED", "n.v"),
}


@pytest.mark.parametrize(("change", "code", "place"), RULES.values(), ids=RULES)
def test_rows_that_break_a_rule(
    on_spark: OnSession, table: Path, change: Callable[[Action], None], code: str, place: str
) -> None:
    edit(table, change)
    report = verified(on_spark, table)
    assert {(code, where) for code, where, *_ in found(report)} == {(code, place)}
    assert report.exit_code == 5


def test_a_mark_that_values_have_passed(on_spark: OnSession, table: Path) -> None:
    edit(table, with_schema(lower_mark))
    [(name, finding)] = [
        (name, finding) for name, finding in verified(on_spark, table).findings if name in LOOKED_AT
    ]
    assert (name, finding.code, finding.subject) == ("rows", "IDENTITY_ABOVE_MARK", "id")
    assert finding.expected == "no value beyond the high-water mark, 400"
    assert int(finding.found) > 400


def test_values_of_an_identity_column_twice(on_spark: OnSession, table: Path) -> None:
    file = live_file(table)
    shutil.copy(file, file.with_name("again.parquet"))
    old, again = (str(f.relative_to(table)) for f in (file, file.with_name("again.parquet")))
    log = table / "_delta_log"
    [line] = [
        line
        for commit in log.glob("*.json")
        for line in commit.read_text(encoding="utf-8").splitlines()
        if old in line and json.loads(line).get("add")
    ]
    newest = max(log.glob("*.json"))
    edit(table, lambda _: None)
    with open(newest, "a", encoding="utf-8") as commit:
        commit.write(line.replace(old, again) + "\n")
    assert codes(verified(on_spark, table)) == {"IDENTITY_DUPLICATE"}


def physical(path: Path, *names: str) -> str:
    return physical_names(path)[names[0]]


STATISTICS = {
    "nulls": ("nullCount", "amount", lambda _: 0),
    "least": ("minValues", "k", lambda _: 500_000),
    "greatest": ("maxValues", "k", lambda _: 1),
    "a decimal": ("maxValues", "amount", lambda _: 0.25),
    "a text": ("maxValues", "name", lambda _: "a"),
    "an instant": ("maxValues", "t", lambda _: "1960-01-01T00:00:00.000Z"),
    "a time": ("minValues", "tn", lambda _: "2030-01-01T00:00:00.000"),
    "a double": ("minValues", "g", lambda _: 1e9),
}


@pytest.mark.parametrize(("kind", "column", "wrong"), STATISTICS.values(), ids=STATISTICS)
def test_statistics_that_rows_belie(
    on_spark: OnSession, table: Path, kind: str, column: str, wrong: Callable[[Any], Any]
) -> None:
    name = physical_names(table)[column]

    def change(said: Action) -> None:
        if name in said[kind]:
            said[kind][name] = wrong(said[kind][name])

    edit(table, with_stats(change))
    report = verified(on_spark, table)
    assert codes(report) == {"STATISTICS_WRONG"}
    place = column if kind == "nullCount" else f"{column}, {kind}"
    assert {where for _, where, *_ in found(report)} == {place}


def test_a_file_that_is_gone(on_spark: OnSession, table: Path) -> None:
    live_file(table).unlink()
    assert codes(verified(on_spark, table)) == {"DATA_FILE_MISSING"}


def test_a_file_of_another_size(on_spark: OnSession, table: Path) -> None:
    name = str(live_file(table).relative_to(table))

    def change(action: Action) -> None:
        if (add := action.get("add")) and add["path"] == name:
            add["size"] += 1

    edit(table, change)
    assert codes(verified(on_spark, table)) == {"DATA_FILE_SIZE"}


def test_a_file_that_is_no_parquet_file(on_spark: OnSession, table: Path) -> None:
    file = live_file(table)
    file.write_bytes(b"\0" * file.stat().st_size)
    assert codes(verified(on_spark, table)) == {"DATA_FILE_UNREADABLE"}


def test_pages_that_are_broken(on_spark: OnSession, table: Path) -> None:
    file = live_file(table)
    data = bytearray(file.read_bytes())
    data[4 : len(data) // 2] = bytes(len(data) // 2 - 4)
    file.write_bytes(data)
    assert "DATA_FILE_ROWS" in codes(verified(on_spark, table))


def test_another_number_of_rows(on_spark: OnSession, table: Path) -> None:
    def change(said: Action) -> None:
        if said["numRecords"] == 1:
            said["numRecords"] = 2

    edit(table, with_stats(change))
    assert codes(verified(on_spark, table)) == {"DATA_FILE_ROWS"}


def test_a_column_of_another_type(on_spark: OnSession, table: Path) -> None:
    file = live_file(table)
    held = pq.read_table(file)
    name = physical_names(table)["k"]
    place = held.schema.get_field_index(name)
    texts = held.column(place).cast(pa.string())
    pq.write_table(
        held.set_column(place, held.schema.field(place).with_type(pa.string()), texts), file
    )
    relative = str(file.relative_to(table))

    def change(action: Action) -> None:
        if (add := action.get("add")) and add["path"] == relative:
            add["size"] = file.stat().st_size

    edit(table, change)
    assert codes(verified(on_spark, table)) == {"DATA_FILE_TYPE"}


def test_a_deletion_vector_that_is_broken(on_spark: OnSession, table: Path) -> None:
    for file in table.rglob("deletion_vector_*.bin"):
        data = bytearray(file.read_bytes())
        data[-6] ^= 0xFF
        file.write_bytes(data)
    report = verified(on_spark, table)
    told = {finding.code for name, finding in report.findings if name == "deletion vectors"}
    assert told == {"VECTOR_CHECKSUM_WRONG"}
    assert found(report) == []
