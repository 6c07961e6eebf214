"""Features that Delta's own statement drops: the plan says what comes of it, and it does."""

import os
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from full_tables import commit, leaves, newest, rows
from in_process import say
from local_session import OnSession
from spark_cluster import Cluster

from deltactl.changes.executor import Planner
from deltactl.changes.jobs import Job
from deltactl.errors import ConflictError, UnfinishedError
from deltactl.operations.protocol.drop import plan_protocol_drop
from deltactl.operations.prune.physical_type_scan import FooterScanner
from deltactl.operations.prune.prune_type_changes import FileScan
from deltactl.table.snapshot import Snapshot
from deltactl.table.table import open_table

pytestmark = pytest.mark.jvm

PROTECTED = "delta.requireCheckpointProtectionBeforeVersion"
DAY = 86_400.0


def dropping(feature: str, *, truncate: bool = False) -> Planner:
    footers = FooterScanner()
    files = FileScan(footers.scan, footers.old_files, 10)
    return lambda draft: plan_protocol_drop(draft, feature, files, truncate=truncate)


def snapshot(path: Path) -> Snapshot:
    return open_table(str(path)).snapshot()


def make(spark: Any, path: Path, columns: str, *properties: str) -> None:
    words = ", ".join(f"'{key}' = '{value}'" for key, _, value in map(_parts, properties))
    spark.sql(f"CREATE TABLE delta.`{path}` ({columns}) USING delta TBLPROPERTIES ({words})")


def _parts(text: str) -> tuple[str, str, str]:
    return text.partition("=")


MAPPED = "delta.columnMapping.mode=name"
VECTORS = "delta.enableDeletionVectors=true"
TRACKED = "delta.enableRowTracking=true"
WIDENING = "delta.enableTypeWidening=true"
V2 = "delta.checkpointPolicy=v2"


@pytest.mark.parametrize(
    ("feature", "properties", "files"),
    [
        ("deletionVectors", [VECTORS, MAPPED, TRACKED], 1),
        ("columnMapping", [MAPPED], 2),
        ("v2Checkpoint", [V2, VECTORS], 0),
        ("vacuumProtocolCheck", ["delta.feature.vacuumProtocolCheck=supported"], 0),
    ],
)
def test_what_was_planned_is_what_the_table_is_then(
    on_spark: OnSession, tmp_path: Path, feature: str, properties: list[str], files: int
) -> None:
    path = tmp_path / "table"
    make(on_spark.spark, path, "a INT, s STRUCT<x: INT>", *properties)
    for span in ("0, 10", "10, 20"):
        on_spark.spark.sql(
            f"INSERT INTO delta.`{path}` SELECT id, struct(id) FROM range({span}, 1, 1)"
        )
    if MAPPED in properties:
        on_spark.spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN a TO b")
    if VECTORS in properties:
        on_spark.spark.sql(f"DELETE FROM delta.`{path}` WHERE s.x = 3")
    ids = TRACKED in properties
    before, base = rows(on_spark.spark, path, ids=ids), newest(path)
    report = on_spark.change(path, dropping(feature), message="ticket 7")
    plan, after = report.plan, snapshot(path)
    assert plan.job is not None
    touched = plan.rewrites.files if plan.rewrites else plan.job.files
    assert (touched, plan.base.version) == (files, base)
    assert report.version == after.version > base
    assert plan.protocol is not None
    assert (
        after.protocol.min_reader_version,
        after.protocol.min_writer_version,
        set(after.protocol.reader_features or ()),
        set(after.protocol.writer_features or ()),
    ) == (
        plan.protocol.min_reader_version,
        plan.protocol.min_writer_version,
        set(plan.protocol.reader_features or ()),
        set(plan.protocol.writer_features or ()),
    )
    assert feature not in after.protocol.listed
    assert "checkpointProtection" in after.protocol.listed
    expected = plan.metadata or plan.base.metadata
    configuration = {k: v for k, v in after.configuration.items() if k != PROTECTED}
    assert configuration == dict(expected.configuration)
    assert after.metadata.schema_string == expected.schema_string
    assert rows(on_spark.spark, path, ids=ids) == before
    last = commit(path, after.version)[0]["commitInfo"]
    assert (last["operation"], last["userMetadata"]) == ("DROP FEATURE", "ticket 7")
    assert on_spark.change(path, dropping(feature)).plan.is_empty


def test_type_widening_leaves_no_old_type_behind_that_delta_would_miss(
    on_spark: OnSession, tmp_path: Path
) -> None:
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "a ARRAY<INT>, m MAP<INT, INT>, v INT", WIDENING)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (array(1), map(1, 2), 3)")
    for column in ("a.element", "m.key", "m.value"):
        spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN {column} TYPE BIGINT")
    before = rows(spark, path, ids=False)
    report = on_spark.change(path, dropping("typeWidening"))
    assert report.rewritten is not None
    assert report.rewritten.files == 1
    after = snapshot(path)
    assert "typeWidening" not in after.protocol.listed
    assert "delta.typeChanges" not in (after.metadata.schema_string or "")
    assert rows(spark, path, ids=False) == before
    kinds = {("a", "INT64"), ("m.key", "INT64"), ("m.value", "INT64"), ("v", "INT32")}
    assert leaves(path) == kinds


class Interloper(OnSession):
    """Another writer, who does something right before Delta drops the feature."""

    def __init__(self, on_spark: OnSession, does: Callable[[Any], None]) -> None:
        self._on_spark, self._does = on_spark, does

    def run(self, job: Job) -> Mapping[str, Any]:
        if job.name in ("drop_feature", "drop_in_parts"):
            self._does(self.spark)
        return self._on_spark.run(job)


def test_nobody_widens_between_the_last_look_and_the_drop(
    on_spark: OnSession, tmp_path: Path
) -> None:
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "a ARRAY<INT>, b ARRAY<INT>", WIDENING)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (array(1), array(2))")
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN a.element TYPE BIGINT")
    base, refused = newest(path), []

    def widen(spark: Any) -> None:
        with pytest.raises(Exception, match="DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"):
            spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN b.element TYPE BIGINT")
        refused.append(newest(path))

    Interloper(on_spark, widen).change(path, dropping("typeWidening"), message="ticket 7")
    assert refused == [base + 3], "the property went, the file was rewritten, the changes went"
    first = commit(path, base + 1)[0]["commitInfo"]
    assert (first["operation"], first["userMetadata"]) == ("UNSET TBLPROPERTIES", "ticket 7")
    assert "typeWidening" not in snapshot(path).protocol.listed
    assert leaves(path) == {("a", "INT64"), ("b", "INT32")}
    assert rows(spark, path, ids=False) == ["Row(a=[1], b=[2])"]


def test_what_restore_brings_back_in_between_is_looked_at_again(
    on_spark: OnSession, tmp_path: Path
) -> None:
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "a ARRAY<INT>", WIDENING)
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (array(1))")
    spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN a.element TYPE BIGINT")
    base = newest(path)
    restore = f"RESTORE TABLE delta.`{path}` TO VERSION AS OF {base}"
    with pytest.raises(ConflictError) as caught:
        Interloper(on_spark, lambda spark: spark.sql(restore)).change(
            path, dropping("typeWidening")
        )
    assert (caught.value.code, caught.value.exit_code) == ("SWITCHED_ON_AGAIN", 6)
    assert caught.value.message == (
        "another writer came first: delta.enableTypeWidening is true again; "
        f"version {base + 1} was committed, UNSET TBLPROPERTIES (to undo it: deltactl property set "
        f"{path} delta.enableTypeWidening=true); "
        f"version {base + 3} was committed, CHANGE COLUMN; "
        f"1 of 1 file was rewritten, as version {base + 2}; run again to continue"
    )
    assert newest(path) == base + 4
    assert "typeWidening" in snapshot(path).protocol.listed
    assert on_spark.change(path, dropping("typeWidening")).committed
    assert "typeWidening" not in snapshot(path).protocol.listed
    assert leaves(path) == {("a", "INT64")}
    assert rows(spark, path, ids=False) == ["Row(a=[1])"]


def test_vectors_that_restore_brings_back_in_between_are_found(
    on_spark: OnSession, tmp_path: Path
) -> None:
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "v INT", VECTORS)
    spark.sql(f"INSERT INTO delta.`{path}` SELECT id FROM range(0, 10, 1, 1)")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE v = 3")
    restore = f"RESTORE TABLE delta.`{path}` TO VERSION AS OF {newest(path)}"
    off = f"ALTER TABLE delta.`{path}` UNSET TBLPROPERTIES ('delta.enableDeletionVectors')"
    for statements in ([restore], [restore, off]):
        with pytest.raises(ConflictError) as caught:
            Interloper(
                on_spark, lambda spark, do=statements: [spark.sql(one) for one in do]
            ).change(path, dropping("deletionVectors"))
        assert (caught.value.code, caught.value.exit_code) == ("SWITCHED_ON_AGAIN", 6)
        assert "deletionVectors" in snapshot(path).protocol.listed
    assert on_spark.change(path, dropping("deletionVectors")).committed
    assert "deletionVectors" not in snapshot(path).protocol.listed
    assert len(rows(spark, path, ids=False)) == 9


def age(path: Path, days: float) -> None:
    """Make the log older: Delta takes the times of its files for those of the versions."""
    for file in (path / "_delta_log").iterdir():
        then = file.stat().st_mtime - days * DAY
        os.utime(file, (then, then))


def test_history_goes_with_the_feature_in_two_runs(on_spark: OnSession, tmp_path: Path) -> None:
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "v INT", VECTORS)
    spark.sql(f"INSERT INTO delta.`{path}` SELECT id FROM range(0, 10, 1, 1)")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE v = 3")
    drop = dropping("deletionVectors", truncate=True)
    started = time.time()
    times = []
    for _ in range(2):  # a second run that comes too early changes nothing but that it tries
        with pytest.raises(UnfinishedError) as caught:
            on_spark.change(path, drop)
        error = caught.value
        assert (error.code, error.exit_code) == ("DROP_UNFINISHED", 10)
        times.append(error.details["again"])
        assert "deletionVectors" in snapshot(path).protocol.listed
    assert times[0] == times[1], "the second run does not put it off"
    again = datetime.fromisoformat(times[0]).timestamp()
    assert started + DAY < again < time.time() + DAY + 180
    age(path, (again - time.time()) / DAY)
    report = on_spark.change(path, drop)
    after = snapshot(path)
    assert report.version == after.version
    assert after.protocol.listed & {"deletionVectors", "checkpointProtection"} == set()
    assert len(rows(spark, path, ids=False)) == 9


@pytest.mark.parametrize(
    ("feature", "prop", "changes"),
    [
        ("deletionVectors", VECTORS, "DELETE FROM delta.`{}` WHERE v = 3"),
        ("typeWidening", WIDENING, "ALTER TABLE delta.`{}` ALTER COLUMN v TYPE BIGINT"),
    ],
)
def test_the_first_run_deletes_no_history(
    on_spark: OnSession, tmp_path: Path, feature: str, prop: str, changes: str
) -> None:
    """As with Delta's statement alone: also what is old enough goes in the second run."""
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "v INT", prop, "delta.checkpointInterval=1")
    spark.sql(f"INSERT INTO delta.`{path}` SELECT id FROM range(0, 10, 1, 1)")
    spark.sql(changes.format(path))
    age(path, 5)
    before = {file.name for file in (path / "_delta_log").glob("*.json")}
    drop = dropping(feature, truncate=True)
    with pytest.raises(UnfinishedError) as caught:
        on_spark.change(path, drop)
    assert caught.value.details["cause"] == "DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD"
    after = {file.name for file in (path / "_delta_log").glob("*.json")}
    assert before < after
    checkpoint = path / "_delta_log" / f"{newest(path):020d}.checkpoint.parquet"
    assert checkpoint.exists()
    age(path, 2)
    on_spark.change(path, drop)
    assert feature not in snapshot(path).protocol.listed
    assert not before & {file.name for file in (path / "_delta_log").glob("*.json")}


def test_the_next_run_is_never_in_the_past(on_spark: OnSession, tmp_path: Path) -> None:
    """Delta keeps files whose times are the same for as long as it keeps one of them."""
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "v INT", VECTORS)
    spark.sql(f"INSERT INTO delta.`{path}` SELECT id FROM range(0, 10, 1, 1)")
    spark.sql(f"DELETE FROM delta.`{path}` WHERE v = 3")
    drop = dropping("deletionVectors", truncate=True)
    with pytest.raises(UnfinishedError):
        on_spark.change(path, drop)
    then = time.time() - 3 * DAY
    for file in (path / "_delta_log").iterdir():
        os.utime(file, (then, then))
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (11)")
    with pytest.raises(UnfinishedError) as caught:
        on_spark.change(path, drop)
    again = datetime.fromisoformat(caught.value.details["again"]).timestamp()
    assert again > time.time()
    age(path, (again - time.time()) / DAY)
    on_spark.change(path, drop)
    assert "deletionVectors" not in snapshot(path).protocol.listed


def test_checkpoint_protection_goes_once_what_it_guards_is_old(
    on_spark: OnSession, tmp_path: Path
) -> None:
    path, spark = tmp_path / "table", on_spark.spark
    make(spark, path, "v INT", "delta.feature.vacuumProtocolCheck=supported")
    spark.sql(f"INSERT INTO delta.`{path}` VALUES (1)")
    on_spark.change(path, dropping("vacuumProtocolCheck"))
    assert PROTECTED in snapshot(path).configuration
    drop = dropping("checkpointProtection", truncate=True)
    with pytest.raises(UnfinishedError) as caught:
        on_spark.change(path, drop)
    said = "the history that checkpointProtection guards is too young to be deleted before "
    assert str(caught.value).startswith(said)
    again = datetime.fromisoformat(caught.value.details["again"]).timestamp()
    age(path, (again - time.time()) / DAY)
    on_spark.change(path, drop)
    after = snapshot(path)
    assert "checkpointProtection" not in after.protocol.listed
    assert PROTECTED not in after.configuration
    assert rows(spark, path, ids=False) == ["Row(v=1)"]


@pytest.mark.usefixtures("spark_environment")
@pytest.mark.parametrize(
    ("feature", "properties", "operations"),
    [
        ("deletionVectors", [VECTORS], ["UNSET TBLPROPERTIES", "REORG"]),
        ("typeWidening", [WIDENING], ["UNSET TBLPROPERTIES", "REORG", "CHANGE COLUMN"]),
        ("columnMapping", [MAPPED], ["REMOVE COLUMN MAPPING"]),
        ("v2Checkpoint", [V2], ["SET TBLPROPERTIES"]),
    ],
)
def test_on_a_cluster(
    cluster: Cluster,
    on_spark: OnSession,
    tmp_path: Path,
    feature: str,
    properties: list[str],
    operations: list[str],
) -> None:
    """Delta 4.4.0 alone fails there with the first two, after a commit of its own."""
    path = tmp_path / "table"
    make(on_spark.spark, path, "v INT, w INT", *properties)
    on_spark.spark.sql(f"INSERT INTO delta.`{path}` VALUES (1, 1), (2, 2), (3, 3)")
    if feature == "typeWidening":
        on_spark.spark.sql(f"ALTER TABLE delta.`{path}` ALTER COLUMN w TYPE BIGINT")
    on_spark.spark.sql(f"DELETE FROM delta.`{path}` WHERE v = 2")
    base, before = newest(path), rows(on_spark.spark, path, ids=False)
    words = ["protocol", "drop", str(path), feature, "--yes", "--master", cluster.url]
    said = say([*words, "-o", "json"])
    assert (said.exit_code, said.error) == (0, {})
    after = snapshot(path)
    assert said.document["version"] == after.version
    assert feature not in after.protocol.listed
    assert rows(on_spark.spark, path, ids=False) == before
    did = [commit(path, v)[0]["commitInfo"]["operation"] for v in range(base + 1, newest(path) + 1)]
    assert did[: len(operations)] == operations
    assert did[-1] == "DROP FEATURE"
