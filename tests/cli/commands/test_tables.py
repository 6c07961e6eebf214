"""`deltactl tables PREFIX`: what is found below a folder."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lakes import table
from small_tables import metadata, write_log


def found(run, *args: str) -> list[tuple[str, int | None, int | None, int | None]]:
    """The name, version, files and bytes of each table that is found."""
    document = run("tables", *args, "-o", "json").document
    return [(t["name"], t["version"], t["files"], t["bytes"]) for t in document["tables"]]


def names(run, *args: str) -> list[str]:
    return [name for name, *_ in found(run, *args)]


def test_tables_below_a_folder(run, valid_document) -> None:
    table("lake/eu/orders", 1000, 24)
    table("lake/events")
    table("lake/Łódź 数/[bold]täble", 5)
    result = run("tables", "lake")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "VERSION  FILES     SIZE  PATH\n"
        "      2      2  1.0 KiB  lake/eu/orders\n"
        "      0      0      0 B  lake/events\n"
        "      1      1      5 B  lake/Łódź 数/[bold]täble\n"
    )
    document = valid_document("tables", run("tables", "lake/", "-o", "json").stdout)
    assert document["prefix"] == str(Path.cwd() / "lake")
    assert document["tables"][0] == {
        "name": "eu/orders",
        "uri": str(Path.cwd() / "lake/eu/orders"),
        "profile": None,
        "version": 2,
        "files": 2,
        "bytes": 1024,
        "error": None,
    }
    lines = run("tables", "lake", "-o", "ndjson").stdout.splitlines()
    assert [json.loads(line) for line in lines] == document["tables"]


def test_what_is_typed_for_a_table_that_was_found(run) -> None:
    table("my lake/a%20b/t", 1)
    at = Path.cwd() / "my lake/a%20b"
    for typed, shown in [
        ("my lake", "my lake/a%20b/t"),
        (".", "./my lake/a%20b/t"),
        (at.as_uri(), f"{at}/t"),
        ("my lake/a%20b/t", "my lake/a%20b/t"),
    ]:
        last = run("tables", typed).stdout.splitlines()[-1]
        assert last == f"      1      1   1 B  {shown}"
        assert run("show", shown).exit_code == 0


def test_a_table_is_not_searched(run) -> None:
    table("lake/outer", 1)
    table("lake/outer/inner", 1)
    assert found(run, "lake") == [("outer", 1, 1, 1)]
    assert found(run, "lake/outer") == [(".", 1, 1, 1)]
    assert found(run, "lake/outer/inner") == [(".", 1, 1, 1)]


def test_folders_that_are_not_searched(run) -> None:
    for name in ("lake/.hidden/t", "lake/_spark_metadata/t", "lake/.t", "lake/seen"):
        table(name)
    Path("lake/file").write_text("")
    Path("lake/_delta_log.txt").write_text("")
    assert names(run, "lake") == ["seen"]
    assert names(run, "lake/.hidden") == ["t"]


def test_depth(run) -> None:
    for name in ("t0", "1/t1", "1/2/t2", "1/2/3/4/t4", "1/2/3/4/5/t5"):
        table(f"lake/{name}")
    assert names(run, "lake", "--depth", "0") == []
    assert names(run, "lake", "--depth", "1") == ["t0"]
    assert names(run, "lake", "--depth", "2") == ["1/t1", "t0"]
    assert names(run, "lake") == ["1/2/3/4/t4", "1/2/t2", "1/t1", "t0"]
    assert names(run, "lake", "--depth", "6")[0] == "1/2/3/4/5/t5"
    result = run("tables", "lake")
    assert result.stderr == (
        "warning: 1 folder lies deeper than --depth 5, and deltactl did not look there"
        " [DEPTH_REACHED]\n"
    )
    assert run("tables", "lake", "--depth", "6").stderr == ""
    assert run("tables", "lake", "--depth", "-1").exit_code == 2


def test_links(run) -> None:
    table("lake/eu/t", 1)
    table("other/t", 1)
    for place, target in [
        ("lake/eu/up", ".."),
        ("lake/eu/here", "."),
        ("lake/eu/root", "/"),
        ("lake/self", "self"),
        ("lake/nowhere", "nothing"),
        ("lake/other", "../other"),
        ("other/back", "../lake/eu"),
        ("lake/linked_table", "eu/t"),
    ]:
        Path(place).symlink_to(target)
    # From `other` a link leads on to `eu`, which is not on the way; from there none leads on.
    assert names(run, "lake", "--depth", "30") == [
        "eu/t", "linked_table", "other/back/t", "other/t",
    ]  # fmt: skip


def test_two_links_that_lead_to_each_other(run) -> None:
    table("lake/a/t", 1)
    table("lake/b/t", 1)
    Path("lake/a/to_b").symlink_to("../b")
    Path("lake/b/to_a").symlink_to("../a")
    assert names(run, "lake", "--depth", "30") == ["a/t", "a/to_b/t", "b/t", "b/to_a/t"]


def test_tables_that_cannot_be_opened_are_lines(run, valid_document) -> None:
    table("lake/good", 7)
    Path("lake/empty/_delta_log").mkdir(parents=True)
    gap = table("lake/gap", 1, 2, 3)
    (gap / "_delta_log/00000000000000000002.json").unlink()
    torn = table("lake/torn", 1)
    (torn / "_delta_log/00000000000000000001.json").write_text('{"add":{"pa')
    newer = Path("lake/newer")
    newer.mkdir()
    demanding = {"protocol": {"minReaderVersion": 9, "minWriterVersion": 9}}
    write_log(newer, [[demanding, metadata()]])
    result = run("tables", "lake")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["VERSION", "FILES", "SIZE", "PROBLEM", "PATH"],
        ["-", "-", "-", "NOT_A_TABLE", "lake/empty"],
        ["-", "-", "-", "VERSIONS_NOT_CONTIGUOUS", "lake/gap"],
        ["1", "1", "7", "B", "-", "lake/good"],
        ["-", "-", "-", "UNSUPPORTED_PROTOCOL_VERSION", "lake/newer"],
        ["-", "-", "-", "COMMIT_NOT_JSON", "lake/torn"],
    ]
    assert result.stderr.splitlines()[0] == (
        f"warning: lake/empty: {Path.cwd()}/lake/empty is not a Delta table: its _delta_log holds"
        " no commit and no checkpoint [NOT_A_TABLE]"
    )
    there = run("tables", str(Path.cwd() / "lake")).stderr.splitlines()
    assert there[0] == result.stderr.splitlines()[0].replace("lake/empty: ", "", 1)
    assert there[1].startswith(f"warning: {Path.cwd()}/lake/gap: ")
    document = valid_document("tables", run("tables", "lake", "-o", "json").stdout)
    assert [t["error"] and t["error"]["code"] for t in document["tables"]] == [
        "NOT_A_TABLE",
        "VERSIONS_NOT_CONTIGUOUS",
        None,
        "UNSUPPORTED_PROTOCOL_VERSION",
        "COMMIT_NOT_JSON",
    ]
    assert document["tables"][0]["version"] is None


@pytest.mark.parametrize("checksum", [b'{"tableSizeBytes":77,"numFiles":3}', b"{", b"{}", b"[]"])
def test_a_checksum_says_the_size(run, checksum: bytes) -> None:
    root = table("lake/t", 10)
    (root / "_delta_log/00000000000000000001.crc").write_bytes(checksum)
    expected = (3, 77) if b"77" in checksum else (1, 10)
    assert found(run, "lake") == [("t", 1, *expected)]


def test_the_files_of_a_large_log_are_not_counted(run) -> None:
    root = table("lake/t", 10)
    commit = root / "_delta_log/00000000000000000001.json"
    commit.write_text(commit.read_text() + f'{{"commitInfo":{{"x":"{"x" * (8 << 20)}"}}}}\n')
    assert found(run, "lake") == [("t", 1, None, None)]
    assert run("tables", "lake").stdout.splitlines()[-1] == "      1      -     -  lake/t"


def test_no_tables(run) -> None:
    Path("lake").mkdir()
    result = run("tables", "lake")
    assert result.exit_code == 0
    assert (result.stdout, result.stderr) == (f"No Delta table in {Path.cwd()}/lake.\n", "")
    assert run("tables", "lake", "-o", "ndjson").stdout == ""


@pytest.mark.parametrize(
    ("typed", "message", "hint"),
    [
        ("lakes", "no folder at lakes: HERE/lakes does not exist", "did you mean HERE/lake?"),
        ("file", "no folder at file: HERE/file is a file", "name the folder that it lies in"),
        ("file/x", "no folder at file/x: HERE/file/x does not exist", "did you mean HERE/file?"),
    ],
)
def test_a_folder_that_is_not_there(run, typed: str, message: str, hint: str) -> None:
    Path("lake").mkdir()
    Path("file").write_text("")
    result = run("tables", typed)
    assert (result.exit_code, result.stdout) == (3, "")
    error, advice = result.stderr.replace(str(Path.cwd()), "HERE").splitlines()
    assert error == f"error: {message} [FOLDER_NOT_FOUND]"
    assert hint in advice


def test_slashes_at_the_end(run) -> None:
    table("lake/t", 1)
    assert run("tables", "lake///").stdout.splitlines()[1:] == ["      1      1   1 B  lake/t"]


def test_a_url_that_lacks_slashes(run) -> None:
    result = run("tables", "s3:lake/sales")
    assert result.exit_code == 2
    assert result.stderr == (
        "error: s3:lake/sales is neither a path that exists nor a URL, which has two slashes "
        "[BAD_TABLE_PATH]\nhint: did you mean s3://lake/sales?\n"
    )
    table("s3:/lake/sales/t", 1)
    assert run("tables", "s3:/lake/sales").stdout.splitlines()[1:] == [
        "      1      1   1 B  s3:/lake/sales/t"
    ]


def test_wrong_usage(run) -> None:
    result = run("tables", "--depth", "3")
    assert result.exit_code == 2
    assert result.stderr == "error: --depth goes with PREFIX, the folder to search [USAGE]\n"
    assert run("tables", "").exit_code == 2


def test_a_folder_that_may_not_be_read(run, monkeypatch) -> None:
    table("lake/closed/t", 1)
    table("lake/open", 1)
    scandir = os.scandir

    def refusing(path: str) -> object:
        if path.rstrip("/").endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    result = run("tables", "lake")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[1:] == ["      1      1   1 B  lake/open"]
    assert result.stderr == (
        f"warning: not searched: no permission for {Path.cwd()}/lake/closed [PERMISSION_DENIED]\n"
    )
    assert run("tables", "lake/closed").exit_code == 8


def test_on_a_terminal(on_terminal, monkeypatch) -> None:
    table("lake/eu/orders", 1000, 24)
    assert on_terminal("tables", "lake") == [
        "VERSION  FILES     SIZE  PATH",
        "      2      2  1.0 KiB  lake/eu/orders",
    ]


def test_a_long_path_stands_below_its_row(on_terminal) -> None:
    name = "x" * 70
    table(f"lake/{name}", 1)
    assert on_terminal("tables", "lake") == [
        "VERSION  FILES  SIZE",
        "      1      1   1 B",
        f"         PATH  lake/{name}",
    ]


WAITING = """
import sys
import time
from deltactl.cli.app import main
from deltactl.storage.local.local import LocalStorage

def read(*args):
    print("reading", flush=True)
    time.sleep(60)

LocalStorage.read = read
sys.exit(main(["tables", "lake"]))
"""


def test_ctrl_c_does_not_wait_for_a_store() -> None:
    table("lake/t", 1)
    child = subprocess.Popen(
        [sys.executable, "-c", WAITING],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "reading\n"
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert time.monotonic() - begun < 10
    assert (child.returncode, out, err) == (130, "", "error: interrupted [INTERRUPTED]\n")
