"""Types that deltactl does not make: intervals, which tables have, and those of newer features."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from small_tables import array, commit_info, field, mapping, metadata, protocol, struct, write_log

INTERVALS = (
    field("ym", "interval year to month"),
    field("d", "interval day"),
    field("s", struct(field("x", "interval hour to second"))),
    field("a", array("interval month")),
    field("m", mapping("string", "interval day to second")),
)


def made(*fields, reader=(), writer=()) -> str:
    Path("t").mkdir()
    listed = protocol(reader=["typeWidening", *reader], writer=writer)
    heads = [listed, metadata(*fields, enableTypeWidening="true")]
    return write_log(Path("t"), [[commit_info(), *heads]])


def test_columns_beside_intervals_are_widened(run) -> None:
    table = made(field("i", "integer"), *INTERVALS)
    shown = run("schema", "show", table, "-o", "json").document["columns"]
    types = {column["path"]: column["type"] for column in shown}
    assert (types["ym"], types["s.x"]) == ("interval year to month", "interval hour to second")
    assert (types["a.element"], types["m.value"]) == ("interval month", "interval day to second")

    assert run("widen", table, "i", "long").exit_code == 0
    text = Path(table, "_delta_log", f"{1:020d}.json").read_text()
    [kept] = [json.loads(line)["metaData"] for line in text.splitlines() if "metaData" in line]
    assert json.loads(kept["schemaString"])["fields"][1:] == list(INTERVALS)

    assert run("checkpoint", table).exit_code == 0
    assert run("verify-checksum", table, "--all").exit_code == 0


def test_files_hold_intervals_as_numbers(run) -> None:
    table = made(field("ym", "interval month"), field("ds", "interval day to second"))
    months = pa.table({"ym": pa.array([18], pa.int32()), "ds": pa.array([7], pa.int64())})
    others = pa.table({"ym": pa.array([18], pa.int64()), "ds": pa.array(["7"])})
    adds = []
    for name, held in (("right.parquet", months), ("wrong.parquet", others)):
        pq.write_table(held, Path(table, name))
        size = Path(table, name).stat().st_size
        common = {"partitionValues": {}, "modificationTime": 1, "dataChange": True}
        adds.append({"add": {"path": name, "size": size, **common}})
    text = "".join(f"{json.dumps(action)}\n" for action in (commit_info(), *adds))
    Path(table, "_delta_log", f"{1:020d}.json").write_text(text)
    found = run("verify-checksum", table, "--data", "-o", "json").document["findings"]
    assert [(finding["code"], finding["subject"], finding["found"]) for finding in found] == [
        ("DATA_FILE_TYPE", "wrong.parquet: ym", "long"),
        ("DATA_FILE_TYPE", "wrong.parquet: ds", "string"),
    ]


def test_an_interval_becomes_nothing_else(run) -> None:
    table = made(*INTERVALS)
    assert run("schema", "types", table, "ym", "-o", "json").document["targets"] == []
    result = run("widen", table, "ym", "long")
    assert (result.exit_code, "[ILLEGAL_WIDENING]" in result.stderr) == (4, True)


def test_iceberg_has_no_intervals(run) -> None:
    table = made(*INTERVALS)
    result = run("protocol", "enable", table, "icebergCompatV2", "--dry-run")
    assert result.exit_code == 4
    assert "ym is interval year to month, which icebergCompatV2 does not allow" in result.stderr


@pytest.mark.parametrize(
    ("data_type", "reader", "writer", "code"),
    [
        ("timestamp_nanos", ["timestampNtz", "timestampNanos"], [], "UNSUPPORTED_READER_FEATURE"),
        ("money", ["currencies"], [], "UNSUPPORTED_READER_FEATURE"),
        ("money", [], ["currencies"], "UNSUPPORTED_WRITER_FEATURE"),
    ],
)
@pytest.mark.parametrize("command", [["schema", "show", "T"], ["widen", "T", "i", "long"]])
def test_a_type_of_an_unknown_feature(run, command, data_type, reader, writer, code) -> None:
    table = made(field("i", "integer"), field("x", data_type), reader=reader, writer=writer)
    result = run(*(table if word == "T" else word for word in command), "-o", "json")
    error = result.document["error"]
    assert (result.exit_code, error["code"]) == (4, code)
    assert [*reader, *writer][-1] in error["message"]
    assert error["details"]["features"] == [[*reader, *writer][-1]]


def test_an_unknown_type_of_no_feature(run) -> None:
    result = run("schema", "show", made(field("x", "money")), "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (5, "UNKNOWN_TYPE")


def test_the_other_name_of_timestamp_ntz(run) -> None:
    table = made(
        field("d", "date"), field("t", "timestamp_ntz"), reader=["timestampWithoutTimezone"]
    )
    assert run("verify-checksum", table).exit_code == 0
    assert run("widen", table, "d", "timestamp_ntz").exit_code == 0
    assert run("schema", "types", table, "t").exit_code == 0
    shown = run("protocol", "show", table, "-o", "json").document["features"]
    assert [row["name"] for row in shown] == ["timestampWithoutTimezone", "typeWidening"]
    result = run("protocol", "enable", table, "timestampNtz", "--yes")
    assert (result.exit_code, "already up to date" in result.stdout) == (0, True)


def test_an_exported_schema_with_intervals_is_read_again(run) -> None:
    table = made(*INTERVALS)
    Path("columns.sql").write_text(run("schema", "export", table).stdout)
    result = run("schema", "check", table, "columns.sql", "-o", "json")
    assert result.exit_code == 5
    read = result.document["against"]["schema"]["fields"]
    assert [(f["name"], f["type"]) for f in read] == [(f["name"], f["type"]) for f in INTERVALS]
    answer, *_ = result.document["answers"]
    assert {(clash["code"], clash["path"]) for clash in answer["clashes"]} == {
        ("TYPE_NOT_IN_DELTA", path) for path in ("ym", "d", "s.x", "a.element", "m.value")
    }
