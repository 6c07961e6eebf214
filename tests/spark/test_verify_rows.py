"""`verify-checksum --data --engine spark`: a sound table is sound, and each fault is found."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from local_session import OnSession
from sound_tables import Action, edit, make, physical_names, with_schema, with_stats

from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds
from deltactl.table.table import open_table
from deltactl.verify import findings
from deltactl.verify.report import VerifyReport, report_verify
from deltactl.verify.verifier import Scope

pytestmark = pytest.mark.jvm

LOOKED_AT = ("data files", "rows")


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


def live_files(path: Path) -> list[Path]:
    """The live files, those without deleted rows first, the larger ones before the others."""
    adds = live_adds(prepare_state(open_table(str(path)).snapshot()))
    in_order = sorted(adds, key=lambda add: (add.deletion_vector is not None, -add.size))
    return [path / add.path for add in in_order]


def lines_of(path: Path) -> Iterator[Action]:
    for commit in (path / "_delta_log").glob("*.json"):
        yield from map(json.loads, commit.read_text(encoding="utf-8").splitlines())


def named(add: Action | None, path: Path, file: Path) -> bool:
    return add is not None and add["path"] == str(file.relative_to(path))


def without_sums(path: Path) -> None:
    """Take away Hadoop's checksums: by these, too, it would know that a file has changed."""
    for file in path.rglob(".*.crc"):
        file.unlink()


def test_a_sound_table(on_spark: OnSession, sound: Path) -> None:
    report = verified(on_spark, sound)
    assert found(report) == []
    assert report.exit_code == 0, report.findings
    checks = {check.name: check.subjects for check in report.checks}
    rows = on_spark.spark.sql(f"SELECT count(*) AS n FROM delta.`{sound}`").first()["n"]
    assert (rows, checks["rows"]) == (73, 73)


@pytest.mark.parametrize("indexed", ["32", "1", "0"])
def test_a_table_without_deletion_vectors(
    on_spark: OnSession, tmp_path: Path, indexed: str
) -> None:
    path = tmp_path / "table"
    on_spark.spark.sql(
        f"""CREATE TABLE delta.`{path}` (k INT, note STRING) USING delta
        TBLPROPERTIES ('delta.dataSkippingNumIndexedCols' = '{indexed}')"""
    )
    on_spark.spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 'a'), (2, NULL), (NULL, 'c')")
    report = verified(on_spark, path)
    assert found(report) == []
    assert {check.name: check.subjects for check in report.checks}["rows"] == 3

    def change(said: Action) -> None:
        if "k" in said.get("nullCount", {}):
            said["nullCount"]["k"] = 0

    wrong = tmp_path / "wrong"  # Of the other one Spark knows the log already.
    shutil.copytree(path, wrong)
    edit(wrong, with_stats(change))
    told = [("STATISTICS_WRONG", "k", "1 nulls", "0 in nullCount")]
    assert found(verified(on_spark, wrong)) == (told if indexed != "0" else [])


def of_constraint(action: Action) -> None:
    if metadata := action.get("metaData"):
        metadata["configuration"]["delta.constraints.fine"] = "k < 79"


def other_rules(columns: dict[str, Action]) -> None:
    columns["day"]["metadata"]["delta.generationExpression"] = "date_add(CAST(t AS DATE), 1)"
    invariant = {"expression": {"expression": "k < 78"}}
    columns["k"]["metadata"]["delta.invariants"] = json.dumps(invariant)
    columns["amount"]["nullable"] = False
    next(f for f in columns["n"]["type"]["fields"] if f["name"] == "v")["nullable"] = False
    columns["id"]["metadata"]["delta.identity.highWaterMark"] = 400


def test_rows_that_break_rules(on_spark: OnSession, table: Path) -> None:
    edit(table, of_constraint)
    edit(table, with_schema(other_rules))
    report = verified(on_spark, table)
    assert {(code, where) for code, where, *_ in found(report) if where} == {
        ("CHECK_VIOLATED", "CHECK fine"),
        ("GENERATED_VALUE_WRONG", "day"),
        ("INVARIANT_VIOLATED", "k"),
        ("NOT_NULL_VIOLATED", "amount"),
        ("NOT_NULL_VIOLATED", "n.v"),
    }
    assert ("CHECK_VIOLATED", "CHECK fine", "k < 79", "1 of 1 rows do not satisfy it") in found(
        report
    )
    [mark] = [finding for _, finding in report.findings if finding.code == "IDENTITY_ABOVE_MARK"]
    assert (mark.subject, mark.expected) == ("id", "no value beyond the high-water mark, 400")
    assert int(mark.found) > 400
    assert report.exit_code == 5


def test_values_of_an_identity_column_twice(on_spark: OnSession, table: Path) -> None:
    file = live_files(table)[0]
    again = file.with_name("again.parquet")
    shutil.copy(file, again)
    [line] = [line for line in lines_of(table) if named(line.get("add"), table, file)]
    line["add"]["path"] = str(again.relative_to(table))
    edit(table, lambda _: None)
    with open(max((table / "_delta_log").glob("*.json")), "a", encoding="utf-8") as commit:
        commit.write(json.dumps(line) + "\n")
    assert codes(verified(on_spark, table)) == {"IDENTITY_DUPLICATE"}


# In the statistics of each file with the column the value becomes this.
WRONG: list[tuple[str, str, Any]] = [
    ("nullCount", "remark", 1_000_000),
    ("minValues", "k", 5_000_000),
    ("maxValues", "amount", -0.25),
    ("maxValues", "name", "a"),
    ("maxValues", "t", "1960-01-01T00:00:00.000Z"),
    ("minValues", "tn", "2030-01-01T00:00:00.000"),
    ("minValues", "d", "2030-01-01T00:00:00.000"),
    ("minValues", "g", 1e9),
]


def test_statistics_that_rows_contradict(
    on_spark: OnSession, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "NAMED", 1000)
    names = physical_names(table)

    def change(said: Action) -> None:
        for kind, column, wrong in WRONG:
            name = names[{"remark": "note"}.get(column, column)]
            if name in said[kind]:
                said[kind][name] = wrong

    edit(table, with_stats(change))
    report = verified(on_spark, table)
    assert codes(report) == {"STATISTICS_WRONG"}
    assert {where for _, where, *_ in found(report)} == {
        column if kind == "nullCount" else f"{column}, {kind}" for kind, column, _ in WRONG
    }


def test_files_that_are_not_what_the_log_says(on_spark: OnSession, table: Path) -> None:
    gone, larger, no_parquet, broken, of_texts, longer = live_files(table)[:6]
    gone.unlink()
    no_parquet.write_bytes(b"\0" * no_parquet.stat().st_size)
    data = bytearray(broken.read_bytes())
    data[4:64] = bytes(60)
    broken.write_bytes(data)
    held = pq.read_table(of_texts)
    place = held.schema.get_field_index(physical_names(table)["k"])
    field = held.schema.field(place).with_type(pa.string())
    pq.write_table(held.set_column(place, field, held.column(place).cast(pa.string())), of_texts)

    def change(action: Action) -> None:
        add = action.get("add")
        if named(add, table, larger):
            add["size"] += 1
        if named(add, table, of_texts):
            add["size"] = of_texts.stat().st_size
        if named(add, table, longer):
            said = json.loads(add["stats"])
            add["stats"] = json.dumps({**said, "numRecords": said["numRecords"] + 1})

    edit(table, change)
    without_sums(table)
    report = verified(on_spark, table)
    told = {(f.code, f.subject.partition(": ")[0]) for n, f in report.findings if n in LOOKED_AT}
    assert told == {
        (code, str(file.relative_to(table)))
        for code, file in (
            ("DATA_FILE_MISSING", gone),
            ("DATA_FILE_SIZE", larger),
            ("DATA_FILE_UNREADABLE", no_parquet),
            ("DATA_FILE_ROWS", broken),
            ("DATA_FILE_TYPE", of_texts),
            ("DATA_FILE_ROWS", longer),
        )
    }


def test_what_is_found_without_spark_is_found_with_it_too(on_spark: OnSession, table: Path) -> None:
    """Files of other sizes and rows than the log says, and with rows that break all rules."""

    def change(action: Action) -> None:
        of_constraint(action)
        if add := action.get("add"):
            add["size"] -= 1
            said = json.loads(add["stats"])
            add["stats"] = json.dumps({**said, "numRecords": said["numRecords"] + 1})

    edit(table, change)
    edit(table, with_schema(other_rules))
    here = report_verify(open_table(str(table)), Scope(data=True))
    on_footers = {(f.code, f.subject, f.found) for n, f in here.findings if n in LOOKED_AT}
    assert {code for code, *_ in on_footers} == {"DATA_FILE_SIZE", "DATA_FILE_ROWS"}
    report = verified(on_spark, table)
    assert on_footers <= {(f.code, f.subject, f.found) for n, f in report.findings}
    told = [(f.code, f.subject) for _, f in report.findings]
    assert len(told) == len(set(told)), "nothing is told twice"
    assert codes(report) == {
        "DATA_FILE_SIZE",
        "DATA_FILE_ROWS",
        "CHECK_VIOLATED",
        "GENERATED_VALUE_WRONG",
        "INVARIANT_VIOLATED",
        "NOT_NULL_VIOLATED",
        "IDENTITY_ABOVE_MARK",
    }
    counted, again = (
        next(check.subjects for check in one.checks if check.name == "data files")
        for one in (here, report)
    )
    assert counted == again, "no file is counted twice"


def test_deletion_vectors_that_are_broken(on_spark: OnSession, table: Path) -> None:
    for file in table.rglob("deletion_vector_*.bin"):
        data = bytearray(file.read_bytes())
        data[-6] ^= 0xFF
        file.write_bytes(data)
    without_sums(table)
    report = verified(on_spark, table)
    told = {finding.code for name, finding in report.findings if name == "deletion vectors"}
    assert told == {"VECTOR_CHECKSUM_WRONG"}
    assert found(report) == []
