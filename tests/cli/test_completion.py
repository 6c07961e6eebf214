import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from deltactl.cli.app import main
from deltactl.cli.complete import columns, features, properties, tables, types
from deltactl.cli.flags import Invocation
from deltactl.cli.shells import SHELLS, script

REPOSITORY = Path(__file__).parent.parent.parent


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
def lake(tmp_path: Path) -> Path:
    """A folder with the tables `lake/events` and `lake/orders`, and with `lake/other`."""
    lake = tmp_path / "work" / "lake"
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
        "plain,explain\tExplain the CODE of an error or a warning, and what to do about it."
    ]
    assert completed("config", "s") == [
        "plain,show\tShow each setting, its value, and where it came from."
    ]


def test_options(completed) -> None:
    assert completed("explain", "--out") == ["plain,--output\tHow to print the result."]
    assert completed("-o", "j") == ["plain,json"]


def test_codes(completed) -> None:
    assert completed("explain", "bu") == [
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
    assert completed("widen", events, "it") == [
        "plain,items\tarray<int>",
        "plain,items.element\tint",
    ]
    legal = ["plain,long\tlong", "plain,double\tdouble"]
    decimal = ["plain,decimal(10,0)\tdecimal(p,s) with p - s >= 10"]
    assert completed("widen", events, "items.element", "") == legal + decimal
    assert completed("widen", events, "items.element", "d") == legal[1:] + decimal
    assert completed("widen", events, "items.element", "long", "i")[0] == "plain,id\tlong"
    assert completed("widen", events, "nothing", "") == []


def test_a_failure_offers_nothing(completed, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*args: object) -> None:
        raise RuntimeError("x")

    monkeypatch.setattr("deltactl.cli.folder.Folder.list_commands", fails)
    assert completed("s") == []


@pytest.mark.parametrize("words", [["zzz", "x"], ["explain", "--zzz", "x"], ["config", "x", "y"]])
def test_nonsense_offers_nothing(completed, words: list[str]) -> None:
    assert completed(*words) == []


def test_bash_itself(lake: Path, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "deltactl"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m deltactl "$@"\n')
    program.chmod(0o755)
    lines = f"""
        source {REPOSITORY}/completions/deltactl.bash
        compopt() {{ :; }}
        COMP_WORDS=(deltactl conf) COMP_CWORD=1; _deltactl_completion deltactl
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", lines],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(REPOSITORY),
        },
    )
    assert (done.stdout, done.stderr) == ("config\n", "")
