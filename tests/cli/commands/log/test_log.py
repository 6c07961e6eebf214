import json
from pathlib import Path

import pytest

COMPACTED = """\
KIND        VERSION     SIZE  MODIFIED                  FILE
checksum          0  1.9 KiB  2026-01-02 03:00:00.000Z  00000000000000000000.crc
commit            0    787 B  2026-01-02 03:00:00.000Z  00000000000000000000.json
compaction        4    798 B  2026-01-02 03:01:00.000Z  00000000000000000001.00000000000000000004.compacted.json
checksum          1  2.2 KiB  2026-01-02 03:01:00.000Z  00000000000000000001.crc
commit            1    666 B  2026-01-02 03:01:00.000Z  00000000000000000001.json
checksum          2  2.5 KiB  2026-01-02 03:02:00.000Z  00000000000000000002.crc
commit            2    666 B  2026-01-02 03:02:00.000Z  00000000000000000002.json
checksum          3  2.8 KiB  2026-01-02 03:03:00.000Z  00000000000000000003.crc
commit            3    666 B  2026-01-02 03:03:00.000Z  00000000000000000003.json
checksum          4  2.5 KiB  2026-01-02 03:04:00.000Z  00000000000000000004.crc
commit            4    828 B  2026-01-02 03:04:00.000Z  00000000000000000004.json
checksum          5  2.8 KiB  2026-01-02 03:05:00.000Z  00000000000000000005.crc
commit            5    666 B  2026-01-02 03:05:00.000Z  00000000000000000005.json

13 files, 19.7 KiB; newest version 5, oldest that can be rebuilt 0
"""  # noqa: E501
MULTIPART = """\
KIND        VERSION      SIZE  MODIFIED                  FILE
checkpoint        3  19.2 KiB  2026-01-02 03:03:00.000Z  00000000000000000003.checkpoint.0000000001.0000000003.parquet
checkpoint        3  18.3 KiB  2026-01-02 03:03:00.000Z  00000000000000000003.checkpoint.0000000003.0000000003.parquet
commit            4     661 B  2026-01-02 03:04:00.000Z  00000000000000000004.json
hint              -   5.4 KiB  2026-01-02 03:00:00.000Z  _last_checkpoint

4 files, 43.5 KiB; newest version 4, oldest that can be rebuilt none
"""  # noqa: E501


@pytest.mark.parametrize("command", [["log"], ["log", "list"]], ids=" ".join)
def test_the_files(run, golden, command) -> None:
    result = run(*command, golden("log_compaction"))
    assert (result.exit_code, result.stdout, result.stderr) == (0, COMPACTED, "")


def test_a_terminal_shows_names_that_can_be_copied(on_terminal, golden) -> None:
    lines = on_terminal("log", golden("v2_checkpoint_parquet_sidecars"))
    log = Path("v2_checkpoint_parquet_sidecars", "_delta_log")
    names = {file.relative_to(log).as_posix() for file in log.rglob("*") if file.is_file()}
    assert names <= {word for line in lines for word in line.split()}


def kinds(run, table: str) -> dict[str, int]:
    result = run("log", table, "-o", "ndjson")
    assert result.exit_code == 0
    found: dict[str, int] = {}
    for line in result.stdout.splitlines():
        kind = json.loads(line)["kind"]
        found[kind] = found.get(kind, 0) + 1
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "tw_kitchen_sink",
            {"checksum": 9, "commit": 10, "v2 checkpoint": 2, "last-checkpoint": 1, "sidecar": 2},
        ),
        (
            "many_ops_history",
            {
                "checksum": 16,
                "commit": 17,
                "classic checkpoint": 1,
                "last-checkpoint": 1,
                "other": 1,
            },
        ),
        (
            "inv_multipart_part_missing",
            {"multipart checkpoint": 2, "commit": 1, "last-checkpoint": 1},
        ),
        ("log_compaction", {"checksum": 6, "commit": 6, "compaction": 1}),
    ],
)
def test_kinds(run, golden, name, expected) -> None:
    assert kinds(run, golden(name)) == expected


def test_what_does_not_belong_there(run, golden) -> None:
    log = Path(golden("crc_good"), "_delta_log")
    (log / "1.json").write_text("{}\n")
    (log / ".00000000000000000001.json.crc").write_text("x")
    (log / ".0001.json.abc.tmp").write_text("x")
    (log / "_staged_commits").mkdir()
    staged = "_staged_commits/00000000000000000005.6a9feea9-1370-45d9-b0f5-5043f2f404e8.json"
    (log / staged).write_text("{}\n")
    found = kinds(run, "crc_good")
    assert found == {
        "checksum": 5,
        "commit": 5,
        "stray-commit": 1,
        "hadoop-checksum": 1,
        "temporary": 1,
        "staged-commit": 1,
    }
    lines = run("log", "crc_good").stdout.splitlines()
    assert [line.split()[:2] for line in lines if "_staged_commits" in line] == [
        ["staged", "commit"]
    ]


def test_a_log_that_is_damaged(run, golden) -> None:
    result = run("log", golden("inv_multipart_part_missing"))
    assert (result.exit_code, result.stdout) == (0, MULTIPART)
    assert result.stderr == (
        "warning: the table cannot be read: "
        "00000000000000000003.checkpoint.0000000002.0000000003.parquet is missing, so its set is "
        "ignored, and the commits below are gone [SNAPSHOT_UNREADABLE]\n"
    )
    document = run("log", "inv_multipart_part_missing", "-o", "json").document
    assert (document["newestVersion"], document["oldestRecreatableVersion"]) == (4, None)


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        (
            ["inv_not_a_table"],
            3,
            "error: inv_not_a_table is not a Delta table [NOT_A_TABLE]\n"
            "hint: it has no folder _delta_log\n",
        ),
        (
            ["inv_not_a_table", "extra"],
            2,
            "error: got unexpected extra argument (extra) [USAGE]\n"
            "hint: see deltactl log list --help\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("inv_not_a_table")
    result = run("log", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)


def test_no_table_shows_the_help(run) -> None:
    result = run("log")
    assert (result.exit_code, result.stdout) == (2, "")
