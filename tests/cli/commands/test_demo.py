import io
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import spark_parts

from deltactl import __version__
from deltactl.cli import app
from deltactl.cli.commands.demo import LESSONS
from deltactl.storage.local.local import LocalStorage

DEMO = Path("deltactl-demo")
COMMANDS = [
    "deltactl show ./deltactl-demo",
    "deltactl history ./deltactl-demo",
    "deltactl schema show ./deltactl-demo",
    "deltactl diff ./deltactl-demo 0",
    "deltactl schema types ./deltactl-demo amount",
    "deltactl files ./deltactl-demo --physical amount",
    "deltactl protocol show ./deltactl-demo",
    "deltactl widen ./deltactl-demo items.element.quantity long --dry-run",
    "deltactl widen ./deltactl-demo items.element.quantity long",
    "deltactl diff ./deltactl-demo",
    "deltactl history ./deltactl-demo --limit 2",
    "deltactl checkpoint ./deltactl-demo",
    "deltactl verify-checksum ./deltactl-demo",
]
ID = '{"name":"id","type":"long","nullable":false,"metadata":{}}'
CUSTOMER = '{"name":"customer","type":"string","nullable":true,"metadata":{}}'
NARROW = '{"name":"amount","type":"integer","nullable":true,"metadata":{"comment":"in cents"}}'
WIDE = (
    '{"name":"amount","type":"long","nullable":true,"metadata":{"comment":"in cents",'
    '"delta.typeChanges":[{"toType":"long","fromType":"integer","tableVersion":2}]}}'
)
ITEMS = (
    '{"name":"items","type":{"type":"array","elementType":{"type":"struct","fields":['
    '{"name":"sku","type":"string","nullable":true,"metadata":{}},'
    '{"name":"quantity","type":"integer","nullable":true,"metadata":{}}]},"containsNull":true},'
    '"nullable":true,"metadata":{}}'
)
NOTE = '{"name":"note","type":"string","nullable":true,"metadata":{}}'


def schema_string(*fields: str) -> str:
    return f'{{"type":"struct","fields":[{",".join(fields)}]}}'


@pytest.fixture
def commits(run) -> list[list[dict[str, Any]]]:
    """The actions of each commit of the demo table."""
    assert run("demo").exit_code == 0
    log = sorted((DEMO / "_delta_log").glob("*.json"))
    assert [path.name for path in log] == [f"{version:020}.json" for version in range(6)]
    return [[json.loads(line) for line in path.read_text().splitlines()] for path in log[:5]]


def test_each_command_stands_before_its_own_output(run) -> None:
    result = run("demo")
    assert result.exit_code == 0
    assert re.findall(r"\w+: .* \[(\w+)\]\n", result.stderr) == ["STREAMS_RESTART"] * 2
    lines = result.stdout.splitlines()
    assert [line[2:] for line in lines if line.startswith("$ ")] == COMMANDS
    assert lines[0] == "Made a table of orders in ./deltactl-demo."
    assert lines[-1].startswith("The table stays in ./deltactl-demo")
    for position, command in enumerate(COMMANDS):
        comment = f"# {LESSONS[position].shows}"
        assert f"\n\n{comment}\n$ {command}\n" in result.stdout
    for command in (COMMANDS[-4], COMMANDS[-1]):  # the last word on the table as it is now
        shown = run(*shlex.split(command)[1:]).stdout
        assert f"$ {command}\n{shown}\n" in result.stdout
    # Spark is not there: neither the extra, nor Delta's jars in a home that is new.
    assert "\n# Left out, for Spark does not run here: " in result.stdout
    assert "\n# deltactl prune-type-changes ./deltactl-demo --rewrite --yes\n" in result.stdout
    assert "  ~   .quantity      int → long    widened\n" in result.stdout
    assert "\nCommitted as version 5.\n" in result.stdout
    assert "\nVersion 5 is sound.\n" in result.stdout


def test_the_table_in_json(run, valid_document) -> None:
    document = valid_document("demo", run("demo", "-o", "json").stdout)
    assert document["table"]["uri"] == str(DEMO.absolute())
    assert document["table"]["name"] == "orders"
    assert document["folder"] == "./deltactl-demo"
    assert document["steps"] == [{"command": line, "exit": 0} for line in COMMANDS]
    left_out = document["leftOut"]
    assert left_out["command"] == "deltactl prune-type-changes ./deltactl-demo --rewrite --yes"
    assert "both hold items.element.quantity as int" in left_out["shows"]
    assert left_out["hint"]
    state = run("show", str(DEMO), "-o", "json").document
    assert (state["version"], state["files"]["count"], state["files"]["records"]) == (5, 2, 5)
    assert state["warnings"] == []


def test_one_step_a_line(run) -> None:
    result = run("demo", "-o", "ndjson")
    steps = [json.loads(line) for line in result.stdout.splitlines()]
    assert steps == [{"command": line, "exit": 0} for line in COMMANDS]


@pytest.mark.parametrize(
    ("folder", "shown"),
    [
        ("orders", "./orders"),
        ("./a/b", "./a/b"),
        ("../beside", "../beside"),
        ("with space", "'./with space'"),
        ("[bold]é", "'./[bold]é'"),
    ],
)
def test_a_folder_of_ones_own(run, folder: str, shown: str) -> None:
    result = run("demo", folder)
    assert result.exit_code == 0
    assert f"$ deltactl diff {shown} 0\n" in result.stdout
    assert (Path(folder) / "_delta_log").is_dir()


def test_a_name_in_the_settings_is_refused(run) -> None:
    Path("deltactl.toml").write_text('[tables]\norders = "/nowhere"\n"my lake" = "/nowhere"\n')
    result = run("demo", "orders")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: orders is a name in [tables], and the demo makes a table of its own [USAGE]\n"
        "hint: type ./orders for a folder of that name\n"
    )
    assert "hint: type './my lake' for" in run("demo", "my lake").stderr
    assert not Path("orders").exists()
    assert run("demo", "./orders").exit_code == 0


def test_a_cluster_may_not_see_the_folder(run, monkeypatch) -> None:
    monkeypatch.setenv("DELTACTL_MASTER", "spark://there:7077")
    document = run("demo", "-o", "json").document
    assert document["leftOut"]["why"] == (
        "the settings name spark://there:7077, which may not see this folder"
    )


@pytest.mark.parametrize("kind", ["folder", "file", "link to nowhere"])
def test_what_is_there_is_refused_and_left_alone(run, valid_document, kind: str) -> None:
    match kind:
        case "folder":
            DEMO.mkdir()
        case "file":
            DEMO.write_text("mine")
        case _:
            DEMO.symlink_to("nowhere")
    result = run("demo")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == (
        "error: ./deltactl-demo is there already; nothing was changed [FOLDER_EXISTS]\n"
        "hint: name another folder, as in `deltactl demo ./another`; if it comes from an earlier "
        "demo you can also remove it and run the demo again\n"
    )
    document = valid_document("demo", run("demo", "-o", "json").stdout)
    assert document["error"]["code"] == "FOLDER_EXISTS"
    assert [path.name for path in Path().iterdir()] == ["deltactl-demo"]
    assert not DEMO.is_dir() or not list(DEMO.iterdir())


@pytest.mark.parametrize(
    ("folder", "exit_code", "code"),
    [
        ("", 2, "NOT_A_FOLDER"),
        ("ftp://host/orders", 2, "NOT_A_FOLDER"),
        ("https://me:hush@host/orders?sig=hush", 2, "NOT_A_FOLDER"),
        ("s3://lake/orders?sig=hush", 2, "BAD_TABLE_PATH"),
        ("s3:/bucket/orders", 2, "NOT_A_FOLDER"),
        ("file:/tmp/orders", 2, "NOT_A_FOLDER"),
        ("s3://", 2, "BAD_TABLE_PATH"),
        ("gs:///orders", 2, "BAD_TABLE_PATH"),
        ("s3://bucket/a//orders", 2, "BAD_TABLE_PATH"),
        ("hdfs:///orders", 2, "BAD_TABLE_PATH"),
        ("/dev/null/orders", 8, "IO_FAILED"),
    ],
)
def test_what_is_no_folder(run, folder: str, exit_code: int, code: str) -> None:
    result = run("demo", folder)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert f"[{code}]" in result.stderr
    assert "hush" not in result.stderr
    assert not list(Path().iterdir())


def test_a_command_that_fails_ends_the_demo(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "deltactl.cli.commands.demo.LESSONS",
        (LESSONS[0], LESSONS[4]._replace(command="schema types TABLE nothing"), LESSONS[1]),
    )
    result = run("demo")
    assert result.exit_code == 3
    assert "[COLUMN_NOT_FOUND]" in result.stderr
    assert "$ deltactl history" not in result.stdout
    steps = json.loads(run("demo", "again", "-o", "json").stdout)["steps"]
    assert [step["exit"] for step in steps] == [0, 3]


@pytest.mark.parametrize(
    ("outcome", "exit_code", "said"),
    [
        ("exists", 8, "00000000000000000002.json: another program made it; the table ends before"),
        ("unknown", 7, "hint: look for it with: deltactl log cat ./deltactl-demo 2\n"),
    ],
)
def test_a_commit_that_was_not_won(
    run, monkeypatch, outcome: str, exit_code: int, said: str
) -> None:
    put = LocalStorage.put_if_absent

    def lost(self: LocalStorage, path: str, data: bytes) -> str:
        return outcome if path.endswith("2.json") else put(self, path, data)

    monkeypatch.setattr(LocalStorage, "put_if_absent", lost)
    result = run("demo")
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert said in result.stderr
    assert json.loads(run("show", str(DEMO), "-o", "json").stdout)["version"] == 1


def test_settings_of_the_demo_hold_for_its_commands(run, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[tuple[list[str], dict[str, Any]]] = []

    def main(args: list[str], flags: dict[str, Any], *, is_part: bool) -> int:
        assert is_part
        commands.append((args, flags))
        return 0

    monkeypatch.setattr(app, "main", main)
    assert run("demo", "--no-color", "-v").exit_code == 0
    assert commands[0] == (["show", "./deltactl-demo"], {"no-color": True, "verbose": True})
    flags = ["--no-progress", "--timeout", "2m", "--storage-option", "AWS_REGION=here"]
    spark = ["--master", "local[2]", "--jars", "jars", "--spark-conf", "a=b"]
    assert run(*flags, "demo", "-o", "json", "again", *spark).exit_code == 0
    assert commands[len(COMMANDS)] == (
        ["show", "./again"],
        {
            "no-progress": True,
            "timeout": 120.0,
            "storage-options": {"AWS_REGION": "here"},
            "output": "json",
            "master": "local[2]",
            "jars": "jars",
            "spark-conf": {"a": "b"},
        },
    )


def test_flags_of_the_demo_hold_in_its_commands(run) -> None:
    Path("deltactl.toml").write_text("[profiles.calm]\nquiet = true\n")
    assert "STREAMS_RESTART" not in run("demo", "--profile", "calm").stderr
    result = run("demo", "again", "--profile", "none")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "[PROFILE_UNKNOWN]" in result.stderr
    assert not Path("again").exists()


def test_every_commit_tells_what_was_done(commits) -> None:
    infos = [actions[0]["commitInfo"] for actions in commits]
    for version, info in enumerate(infos):
        assert info.pop("timestamp") > 1_700_000_000_000
        assert len(info.pop("txnId")) == 36
        assert info.pop("readVersion", None) == (version - 1 if version else None)
        assert info.pop("engineInfo") == f"deltactl/{__version__}"
        assert info.pop("isolationLevel") == "Serializable"
        assert info.pop("isBlindAppend") is False
    sizes = [str(actions[1]["add"]["size"]) for actions in commits if "add" in actions[1]]
    written = {"mode": "Append", "partitionBy": "[]"}
    column = '{"name":"amount","type":"long","nullable":true,"metadata":{"comment":"in cents"}}'
    assert infos == [
        {
            "operation": "CREATE TABLE",
            "operationParameters": {
                "partitionBy": "[]",
                "clusterBy": "[]",
                "description": "made by deltactl demo",
                "isManaged": "false",
                "properties": '{"delta.enableTypeWidening":"true"}',
            },
            "operationMetrics": {},
        },
        {
            "operation": "WRITE",
            "operationParameters": written,
            "operationMetrics": {
                "numFiles": "1",
                "numOutputRows": "3",
                "numOutputBytes": sizes[0],
            },
        },
        {
            "operation": "CHANGE COLUMN",
            "operationParameters": {"column": column},
            "operationMetrics": {},
        },
        {
            "operation": "WRITE",
            "operationParameters": written,
            "operationMetrics": {
                "numFiles": "1",
                "numOutputRows": "2",
                "numOutputBytes": sizes[1],
            },
        },
        {
            "operation": "ADD COLUMNS",
            "operationParameters": {"columns": f'[{{"column":{NOTE}}}]'},
            "operationMetrics": {},
        },
    ]


def test_what_the_table_declares(commits) -> None:
    kinds = [[next(iter(action)) for action in actions] for actions in commits]
    assert kinds == [
        ["commitInfo", "protocol", "metaData"],
        ["commitInfo", "add"],
        ["commitInfo", "metaData"],
        ["commitInfo", "add"],
        ["commitInfo", "metaData"],
    ]
    assert commits[0][1]["protocol"] == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["typeWidening"],
        "writerFeatures": ["typeWidening", "appendOnly", "invariants"],
    }
    declared = [commits[0][2]["metaData"], commits[2][1]["metaData"], commits[4][1]["metaData"]]
    assert [metadata.pop("schemaString") for metadata in declared] == [
        schema_string(ID, CUSTOMER, NARROW, ITEMS),
        schema_string(ID, CUSTOMER, WIDE, ITEMS),
        schema_string(ID, CUSTOMER, WIDE, ITEMS, NOTE),
    ]
    assert declared[0] == declared[1] == declared[2]
    assert len(declared[0].pop("id")) == 36
    assert declared[0].pop("createdTime") <= commits[0][0]["commitInfo"]["timestamp"]
    assert declared[0] == {
        "name": "orders",
        "description": "made by deltactl demo",
        "format": {"provider": "parquet", "options": {}},
        "partitionColumns": [],
        "configuration": {"delta.enableTypeWidening": "true"},
    }


def test_the_files_hold_what_their_statistics_say(commits) -> None:
    adds = [commits[1][1]["add"], commits[3][1]["add"]]
    for add in adds:
        file = DEMO / add["path"]
        assert add["size"] == file.stat().st_size
        assert add["modificationTime"] == file.stat().st_mtime_ns // 1_000_000
        assert (add["partitionValues"], add["dataChange"]) == ({}, True)
    assert [json.loads(add["stats"]) for add in adds] == [
        {
            "numRecords": 3,
            "minValues": {"id": 1, "customer": "Ada", "amount": 990},
            "maxValues": {"id": 3, "customer": "Grace", "amount": 48000},
            "nullCount": {"id": 0, "customer": 1, "amount": 0, "items": 1},
        },
        {
            "numRecords": 2,
            "minValues": {"id": 4, "customer": "Barbara", "amount": 1750},
            "maxValues": {"id": 5, "customer": "Edsger", "amount": 3200000000},
            "nullCount": {"id": 0, "customer": 0, "amount": 0, "items": 0},
        },
    ]
    early, late = (pq.read_table(DEMO / add["path"]) for add in adds)
    assert early.to_pylist() == [
        {"id": 1, "customer": "Ada", "amount": 1250, "items": [{"sku": "tea", "quantity": 5}]},
        {
            "id": 2,
            "customer": "Grace",
            "amount": 48000,
            "items": [{"sku": "kettle", "quantity": 1}],
        },
        {"id": 3, "customer": None, "amount": 990, "items": None},
    ]
    assert late["amount"].to_pylist() == [3200000000, 1750]
    assert [str(table.schema.field("amount").type) for table in (early, late)] == ["int32", "int64"]


REWRITE = "deltactl prune-type-changes ./deltactl-demo --rewrite --yes"
INSTALL = "deltactl spark install"


def test_jars_that_cannot_be_fetched_leave_the_end_out(run, monkeypatch, tmp_path) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    # Nobody can be asked: nothing is fetched.
    document = run("demo", "first", "-o", "json").document
    assert [step["command"] for step in document["steps"]][-1].startswith("deltactl verify")
    assert document["leftOut"]["hint"] == INSTALL
    monkeypatch.setenv("DELTACTL_MIRROR", "http://127.0.0.1:1")
    result = run("demo", "--yes")
    assert (result.exit_code, "[DOWNLOAD_FAILED]" in result.stderr) == (0, True)
    assert f"\n$ {INSTALL}\n" in result.stdout
    assert f"\n# {REWRITE}\n" in result.stdout
    assert "\n# Left out, for Spark does not run here: Delta's jar delta-spark_" in result.stdout


def test_jars_of_a_folder_that_was_named_are_not_fetched(run, monkeypatch, tmp_path) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    result = run("demo", "--yes", "--jars", "nowhere")
    assert (result.exit_code, f"$ {INSTALL}" in result.stdout) == (0, False)


@pytest.mark.parametrize(("typed", "fetches"), [(b"y\n", True), (b"\n", False)])
def test_the_demo_asks_whether_to_fetch_jars(
    run, monkeypatch, tmp_path, typed: bytes, fetches: bool
) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    monkeypatch.setenv("DELTACTL_MIRROR", "http://127.0.0.1:1")
    keyboard = io.TextIOWrapper(io.BytesIO(typed))
    monkeypatch.setattr(keyboard, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin", keyboard)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    result = run("demo", "--no-progress", "--no-color")
    assert "Fetch them from Maven Central? [y/N]" in result.stderr
    assert (result.exit_code, f"$ {INSTALL}" in result.stdout) == (0, fetches)
