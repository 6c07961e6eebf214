"""The public API: what calls return, what they refuse, and that nothing is kept between them."""

import dataclasses
import inspect
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from small_tables import LEGACY, commit_info, field, metadata, protocol, write_log

import deltactl
from deltactl.api import groups, maintenance, values
from deltactl.api.checkpointing import KindName
from deltactl.api.reading.reports import Reports
from deltactl.api.reading.tables import FoundTable
from deltactl.changes.jobs import Job
from deltactl.errors import InvalidUsageError
from deltactl.report import Report

WIDENING = protocol(reader=["typeWidening"], writer=["appendOnly", "invariants"])
ADD = {
    "add": {
        "path": "part-0.parquet",
        "partitionValues": {},
        "size": 7,
        "modificationTime": 1,
        "dataChange": True,
        "stats": '{"numRecords": 3}',
    }
}


@pytest.fixture
def uri(tmp_path: Path) -> str:
    columns = field("id", "integer"), field("score", "float")
    heads = [WIDENING, metadata(*columns, enableTypeWidening="true")]
    return write_log(tmp_path, [[commit_info(), *heads, ADD]], times=[1_700_000_000_000])


@pytest.fixture
def table(uri: str) -> deltactl.DeltaTable:
    return deltactl.open(uri)


def log_of(table: deltactl.DeltaTable) -> list[str]:
    return sorted(os.listdir(Path(table.uri) / "_delta_log"))


def commit_of(table: deltactl.DeltaTable, version: int) -> list[Any]:
    text = (Path(table.uri) / f"_delta_log/{version:020d}.json").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_table_says_what_it_is(table: deltactl.DeltaTable) -> None:
    assert table.version == 0
    assert table.schema.fields == (
        values.Field(name="id", type="integer", nullable=True, metadata={}),
        values.Field(name="score", type="float", nullable=True, metadata={}),
    )
    assert table.schema.json["type"] == "struct"
    assert table.protocol == values.Protocol(
        min_reader_version=3,
        min_writer_version=7,
        reader_features=("typeWidening",),
        writer_features=("typeWidening", "appendOnly", "invariants"),
    )
    (commit,) = table.history()
    assert (commit.version, commit.operation) == (0, "WRITE")
    assert commit.timestamp.isoformat() == "2023-11-14T22:13:20+00:00"
    assert list(table.files()) == [
        values.DataFile(
            path="part-0.parquet",
            size=7,
            partition_values={},
            modification_time=datetime(1970, 1, 1, 0, 0, 0, 1000, UTC),
            records=3,
            deletion_vector=None,
        )
    ]


def test_detail_has_what_describe_detail_has(table: deltactl.DeltaTable) -> None:
    table.properties.set_description("events")
    assert table.detail() == values.Detail(
        uri=table.uri,
        id=table.detail(at=0).id,
        name=None,
        description="events",
        version=1,
        timestamp=table.history(limit=1)[0].timestamp,
        partition_columns=(),
        properties={"delta.enableTypeWidening": "true"},
        num_files=1,
        size_in_bytes=7,
        num_records=3,
        findings=(),
    )
    assert table.detail(at=0).description is None


def test_a_plan_changes_nothing_and_says_everything(table: deltactl.DeltaTable) -> None:
    plan = table.plan.widen({"id": "long"})
    assert plan.changes == (
        values.Change(kind="widened", path="id", before="integer", after="long"),
    )
    assert plan.refusals == ()
    assert plan.read_version == 0
    assert any("RESTORE TABLE" in command for command in plan.undo.commands)
    assert log_of(table) == ["00000000000000000000.json"]
    refused = table.plan.widen({"id": "date", "nope": "long"})
    assert [refusal.code for refusal in refused.refusals] == [
        "COLUMN_NOT_FOUND",
        "ILLEGAL_WIDENING",
    ]


def test_a_plan_is_applied_once_and_only_to_what_it_was_made_for(
    table: deltactl.DeltaTable,
) -> None:
    plan, other = table.plan.widen({"id": "long"}), table.plan.widen({"score": "double"})
    result = table.apply(plan, if_version=0, message="ids grow")
    assert (result.version, result.committed) == (1, True)
    info = commit_of(table, 1)[0]["commitInfo"]
    assert (info["operation"], info["userMetadata"]) == ("CHANGE COLUMN", "ids grow")
    assert table.apply(plan).version is None  # already so
    with pytest.raises(deltactl.ConflictError) as stale:
        table.apply(other)
    assert stale.value.code == "PLAN_STALE"
    assert table.version == 1


def test_a_plan_of_another_table_is_not_applied(table: deltactl.DeltaTable, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    heads = [WIDENING, metadata(field("id", "integer"), enableTypeWidening="true")]
    other = deltactl.open(write_log(tmp_path / "other", [[commit_info(), *heads]]))
    with pytest.raises(deltactl.UsageError) as wrong:
        table.apply(other.plan.widen({"id": "long"}))
    assert wrong.value.details == {"argument": "plan"}


def test_refusals_raise_their_kind(table: deltactl.DeltaTable) -> None:
    with pytest.raises(deltactl.RefusedError) as refused:
        table.widen({"id": "date"})
    assert (refused.value.code, refused.value.exit_code) == ("ILLEGAL_WIDENING", 4)
    with pytest.raises(deltactl.RefusedError) as several:
        table.apply(table.plan.widen({"id": "date", "nope": "long"}))
    codes = [refusal["code"] for refusal in several.value.details["refusals"]]
    assert codes == ["COLUMN_NOT_FOUND", "ILLEGAL_WIDENING"]
    with pytest.raises(deltactl.NotFoundError):
        table.columns.comment("nope", "text")
    with pytest.raises(deltactl.ConflictError) as conflict:
        table.widen({"id": "long"}, if_version=7)
    assert conflict.value.code == "NOT_AT_VERSION"
    with pytest.raises(deltactl.NotFoundError):
        assert deltactl.open(f"{table.uri}/nothing").version
    assert log_of(table) == ["00000000000000000000.json"]


def test_a_dry_run_writes_nothing(table: deltactl.DeltaTable) -> None:
    result = table.widen({"id": "long"}, dry_run=True)
    assert (result.version, len(result.plan.changes)) == (None, 1)
    assert log_of(table) == ["00000000000000000000.json"]


def test_each_call_sees_what_another_writer_committed(table: deltactl.DeltaTable) -> None:
    assert table.version == 0
    assert table.widen({"id": "long"}).version == 1
    assert len(table.history()) == 2
    before = [column.type for column in table.columns.list()]
    log = Path(table.uri) / "_delta_log"
    heads = metadata(field("id", "integer"), enableTypeWidening="true")
    (log / f"{2:020d}.json").write_text(f"{json.dumps(commit_info())}\n{json.dumps(heads)}\n")
    assert table.version == 2
    assert (before, [c.type for c in table.columns.list()]) == (["long", "float"], ["integer"])
    assert [f.name for f in table.schema.fields] == ["id"]
    # With the old listing there would be nothing to do.
    assert table.widen({"id": "long"}).version == 3
    assert [commit.version for commit in table.history()] == [3, 2, 1, 0]


def test_groups_change_and_list(table: deltactl.DeltaTable) -> None:
    assert table.columns.add("country", "string", comment="ISO").version == 1
    assert table.columns.list()[-1].details["comment"] == "ISO"
    assert table.properties.set({"team": "me", "delta.appendOnly": "true"}).version == 2
    assert {p.key: p.value for p in table.properties.list()} == {
        "delta.appendOnly": "true",
        "delta.enableTypeWidening": "true",
        "team": "me",
    }
    assert table.properties.unset("team", "none", if_exists=True).version == 3
    assert table.domains.set("app", "{}", enable=True).version == 4
    assert table.domains.list() == (values.Domain(name="app", configuration="{}"),)
    assert table.domains.unset("app").version == 5
    assert table.features.enable("v2Checkpoint").version == 6
    assert "v2Checkpoint" in (table.protocol.reader_features or ())
    assert table.properties.set_description("events").version == 7


def test_constraints_are_listed_added_and_dropped(tmp_path: Path) -> None:
    empty = [commit_info(), LEGACY, metadata(field("id", "integer"))]
    table = deltactl.open(write_log(tmp_path, [empty]))
    assert table.constraints.add("positive", "id > 0").version == 1
    assert table.constraints.list() == (
        values.Constraint(name="positive", kind="check", expression="id > 0"),
    )
    assert table.constraints.drop("positive").version == 2
    assert table.constraints.list() == ()


@pytest.mark.parametrize("kind", get_args(KindName))
def test_each_kind_of_checkpoint(kind: KindName, table: deltactl.DeltaTable) -> None:
    if kind == "v2":
        table.features.enable("v2Checkpoint")
    made = table.checkpoint(kind=kind)
    assert (made.wrote, made.kind) == (True, kind)
    assert type(made.kind) is str


def test_checkpoint_and_verify(table: deltactl.DeltaTable) -> None:
    assert table.checkpoint(dry_run=True).wrote is False
    made = table.checkpoint()
    assert (made.version, made.kind, made.wrote) == (0, "classic", True)
    assert table.checkpoint().wrote is False
    found = table.verify()
    assert (found.version, found.is_sound) == (0, True), found.findings
    (Path(table.uri) / "_delta_log/00000000000000000000.crc").write_text("{}")
    assert not table.verify().is_sound


def test_a_repair_moves_aside_and_writes_what_the_log_can_give(table: deltactl.DeltaTable) -> None:
    table.checkpoint()
    checksum = Path(table.uri) / "_delta_log/00000000000000000000.crc"
    checksum.write_text("{}")
    before = log_of(table)
    planned = table.repair(dry_run=True)
    assert (planned.done, planned.verification.is_sound, log_of(table)) == (False, False, before)
    assert [(f.path, f.action) for f in planned.files] == [
        ("_delta_log/00000000000000000000.crc", "move-aside"),
        ("_delta_log/00000000000000000000.crc", "put-if-absent"),
    ]
    with pytest.raises(deltactl.ConflictError):
        table.repair(if_version=3)
    done = table.repair()
    assert (done.done, done.verification.is_sound) == (True, True)
    assert json.loads(checksum.read_text())["numFiles"] == 1
    assert done.files[0].target is not None
    assert (Path(table.uri) / done.files[0].target).read_text() == "{}"
    again = table.repair()
    assert (again.done, again.files) == (False, ())


def test_pruning_without_type_changes_is_nothing(table: deltactl.DeltaTable) -> None:
    assert table.prune_type_changes().version is None


class BytesPath(os.PathLike[bytes]):
    def __fspath__(self) -> bytes:
        return b"x"


CALLS: dict[str, tuple[str, Callable[[deltactl.DeltaTable], Any]]] = {
    "not a mapping": ("columns", lambda t: t.widen(5)),
    "no number": ("timeout", lambda t: deltactl.open(t.uri, timeout=float("nan"))),
    "a time of no zone": ("since", lambda t: t.history(since=datetime(2026, 1, 1))),
    "a path of bytes": ("uri", lambda _: deltactl.open(BytesPath())),
    "a number for a type": ("columns", lambda t: t.widen({"id": 5})),
    "no column": ("columns", lambda t: t.widen({})),
    "an unknown option": ("dryrun", lambda t: t.widen({"id": "long"}, dryrun=True)),
    "a flag that is a number": ("dry_run", lambda t: t.widen({"id": "long"}, dry_run=1)),
    "a version that is a flag": ("if_version", lambda t: t.widen({"id": "long"}, if_version=True)),
    "a version below 0": ("if_version", lambda t: t.widen({"id": "long"}, if_version=-1)),
    "a message of bytes": ("message", lambda t: t.columns.drop("id", message=b"m")),
    "not UTF-8": ("text", lambda t: t.columns.comment("id", "\ud800")),
    "an argument too few": ("type", lambda t: t.columns.add("a")),
    "an option of no plan": ("message", lambda t: t.plan.widen({"id": "long"}, message="m")),
    "a mapping for a plan": ("plan", lambda t: t.apply({"id": "long"})),
    "a limit of 0": ("limit", lambda t: t.history(0)),
    "an unknown kind": ("kind", lambda t: t.checkpoint(kind="v3")),
    "two places": ("after", lambda t: t.columns.add("a", "int", first=True, after="id")),
    "no version": ("reader", lambda t: t.features.upgrade()),
    "Spark as text": ("spark", lambda t: t.prune_type_changes(spark="local[*]")),
    "options in a list": ("storage_options", lambda t: deltactl.open(t.uri, storage_options=["a"])),
    "a table that is a number": ("uri", lambda _: deltactl.open(5)),
    "no time at all": ("timeout", lambda t: deltactl.open(t.uri, timeout=0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_argument_is_named(case: str, table: deltactl.DeltaTable) -> None:
    argument, call = CALLS[case]
    with pytest.raises(deltactl.UsageError) as wrong:
        call(table)
    assert (wrong.value.code, wrong.value.exit_code) == ("USAGE", 2)
    assert wrong.value.details == {"argument": argument}
    assert log_of(table) == ["00000000000000000000.json"]


def test_what_the_command_line_gets_wrong_is_wrong_usage_too() -> None:
    assert issubclass(InvalidUsageError, deltactl.UsageError)
    with pytest.raises(deltactl.UsageError):
        assert deltactl.open("").version


def test_a_path_is_as_good_as_its_text(table: deltactl.DeltaTable) -> None:
    assert deltactl.open(Path(table.uri)).version == 0
    assert deltactl.DeltaTable(Path(table.uri)).uri == table.uri
    (found,) = deltactl.find_tables(Path(table.uri))
    assert (found.uri, found.version, found.files, found.error) == (table.uri, 0, 1, None)


def test_threads_share_a_table(table: deltactl.DeltaTable) -> None:
    def set_one(number: int) -> int | None:
        return table.properties.set({f"app.{number}": str(number)}).version

    with ThreadPoolExecutor(4) as pool:
        versions = list(pool.map(set_one, range(8)))
    assert sorted(v for v in versions if v is not None) == list(range(1, 9))
    found = {row.key: row.value for row in table.properties.list()}
    assert [found[f"app.{number}"] for number in range(8)] == [str(n) for n in range(8)]


@pytest.mark.parametrize("shown", [None, nullcontext(None)], ids=["nothing", "no bar"])
def test_progress_that_shows_nothing_is_refused_by_name(uri: str, shown: object) -> None:
    progress: Any = lambda label: shown  # noqa: E731
    with pytest.raises(deltactl.UsageError) as caught:
        deltactl.open(uri, progress=progress).verify()
    assert caught.value.details == {"argument": "progress"}


def test_a_table_stays_where_it_was_when_the_program_goes_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("here", "there"):
        (tmp_path / folder / "t").mkdir(parents=True)
        write_log(tmp_path / folder / "t", [[commit_info(), LEGACY, metadata(field("a", "long"))]])
    monkeypatch.chdir(tmp_path / "here")
    table = deltactl.open("t")
    monkeypatch.chdir(tmp_path / "there")
    assert table.properties.set({"owner.team": "a"}).version == 1
    assert (table.version, deltactl.open("t").version) == (1, 0)
    assert table.detail().uri == str(tmp_path / "here" / "t")
    assert table.uri == "t"


def test_progress_is_told_of_long_work(uri: str) -> None:
    labels: list[str] = []

    class Bar:
        def advance(self, amount: int = 1) -> None:
            labels.append(f"+{amount}")

    @contextmanager
    def progress(label: str) -> Iterator[Bar]:
        labels.append(label)
        yield Bar()
        labels.append("done")

    deltactl.open(uri, progress=progress).verify()
    assert (labels[0], labels[-1]) == ("verifying", "done")


def test_a_commit_is_logged_and_nothing_is_printed(
    table: deltactl.DeltaTable,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with caplog.at_level(logging.INFO, logger="deltactl"):
        table.widen({"id": "long"})
    assert f"{table.uri}: version 1, CHANGE COLUMN" in caplog.messages
    assert capsys.readouterr() == ("", "")


def test_spark_is_only_looked_for_where_it_is_needed(
    table: deltactl.DeltaTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_job(config: Any, job: Job, *, here: bool) -> None:
        raise deltactl.SparkError("SPARK_NOT_FOUND", f"{config.master} {job.name}")

    monkeypatch.setattr("deltactl.spark.settings.job_check.check_job", check_job)
    spark = deltactl.Spark(engine="spark", master="spark://h:7077")
    assert table.widen({"id": "long"}, spark=spark).version == 1
    with pytest.raises(deltactl.SparkError, match="spark://h:7077 verify"):
        table.verify(data=True, spark=spark)


def test_all_that_is_public_is_there_and_documented() -> None:
    assert deltactl.__all__ == sorted(deltactl.__all__)
    for name in deltactl.__all__:
        found = getattr(deltactl, name)
        if name != "__version__":
            assert found.__doc__, name
            assert not str(found.__doc__).startswith(f"{name}("), name
    assert set(deltactl.__all__) <= set(dir(deltactl))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = deltactl.nothing


HOMES = [values, maintenance]
VALUES = [v for home in HOMES for v in vars(home).values() if dataclasses.is_dataclass(v)]
VALUES = [v for v in VALUES if v.__module__ in {home.__name__ for home in HOMES}]
VALUES = [deltactl.Spark, FoundTable, *dict.fromkeys(VALUES)]
VERBS = [deltactl.DeltaTable, groups.Plans, groups.Columns, groups.Properties]
VERBS += [groups.Constraints, groups.Domains, groups.FeatureVerbs, Reports]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: v.__name__)
def test_values_are_frozen_and_their_fields_documented(value: Any) -> None:
    assert value.__dataclass_params__.frozen
    documented = inspect.getdoc(value) or ""  # Python 3.13 and later take the indent away
    assert documented.count("Attributes:") == 1
    for attribute in dataclasses.fields(value):
        assert f"\n    {attribute.name}: " in documented, attribute.name


REPORTS = [name for name in dir(Reports) if not name.startswith("_")]
STREAMS = ["files", "log_file"]


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_is_frozen_and_its_fields_are_documented(name: str) -> None:
    report: Any = get_type_hints(getattr(Reports, name))["return"]
    assert issubclass(report, Report)
    assert report.__dataclass_params__.frozen or name in STREAMS
    assert report.__doc__.count("Attributes:") == 1
    for attribute in dataclasses.fields(report):
        assert f"\n    {attribute.name}: " in (inspect.getdoc(report) or ""), attribute.name


@pytest.mark.parametrize("group", VERBS, ids=lambda g: g.__name__)
def test_methods_are_documented_and_typed(group: type) -> None:
    public = [name for name in dir(group) if not name.startswith("_")]
    assert public
    for name in public:
        found = getattr(group, name)
        assert found.__doc__, name
        if callable(found):
            assert "return" in get_type_hints(found), name


def test_a_look_at_a_table_loads_no_arrow(uri: str) -> None:
    code = (
        "import sys, deltactl; print(deltactl.open(sys.argv[1]).version, 'pyarrow' in sys.modules)"
    )
    found = subprocess.run(
        [sys.executable, "-c", code, uri], capture_output=True, text=True, check=True
    )
    assert found.stdout == "0 False\n"


def test_importing_it_loads_nothing() -> None:
    code = "import sys, deltactl; print(*sorted(m for m in sys.modules if 'deltactl' in m))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "deltactl\n"
