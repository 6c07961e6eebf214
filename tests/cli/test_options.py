from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest

from deltactl.cli.command_options import at_option, parse_at, table_command
from deltactl.cli.command_tree import Folder
from deltactl.cli.global_options import Invocation
from deltactl.spec.versions import VersionsBack


@pytest.mark.parametrize(
    "args",
    [
        ["-o", "json", "config", "show"],
        ["config", "-o", "json", "show"],
        ["config", "show", "-o", "json"],
        ["-o", "text", "config", "-o", "ndjson", "show", "-o", "json"],
    ],
)
def test_global_options_go_before_and_after(run, valid_document, args) -> None:
    document = valid_document("config show", run(*args).stdout)
    wanted = {"name": "output", "value": "json", "origin": "command line", "ignored": False}
    assert wanted in document["settings"]


def test_storage_options_add_up(run, valid_document) -> None:
    args = ("--storage-option", "A=1", "config", "show", "--storage-option", "B=2=3", "-o", "json")
    document = valid_document("config show", run(*args, "--storage-option", "A=4").stdout)
    values = {setting["name"]: setting["value"] for setting in document["settings"]}
    assert values["storage-options.A"] == "4"
    assert values["storage-options.B"] == "2=3"


def test_a_bad_storage_option(run) -> None:
    result = run("config", "show", "--storage-option", "A")
    assert result.exit_code == 2
    assert "'A' is not KEY=VALUE" in result.stderr


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("--storage-option", "AWS_SECRET_ACCESS_KEY:hush", "'AWS_SECRET_ACCESS_KEY...'"),
        # A secret in Base64 ends with =.
        ("--storage-option", "AWS_SECRET_ACCESS_KEY:hush==", "'AWS_SECRET_ACCESS_KEY...'"),
        ("--storage-option", "AWS_SECRET_ACCESS_KEY hush=", "'AWS_SECRET_ACCESS_KEY...'"),
        ("--storage-option", "=hush", "'...'"),
        (
            "--spark-conf",
            "spark.hadoop.fs.s3a.secret.key:hush",
            "'spark.hadoop.fs.s3a.secret.key...",
        ),
    ],
)
@pytest.mark.parametrize("output", ["text", "json"])
def test_a_value_that_may_be_secret_is_not_repeated(run, option, text, said, output) -> None:
    result = run("spark", "check", option, text, "-o", output)
    assert result.exit_code == 2
    assert f"invalid value for '{option}': {said}" in result.stderr
    assert "hush" not in result.stdout + result.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0", 0),
        ("0012", 12),
        ("20240531", 20240531),
        ("9223372036854775807", 9223372036854775807),
        ("-1", VersionsBack(1)),
        ("-12", VersionsBack(12)),
        ("@prev", VersionsBack(1)),
        ("2024-05-31", datetime(2024, 5, 31, tzinfo=UTC)),
        ("2024-05-31T12:00:00", datetime(2024, 5, 31, 12, tzinfo=UTC)),
        ("2024-05-31 12:00", datetime(2024, 5, 31, 12, tzinfo=UTC)),
        ("2024-05-31T12:00:00.123Z", datetime(2024, 5, 31, 12, 0, 0, 123000, tzinfo=UTC)),
        ("2024-05-31T12:00:00+02:00", datetime(2024, 5, 31, 10, tzinfo=UTC)),
    ],
)
def test_versions_and_times(text: str, expected: int | VersionsBack | datetime) -> None:
    assert parse_at(text) == expected
    assert type(parse_at(text)) is type(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "--1",
        "-1.0",
        "@next",
        "2y",
        "-2d",
        "+1",
        "1.0",
        "٣",
        "9223372036854775808",
        "9" * 5000,
        "yesterday",
        "2024-13-01",
        "2024-02-30T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_neither_a_version_nor_a_time(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither a version|more than the largest"):
        parse_at(text)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the command `peek TABLE [--at]` was called with."""
    calls: list[Any] = []

    @table_command
    @at_option
    def command(session: Any, table: str, at: int | datetime | None) -> None:
        """Peek at TABLE."""
        calls.append((session.table_uri(table), at, session.invocation.command))

    module = ModuleType("peek")
    module.command = command  # type: ignore[attr-defined]
    monkeypatch.setattr("deltactl.cli.command_tree.import_module", lambda name: module)
    monkeypatch.setattr(Folder, "_modules", lambda self: {"list": False, "cat": False})
    return calls


def test_a_table_command(shown, run) -> None:
    Path("deltactl.toml").write_text('[tables]\nevents = "s3://lake/events"\n')
    assert run("cat", "events", "--at", "3").exit_code == 0
    assert run("cat", "--at=2024-05-31", "./events").exit_code == 0
    assert shown == [
        ("s3://lake/events", 3, "cat"),
        ("./events", datetime(2024, 5, 31, tzinfo=UTC), "cat"),
    ]


def test_a_version_by_its_distance_from_the_newest(shown, run) -> None:
    assert run("cat", "./events", "--at", "-1").exit_code == 0
    assert run("cat", "--at=@prev", "./events").exit_code == 0
    assert shown == [("./events", VersionsBack(1), "cat")] * 2


@pytest.mark.parametrize(
    ("text", "seconds"), [("30s", 30), ("15m", 900), ("2h", 7200), ("2d", 172800), ("1w", 604800)]
)
def test_how_long_ago(text: str, seconds: int) -> None:
    earliest = datetime.now(UTC) - timedelta(seconds=seconds)
    found = parse_at(text)
    assert isinstance(found, datetime)
    assert earliest <= found <= datetime.now(UTC) - timedelta(seconds=seconds)
    with pytest.raises(ValueError, match="999999999w ago is before any time"):
        parse_at("999999999w")


def group(default: str | None) -> Folder:
    package = ModuleType("package", "A group.")
    package.__path__ = []
    if default:
        package.DEFAULT = default  # type: ignore[attr-defined]
    return Folder(package, "group")


@pytest.mark.parametrize(
    ("args", "flags", "command"),
    [
        (["T"], {}, "list"),
        (["T", "--at", "3"], {}, "list"),
        (["--at", "3", "T"], {}, "list"),
        (["-o", "json", "T"], {"output": "json"}, "list"),
        (["--output=json", "-q", "T"], {"output": "json", "quiet": True}, "list"),
        (["list", "T"], {}, "list"),
        (["cat", "T"], {}, "cat"),
        (["-q", "cat", "T"], {"quiet": True}, "cat"),
        (["-ojson", "cat", "T"], {"output": "json"}, "cat"),
        (["-qojson", "cat", "T"], {"quiet": True, "output": "json"}, "cat"),
        (["-qo", "json", "cat", "T"], {"quiet": True, "output": "json"}, "cat"),
        (["-qv", "T"], {"quiet": True, "verbose": True}, "list"),
    ],
)
def test_a_group_with_a_default_command(shown, args, flags, command) -> None:
    invocation = Invocation(args)
    with group("list").make_context("group", list(args), obj=invocation) as ctx:
        ctx.command.invoke(ctx)  # type: ignore[arg-type]
    assert len(shown) == 1
    assert shown[0][2] == command
    assert invocation.flags == flags


def test_a_group_without_a_default_command(shown) -> None:
    folder = group(None)
    with (
        pytest.raises(click.UsageError, match="no such command T"),
        folder.make_context("group", ["T"], obj=Invocation(["T"])) as ctx,
    ):
        folder.invoke(ctx)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--queue", "etl"], "--spark-conf spark.yarn.queue=VALUE"),
        (["--num-executors=20"], "--spark-conf spark.executor.instances=VALUE"),
        (["--principal", "p"], "--spark-conf spark.kerberos.principal=VALUE"),
        (["--keytab", "k"], "--spark-conf spark.kerberos.keytab=VALUE"),
        (["--conf", "a=b"], "--spark-conf KEY=VALUE"),
        (["--deploy-mode", "cluster"], "leave it out: the driver is always on this machine, "),
        (["--", "--queue", "etl"], "--spark-conf spark.yarn.queue=VALUE"),
    ],
)
def test_options_of_spark_submit_have_others_here(run, words: list[str], hint: str) -> None:
    result = run("prune-type-changes", "table", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"\nhint: {hint}" in result.stderr
    # Of a command without Spark they are options like any other.
    assert "--spark-conf" not in run("show", "table", *words).stderr
