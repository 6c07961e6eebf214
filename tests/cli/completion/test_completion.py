import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from deltactl.cli.app import main
from deltactl.cli.completion.complete import columns, features, properties, tables, types
from deltactl.cli.completion.shells import SHELLS, script
from deltactl.cli.global_options import Invocation
from deltactl.cli.reference import contexts

REPOSITORY = Path(__file__).parent.parent.parent.parent


@pytest.fixture
def completed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Return what fish would be offered for a line, of which the last word is not complete."""

    def complete(*words: str) -> list[str]:
        monkeypatch.setenv("_DELTACTL_COMPLETE", "fish_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["deltactl", *words[:-1], words[-1]]).strip())
        monkeypatch.setenv("COMP_CWORD", words[-1])
        assert main([]) in (0, 1)
        out, err = capsys.readouterr()
        assert err == ""
        return [line for line in out.splitlines() if line]

    return complete


@pytest.fixture
def lake() -> Path:
    """A folder with the tables `lake/events` and `lake/orders`, and with `lake/other`."""
    lake = Path.cwd() / "lake"
    for name in ("events/_delta_log", "orders/_delta_log", "other", ".hidden/_delta_log"):
        (lake / name).mkdir(parents=True)
    (lake / "o.txt").write_text("")
    return lake


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed_as_it_is(run, valid_document, shell: str) -> None:
    result = run("completion", shell)
    assert result.exit_code == 0
    assert result.stdout == script(shell).rstrip("\n") + "\n"
    assert f"_DELTACTL_COMPLETE={shell}_complete" in result.stdout
    assert result.stdout == (REPOSITORY / "completions" / f"deltactl.{shell}").read_text()
    document = valid_document("completion", run("completion", shell, "-o", "json").stdout)
    assert document["script"] == script(shell)


def test_bash_offers_folders_beside_other_completions() -> None:
    assert "compopt -o filenames" in script("bash")
    assert "compopt -o dirnames" not in script("bash")


def test_commands(completed) -> None:
    assert completed("expl") == [
        "plain,explain\tExplain the error or warning CODE, and what to do about it."
    ]
    assert completed("config", "s") == ["plain,show\tShow each setting, its value and its origin."]


def test_options(completed) -> None:
    assert completed("explain", "--out") == ["plain,--output\tHow to print the result."]
    assert completed("-o", "j") == ["plain,json"]


def test_codes(completed) -> None:
    assert completed("explain", "bug") == [
        "plain,BUG\tsomething happened that deltactl did not foresee"
    ]


def test_words_of_the_model() -> None:
    def offered(function, text: str) -> list[str]:
        return [item.value for item in function(None, None, text)]

    assert offered(types, "TIMESTAMP") == ["timestamp", "timestamp_ntz"]
    assert offered(types, "dec") == ["decimal("]
    assert "typeWidening" in offered(features, "typew")
    assert offered(properties, "delta.appendO") == ["delta.appendOnly"]


def test_tables(lake: Path) -> None:
    (lake.parent / "deltactl.toml").write_text('[tables]\norders = "s3://x/orders"\n')
    ctx = click.Context(click.Command("x"), obj=Invocation([]))

    def offered(text: str) -> list[tuple[str, str, str | None]]:
        items = tables(ctx, click.Argument(["table"]), text)
        return [(item.type, item.value, item.help) for item in items]

    assert offered("o") == [("plain", "orders", "s3://x/orders"), ("dir", "o", None)]
    assert offered("lake/o") == [("dir", "lake/o", None)]

    (lake.parent / "deltactl.toml").write_text("broken")
    ctx = click.Context(click.Command("x"), obj=Invocation([]))
    assert offered("o") == [("dir", "o", None)]


PLACES = {"TABLE", "[PREFIX]", "A", "[B]"}
TABLES = [
    pytest.param(ctx, param, id=f"{ctx.command_path} {param.name}")
    for ctx in contexts()
    for param in ctx.command.params
    if isinstance(param, click.Argument) and param.metavar in PLACES
]


@pytest.mark.parametrize(("ctx", "param"), TABLES)
def test_every_table_is_completed(ctx: click.Context, param: click.Argument) -> None:
    Path("deltactl.toml").write_text('[tables]\norders = { uri = "s3://me:x@b/orders" }\n')
    own = click.Context(ctx.command, obj=Invocation())
    offered = [(item.type, item.value, item.help) for item in param.shell_complete(own, "or")]
    assert offered == [("plain", "orders", "s3://b/orders"), ("dir", "or", None)]


def test_the_tables_are_found() -> None:
    assert len(TABLES) > 30
    named = {param.name for ctx in contexts() for param in ctx.command.params}
    assert {"table", "prefix"} <= named


@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("bash", "plain,Łódź 数\nplain,orders\ndir,\n"),
        ("zsh", "plain\nŁódź 数\n/x\nplain\norders\ns3://b/orders\ndir\n\n_\n"),
        ("fish", "plain,Łódź 数\t/x\nplain,orders\ts3://b/orders\ndir,\n"),
    ],
)
def test_names_in_each_shell(shell: str, expected: str, monkeypatch, capsys) -> None:
    Path("deltactl.toml").write_text('[tables]\n"Łódź 数" = "/x"\norders = "s3://b/orders"\n')
    monkeypatch.setenv("_DELTACTL_COMPLETE", f"{shell}_complete")
    monkeypatch.setenv("COMP_WORDS", "deltactl tables " if shell != "fish" else "deltactl tables")
    monkeypatch.setenv("COMP_CWORD", "2" if shell != "fish" else "")
    main([])
    assert capsys.readouterr().out == expected


@pytest.fixture
def events(lake: Path) -> str:
    """`lake/events` with the columns `id`, `a.b` and `items`."""
    log = lake / "events" / "_delta_log"
    schema = {
        "type": "struct",
        "fields": [
            {"name": "id", "type": "long", "nullable": True, "metadata": {}},
            {"name": "a.b", "type": "string", "nullable": True, "metadata": {}},
            {
                "name": "items",
                "type": {"type": "array", "elementType": "integer", "containsNull": True},
                "nullable": True,
                "metadata": {},
            },
        ],
    }
    metadata = {
        "id": "t",
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps(schema),
        "partitionColumns": [],
        "configuration": {},
    }
    protocol = {"minReaderVersion": 1, "minWriterVersion": 2}
    lines = [{"commitInfo": {}}, {"protocol": protocol}, {"metaData": metadata}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (log / "00000000000000000000.json").write_text(text)
    return "lake/events"


def test_columns(events: str) -> None:
    def offered(table: str, text: str) -> list[tuple[str, str | None]]:
        ctx = click.Context(click.Command("x"), obj=Invocation([]))
        ctx.params["table"] = table
        found = columns(ctx, click.Argument(["column"]), text)
        return [(item.value, item.help) for item in found]

    assert offered(events, "I") == [
        ("id", "long"),
        ("items", "array<int>"),
        ("items.element", "int"),
    ]
    assert offered(events, "`A") == offered(events, "A") == [("`a.b`", "string")]
    assert offered(events, "b") == []
    assert offered("lake/orders", "") == []
    assert offered("nowhere", "") == []


@pytest.mark.parametrize(
    "words",
    [["files", "lake/events", "--physical"], ["schema", "types", "lake/events"]],
    ids=" ".join,
)
def test_columns_of_a_table_on_the_line(completed, events, words) -> None:
    assert completed(*words, "it") == ["plain,items\tarray<int>", "plain,items.element\tint"]
    assert completed(*words, "a") == ["plain,`a.b`\tstring"]


def test_columns_and_the_types_that_they_can_have(completed, events) -> None:
    assert completed("widen", events, "it") == ["plain,items.element\tint"]
    legal = ["plain,long\tlong", "plain,double\tdouble"]
    decimal = ["plain,decimal(10,0)\tdecimal(p,s) with p - s >= 10"]
    assert completed("widen", events, "items.element", "") == legal + decimal
    assert completed("widen", events, "items.element", "d") == legal[1:] + decimal
    assert completed("widen", events, "items.element", "long", "i")[0] == "plain,id\tlong"
    assert completed("widen", events, "nothing", "") == []


def test_a_failure_offers_nothing(completed, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise RuntimeError("x")

    monkeypatch.setattr("deltactl.cli.command_tree.Folder.list_commands", fails)
    assert completed("s") == []


@pytest.mark.parametrize("words", [["zzz", "x"], ["explain", "--zzz", "x"], ["config", "x", "y"]])
def test_nonsense_offers_nothing(completed, words: list[str]) -> None:
    assert completed(*words) == []


def test_columns_that_have_names(completed, events) -> None:
    assert completed("column", "drop", events, "") == [
        "plain,id\tlong",
        "plain,`a.b`\tstring",
        "plain,items\tarray<int>",
    ]
    assert completed("column", "drop", events, "id", "i") == ["plain,items\tarray<int>"]
    assert completed("column", "rename", events, "items.") == []
    assert completed("column", "add", events, "x", "int", "--after", "i") == [
        "plain,id\tlong",
        "plain,items\tarray<int>",
    ]


def test_properties_and_their_values(completed, events) -> None:
    words = ("property", "set", events)
    [found] = completed(*words, "delta.appendO")
    assert found.startswith("plain,delta.appendOnly=\t")
    assert completed(*words, "delta.appendOnly=true", "delta.appendO") == []
    assert completed(*words, "delta.APPENDonly=t") == ["plain,delta.APPENDonly=true"]
    assert completed(*words, "delta.columnMapping.mode=n") == [
        "plain,delta.columnMapping.mode=none",
        "plain,delta.columnMapping.mode=name",
    ]
    assert completed(*words, "owner=") == []


def test_what_the_table_has(completed, golden) -> None:
    table = golden("check_constraints_invariants")
    assert completed("constraint", "drop", table, "") == ["plain,positive\tv > 0"]
    assert completed("property", "unset", table, "delta.con") == []

    def names(*words: str) -> list[str]:
        return [line.removeprefix("plain,").split("\t")[0] for line in completed(*words)]

    assert "checkConstraints" in names("protocol", "drop", table, "")
    assert "checkConstraints" not in names("protocol", "enable", table, "")
    assert "columnMapping" in names("protocol", "enable", table, "")
    assert "columnMapping" not in names("protocol", "enable", table, "columnMapping", "")
    assert names("schema", "check", table, "--mode", "m") == ["mergeSchema"]


def test_versions(completed, golden) -> None:
    table = golden("many_ops_history")
    assert completed("show", table, "--at", "16") == ["plain,16\t2026-01-02 03:16:00.000Z"]

    def values(*words: str) -> list[str]:
        return [line.removeprefix("plain,").split("\t")[0] for line in completed(*words)]

    assert values("schema", "show", table, "--at", "1") == [*map(str, range(16, 9, -1)), "1"]
    assert values("schema", table, "--at", "7") == ["7"]
    assert values("history", table, "--from", "9") == ["9"]
    assert values("diff", table, "")[:2] == ["16", "15"]
    assert values("diff", table, "3", "12") == ["12", "dir,12"]
    assert values("widen", table, "id", "long", "--expect-version", "") == ["16"]
    assert values("log", "cat", table, "16") == ["16"]
    assert values("log", "cat", table, "_last_c") == ["_last_checkpoint"]
    assert "00000000000000000016.json" in values("log", "cat", table, "000000000000000000")
    assert values("show", "nowhere", "--at", "") == []


def test_versions_that_cannot_be_read_are_not_offered(completed, golden) -> None:
    table = golden("inv_multipart_part_missing")
    assert completed("show", table, "--at", "") == []


def test_operations(completed, golden) -> None:
    table = golden("many_ops_history")
    offered = [line.split(",", 1)[1] for line in completed("history", table, "--operation", "")]
    assert {"MERGE", "WRITE"} <= {*offered}
    assert len(offered) == len({*offered})
    assert completed("history", table, "--operation", "mer") == ["plain,MERGE"]


def test_names_of_before_are_not_offered(completed, golden) -> None:
    table = golden("crc_good")
    assert completed("widen", table, "id", "long", "--tx") == []
    assert completed("widen", table, "id", "long", "--if") == []
    assert completed("property", "set", table, "--ena") == []
    assert completed("table", "ren") == []


def test_aliases_are_offered_once(completed) -> None:
    def values(*words: str) -> list[str]:
        return [line.removeprefix("plain,").split("\t")[0] for line in completed(*words)]

    assert values("ver") == ["verify-checksum"]
    assert values("desc") == ["describe"]
    assert values("help", "schema", "d") == ["diff"]
    assert values("help", "ex") == ["explain", "exit-codes"]
    assert values("property", "get", "nowhere", "delta.appendO") == ["delta.appendOnly"]


@pytest.mark.parametrize("shell", SHELLS)
def test_no_shell_offers_the_folder_of_a_log(shell: str) -> None:
    assert "_delta_log" in script(shell)


def test_profiles(completed) -> None:
    Path("deltactl.toml").write_text("[profiles.prod]\n[profiles.ci]\n[profiles.preview]\n")
    where = Path.cwd() / "deltactl.toml"
    offered = [f"plain,preview\t{where}", f"plain,prod\t{where}"]
    assert completed("tables", "--profile", "p") == offered
    assert completed("--profile", "pro") == offered[1:]
    assert completed("--profile", "ci", "show", "--profile=pre") == offered[:1]
    Path("deltactl.toml").write_text("broken")
    assert completed("tables", "--profile", "p") == []


def test_names_of_storage_options(completed) -> None:
    assert completed("show", "--storage-option", "AWS_RE") == [
        "plain,AWS_REGION=\tS3",
        "plain,AWS_REQUEST_PAYER=\tS3",
    ]
    given = ("--storage-option", "AWS_REGION=x")
    assert completed("show", *given, "--storage-option", "hdfs_h") == [
        "plain,HDFS_HTTP_ADDRESS=\tHDFS"
    ]
    assert completed("show", "--storage-option", "AWS_REGION=") == []


@pytest.mark.parametrize("option", ["--profile", "--storage-option"])
def test_options_of_every_command_open_no_table(option: str) -> None:
    heavy = ("deltactl.table", "deltactl.cli.completion.complete", "obstore", "pyarrow", "rich")
    child = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; from deltactl.cli.app import main; main([]);"
            f"print([n for n in {heavy} if n in sys.modules])",
        ],
        env={
            **os.environ,
            "_DELTACTL_COMPLETE": "bash_complete",
            "COMP_WORDS": f"deltactl config show {option} ",
            "COMP_CWORD": "4",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert child.stdout.endswith("[]\n")


def test_names_that_a_terminal_would_obey_are_not_offered(completed) -> None:
    Path("deltactl.toml").write_text(
        '[tables]\n"o\\u001b[2J" = "/x"\n"o\\nplain,x" = "/x"\norders = "/a\\u001b]0;x\\u0007"\n'
        '[profiles."p\\u001b[2J"]\n[profiles.prod]\n'
    )
    assert completed("show", "o") == ["plain,orders\t/a\\x1b]0;x\\x07", "dir,o"]
    assert completed("show", "--profile", "p") == [f"plain,prod\t{Path.cwd()}/deltactl.toml"]
