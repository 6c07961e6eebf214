import json
from pathlib import Path

import pytest

COMMIT = """\
{"commitInfo":{"timestamp":1795241759926,"operation":"WRITE","operationParameters":\
{"mode":"Append","partitionBy":"[]"},"readVersion":0,"isolationLevel":"Serializable",\
"isBlindAppend":true,"operationMetrics":{"numFiles":"1","numOutputRows":"1",\
"numOutputBytes":"673"},"engineInfo":"Apache-Spark/4.2.0 Delta-Lake/4.4.0",\
"txnId":"7b8e983f-9cfe-4db4-ab3b-a6e979085294"}}
{"add":{"path":"part-00000-0a3f654b-47ce-4a9f-9f28-bc7e979cff19-c000.snappy.parquet",\
"partitionValues":{},"size":673,"modificationTime":1795241759913,"dataChange":true,\
"stats":"{\\"numRecords\\":1,\\"minValues\\":{\\"id\\":1,\\"v\\":1},\\"maxValues\\":{\\"id\\":1,\
\\"v\\":1},\\"nullCount\\":{\\"id\\":0,\\"v\\":0}}"}}
"""
SIDECAR = (
    "_sidecars/00000000000000000005.checkpoint.0000000001.0000000001."
    "77560260-0bbe-4480-8d19-f8de60e03abb.parquet"
)
MANIFEST = "00000000000000000005.checkpoint.4dc8230e-80b6-486d-b352-bb8807bded58.json"


def actions(run, table: str, file: str) -> list[dict[str, object]]:
    result = run("log", "cat", table, file, "-o", "ndjson")
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line) for line in result.stdout.splitlines()]


def kinds(run, table: str, file: str) -> list[str]:
    """What each action is, or the names of a file that has none."""
    return [kind for action in actions(run, table, file) for kind in action]


@pytest.mark.parametrize("file", ["1", "00000000000000000001", "00000000000000000001.json"])
def test_a_commit(run, golden, file) -> None:
    result = run("log", "cat", golden("log_compaction"), file)
    assert (result.exit_code, result.stdout, result.stderr) == (0, COMMIT, "")


def test_a_commit_by_its_distance_from_the_newest(run, golden) -> None:
    table = golden("many_ops_history")
    whole = run("log", "cat", table, "15").stdout
    assert '"operation":"TRUNCATE"' in whole
    for typed in ("-1", "@prev"):
        assert run("log", "cat", table, typed).stdout == whole
    result = run("log", "cat", table, "-17")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "there are no 17 versions before the newest, 16 [VERSION_NOT_FOUND]" in result.stderr


def test_the_document(run, golden, valid_document) -> None:
    stdout = run("log", "cat", golden("log_compaction"), "1", "-o", "json").stdout
    document = valid_document("log cat", stdout)
    assert (document["file"], document["size"]) == ("00000000000000000001.json", 666)
    assert [list(action) for action in document["actions"]] == [["commitInfo"], ["add"]]


def test_a_checkpoint(run, golden) -> None:
    table = golden("many_ops_history")
    file = "00000000000000000010.checkpoint.parquet"
    assert kinds(run, table, file) == ["protocol", "metaData", "add", *["remove"] * 4]
    assert actions(run, table, file)[0] == {
        "protocol": {"minReaderVersion": 1, "minWriterVersion": 2}
    }


def test_a_v2_checkpoint_and_its_sidecar(run, golden) -> None:
    table = golden("tw_kitchen_sink")
    assert sorted(kinds(run, table, MANIFEST)) == [
        "checkpointMetadata", "domainMetadata", "metaData", "protocol", "sidecar",
    ]  # fmt: skip
    assert kinds(run, table, SIDECAR) == ["add", "add", "remove"]


def test_files_without_actions(run, golden) -> None:
    table = golden("log_compaction")
    assert "tableSizeBytes" in kinds(run, table, "00000000000000000001.crc")
    compacted = "00000000000000000001.00000000000000000004.compacted.json"
    assert kinds(run, table, compacted) == ["add", "remove", "add"]
    (hint,) = actions(run, golden("many_ops_history"), "_last_checkpoint")
    assert (hint["version"], hint["size"]) == (10, 7)


def test_a_staged_commit(run, golden) -> None:
    staged = "_staged_commits/00000000000000000005.6a9feea9-1370-45d9-b0f5-5043f2f404e8.json"
    path = Path(golden("crc_good"), "_delta_log", staged)
    path.parent.mkdir()
    path.write_text('{"txn":{"appId":"a","version":1}}\n')
    assert actions(run, "crc_good", staged) == [{"txn": {"appId": "a", "version": 1}}]


def test_a_line_that_is_not_json(run, golden) -> None:
    result = run("log", "cat", golden("inv_corrupt_json"), "2", "-o", "ndjson")
    assert result.exit_code == 0
    first, second = map(json.loads, result.stdout.splitlines())
    assert list(first) == ["commitInfo"]
    assert second["line"] == 2
    assert second["text"].startswith('{"add":{"path":"part-00000-73eec588-')
    assert result.stderr.endswith(" [COMMIT_NOT_JSON]\n")


def test_a_checkpoint_that_is_no_parquet(run, golden) -> None:
    file = "00000000000000000010.checkpoint.parquet"
    Path(golden("many_ops_history"), "_delta_log", file).write_bytes(b"none")
    result = run("log", "cat", "many_ops_history", file)
    assert (result.exit_code, result.stdout) == (5, "")


def test_escapes_are_not_obeyed(run, golden) -> None:
    commit = Path(golden("crc_good"), "_delta_log", "00000000000000000005.json")
    commit.write_text('{"commitInfo":{"operation":"\\u001b[31mred\\u202e"}}\n')
    shown = run("log", "cat", "crc_good", "5").stdout
    assert shown == '{"commitInfo":{"operation":"\\u001b[31mred\\u202e"}}\n'


LISTS = "hint: deltactl log log_compaction lists them\n"


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        ([], 2, "error: missing argument 'TABLE' [USAGE]\nhint: see deltactl log cat --help\n"),
        (
            ["log_compaction"],
            2,
            "error: missing argument 'VERSION|FILE' [USAGE]\nhint: see deltactl log cat --help\n",
        ),
        (
            ["log_compaction", "99"],
            3,
            "error: the log has no 00000000000000000099.json [LOG_FILE_NOT_FOUND]\n"
            "hint: its oldest commit is 0, its newest 5\n",
        ),
        (
            ["log_compaction", "nope"],
            3,
            f"error: the log has no nope [LOG_FILE_NOT_FOUND]\n{LISTS}",
        ),
        (
            ["log_compaction", "_last_checkpoin"],
            3,
            f"error: the log has no _last_checkpoin [LOG_FILE_NOT_FOUND]\n{LISTS}",
        ),
        (
            ["log_compaction", "../log_compaction"],
            3,
            f"error: the log has no ../log_compaction [LOG_FILE_NOT_FOUND]\n{LISTS}",
        ),
        (
            ["log_compaction", "_sidecars/../00000000000000000001.json"],
            3,
            "error: the log has no _sidecars/../00000000000000000001.json [LOG_FILE_NOT_FOUND]\n"
            f"{LISTS}",
        ),
        (
            ["many_ops_history", "_last_vacuum_info"],
            4,
            "error: _last_vacuum_info holds no actions [NOT_A_LOG_FILE]\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("log_compaction")
    golden("many_ops_history")
    result = run("log", "cat", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)
