"""Files with old types are rewritten by Delta's writer, and columns forget their old types."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from full_tables import OF_PARTITIONS, TODAY, WIDENED, commit, leaves, make, newest, rows
from local_session import OnSession
from old_files import pruning

from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.jobs import Job
from deltactl.changes.plan import Plan
from deltactl.errors import StorageError
from deltactl.operations.protocol.enable import plan_protocol_enable
from deltactl.table.state.files import prepare_state
from deltactl.table.state.live_adds import live_adds
from deltactl.table.table import open_table

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def spark(on_spark: OnSession) -> Any:
    return on_spark.spark


@pytest.fixture(scope="module")
def made(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[bool], Path]:
    """Tables as `make` makes them, each of which is made once."""
    known: dict[bool, Path] = {}

    def table(clustered: bool) -> Path:
        if clustered not in known:
            known[clustered] = tmp_path_factory.mktemp("made") / "table"
            make(spark, known[clustered], clustered=clustered)
        return known[clustered]

    return table


def planned(path: Path, *columns: str) -> Plan:
    changer = ChangeExecutor(
        open_table(str(path)), pruning(*columns, batch=None), CommitOptions(dry_run=True)
    )
    return changer.execute(lambda _: None).plan


def adds(path: Path) -> list[Any]:
    return list(live_adds(prepare_state(open_table(str(path)).snapshot())))


def marks(path: Path) -> list[tuple[str, str]]:
    """The tags of each file, and by what it was clustered."""
    return sorted((str(add.tags), str(add.unknown.get("clusteringProvider"))) for add in adds(path))


@pytest.mark.parametrize("clustered", [False, True], ids=["partitioned", "clustered"])
def test_all_is_as_it_was_but_for_the_types_in_files(
    spark: Any, made: Any, on_spark: OnSession, tmp_path: Path, clustered: bool
) -> None:
    path = tmp_path / "table"
    shutil.copytree(made(clustered), path)
    base, before, kept = newest(path), rows(spark, path), marks(path)
    assert planned(path).rewrites is not None
    report = on_spark.change(path, pruning(batch=1 if clustered else 3))
    assert report.rewritten is not None
    versions = report.rewritten.versions
    assert len(versions) > 1, "more than one batch"
    assert report.version == newest(path) == versions[-1] + 1
    assert rows(spark, path) == before
    assert {(name, kind) for name, kind in leaves(path) if name in TODAY} == set(TODAY.items())
    table = f"delta.`{path}`"
    for version in versions:
        info, *actions = commit(path, version)
        assert info["commitInfo"]["operation"] == "REORG"
        files = [a.get("add") or a.get("remove") for a in actions if {"add", "remove"} & a.keys()]
        assert {file["dataChange"] for file in files} == {False}
        assert all(isinstance(file["defaultRowCommitVersion"], int) for file in files)
        assert all(isinstance(file["baseRowId"], int) for file in files)
        changes = f"SELECT * FROM table_changes_by_path('{path}', {version}, {version})"
        assert spark.sql(changes).collect() == [], "the change data feed has no rows"
    schema = open_table(str(path)).snapshot().metadata.schema_string or ""
    assert "delta.typeChanges" not in schema
    assert rows(spark, path, base) == before, "time travel"
    if clustered:
        assert kept == marks(path)
        assert any("ZCUBE_ID" in tags for tags, _ in kept)
    else:
        values = {text for add in adds(path) for text in add.partition_values.values()}
        assert values == {"0", "1", "2020-01-01 00:00:00"}
    # Spark goes on: it widens, writes, and keeps to the constraint.
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN m.value TYPE BIGINT")
    spark.sql(f"UPDATE {table} SET note = 'later' WHERE k = 8")
    with pytest.raises(Exception, match="CHECK constraint fine"):
        spark.sql(f"UPDATE {table} SET checked = -1 WHERE k = 8")
    # What RESTORE brings back needs its type changes, and has them.
    spark.sql(f"RESTORE TABLE {table} TO VERSION AS OF {base}")
    assert rows(spark, path) == before
    found = planned(path)
    assert {refusal.code for refusal in found.refusals} == {"OLD_TYPES_IN_FILES"}
    assert len(found.refusals) == len(WIDENED) - 1 + (0 if clustered else len(OF_PARTITIONS))


def test_only_files_with_old_types_of_what_was_named_are_rewritten(
    spark: Any, on_spark: OnSession, tmp_path: Path
) -> None:
    table = f"delta.`{tmp_path / 'table'}`"
    spark.sql(
        f"""CREATE TABLE {table} (a ARRAY<INT>, m MAP<STRING, INT>, n MAP<INT, STRING>)
        USING delta TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"""
    )
    spark.sql(f"INSERT INTO {table} VALUES (array(1), map('x', 1), map(1, 'x'))")
    for column in ("a.element", "m.value"):
        spark.sql(f"ALTER TABLE {table} ALTER COLUMN {column} TYPE BIGINT")
    spark.sql(f"INSERT INTO {table} VALUES (array(2), map('x', 2), map(2, 'x'))")
    spark.sql(f"ALTER TABLE {table} ALTER COLUMN n.key TYPE BIGINT")
    before = rows(spark, tmp_path / "table", ids=False)
    report = on_spark.change(tmp_path / "table", pruning("a"))
    assert report.rewritten is not None
    assert report.rewritten.files == 1
    left = planned(tmp_path / "table")
    assert [refusal.message for refusal in left.refusals] == []
    assert [(row.path, row.is_prunable) for row in left.columns or ()] == [
        ("m.value", True),
        ("n.key", False),
    ]
    report = on_spark.change(tmp_path / "table", pruning())
    assert report.rewritten is not None
    assert report.rewritten.files == 1, "the second file held n.key as int"
    assert rows(spark, tmp_path / "table", ids=False) == before
    assert leaves(tmp_path / "table") == {
        ("a", "INT64"),
        ("m.key", "BYTE_ARRAY"),
        ("m.value", "INT64"),
        ("n.key", "INT64"),
        ("n.value", "BYTE_ARRAY"),
    }


def test_iceberg_takes_the_table_afterwards(
    spark: Any, on_spark: OnSession, tmp_path: Path
) -> None:
    path = tmp_path / "table"
    spark.sql(
        f"""CREATE TABLE delta.`{path}` (v INT) USING delta TBLPROPERTIES (
        'delta.enableTypeWidening' = 'true', 'delta.columnMapping.mode' = 'name')"""
    )
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1), (2)")
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN v TYPE DOUBLE")

    def enabling(draft: Any) -> Plan:
        return plan_protocol_enable(draft, ["icebergCompatV2"], None)

    refused = on_spark.change(path, enabling)
    [refusal] = refused.plan.refusals
    assert (refusal.code, refused.version) == ("NOT_IN_ICEBERG", None)
    forget = "deltactl prune-type-changes TABLE --column v --rewrite"
    assert str(refusal.hint) == f"have it forgotten: {forget}"
    assert on_spark.change(path, pruning()).committed
    spark.sql(
        f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('delta.enableIcebergCompatV2' = 'true')"
    )
    assert rows(spark, path, ids=False) == ["Row(v=1.0)", "Row(v=2.0)"]


def test_a_file_whose_data_is_damaged_leaves_the_table_as_it_is(
    spark: Any, on_spark: OnSession, tmp_path: Path
) -> None:
    path = tmp_path / "table"
    spark.sql(
        f"""CREATE TABLE delta.`{path}` (v INT, n STRING) USING delta
        TBLPROPERTIES ('delta.enableTypeWidening' = 'true')"""
    )
    spark.sql(f"INSERT INTO delta.`{path}` SELECT id, concat('x', id) FROM range(0, 500, 1, 1)")
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN v TYPE BIGINT")
    [file] = path.glob("*.parquet")
    data = bytearray(file.read_bytes())
    data[4:600] = bytes(596)
    file.write_bytes(data)
    # The checksum that Hadoop keeps beside the file would tell before Parquet does.
    file.with_name(f".{file.name}.crc").unlink()
    base = newest(path)
    with pytest.raises(StorageError) as caught:
        on_spark.change(path, pruning())
    assert (caught.value.code, caught.value.exit_code) == ("SPARK_FILE_UNREADABLE", 8)
    assert "\n" not in caught.value.message
    assert file.name in caught.value.message
    assert caught.value.message.endswith("no file was rewritten")
    assert "bring it back from a copy, or RESTORE" in (caught.value.hint or "")
    assert newest(path) == base


def test_files_that_left_the_table_are_passed_over(
    spark: Any, on_spark: OnSession, tmp_path: Path
) -> None:
    path = tmp_path / "table"
    spark.sql(f"CREATE TABLE delta.`{path}` (v INT) USING delta")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1)")
    [add] = adds(path)
    base = newest(path)
    always = {"table": str(path), "message": None, "tags": {}}
    result = on_spark.run(Job("rewrite", {**always, "batches": [["gone"], [add.path, "gone"]]}, ""))
    [only] = result["commits"]
    assert (only["version"], only["removed"], only["added"]) == (base + 1, 1, 1)
    assert on_spark.run(Job("rewrite", {**always, "batches": [[add.path]]}, "")) == {"commits": []}
