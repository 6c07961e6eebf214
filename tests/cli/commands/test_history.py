import json
import sys

import pytest

from deltactl.cli import session
from deltactl.cli.process import output

SPARK = "Spark/4.2.0 Delta/4.4.0"
WHOLE = """\
VERSION  TIME                      OPERATION            FILES   ROWS  BY                       CHANGES
     16  2026-01-02 03:16:00.000Z  WRITE                   +1     +1  Spark/4.2.0 Delta/4.4.0
     15  2026-01-02 03:15:00.000Z  TRUNCATE                -1      -  Spark/4.2.0 Delta/4.4.0
     14  2026-01-02 03:14:00.000Z  WRITE                +1 -1     +1  Spark/4.2.0 Delta/4.4.0
     13  2026-01-02 03:13:00.000Z  REPLACE COLUMNS          -      -  Spark/4.2.0 Delta/4.4.0  v: comment 'c'; + w int; + z int
     12  2026-01-02 03:12:00.000Z  VACUUM END               -      -  Spark/4.2.0 Delta/4.4.0
     11  2026-01-02 03:11:00.000Z  VACUUM START             -      -  Spark/4.2.0 Delta/4.4.0
     10  2026-01-02 03:10:00.000Z  RESTORE              +1 -1      -  Spark/4.2.0 Delta/4.4.0  - w int; v: comment 'c' removed; classic checkpoint
      9  2026-01-02 03:09:00.000Z  CHANGE COLUMN            -      -  Spark/4.2.0 Delta/4.4.0  v: comment 'c'
      8  2026-01-02 03:08:00.000Z  UNSET TBLPROPERTIES      -      -  Spark/4.2.0 Delta/4.4.0  a.b unset
      7  2026-01-02 03:07:00.000Z  SET TBLPROPERTIES        -      -  Spark/4.2.0 Delta/4.4.0  a.b = 1
      6  2026-01-02 03:06:00.000Z  ADD COLUMNS              -      -  Spark/4.2.0 Delta/4.4.0  + w int, after id
      5  2026-01-02 03:05:00.000Z  OPTIMIZE             +1 -1      -  Spark/4.2.0 Delta/4.4.0
      4  2026-01-02 03:04:00.000Z  DELETE               +1 -1     -1  Spark/4.2.0 Delta/4.4.0
      3  2026-01-02 03:03:00.000Z  UPDATE               +1 -1     ~1  Spark/4.2.0 Delta/4.4.0
      2  2026-01-02 03:02:00.000Z  MERGE                +1 -1  +1 ~1  Spark/4.2.0 Delta/4.4.0
      1  2026-01-02 03:01:00.000Z  WRITE                   +1     +2  Spark/4.2.0 Delta/4.4.0  “ticket-42 “ü””
      0  2026-01-02 03:00:00.000Z  CREATE TABLE             -      -  Spark/4.2.0 Delta/4.4.0  created with 2 columns; protocol 1/2
"""  # noqa: E501
ON_A_TERMINAL = [
    "VERSION  TIME                      OPERATION             FILES  ROWS",
    "      6  2026-11-21 06:09:50.724Z  UPDATE          +2 -1 cdc 1    ~1",
    f"         BY       {SPARK}",
    "      5  2026-11-21 06:09:30.629Z  CHANGE COLUMN             -     -",
    f"         BY       {SPARK}",
    "         CHANGES  `a b`.x float → double; v2 checkpoint",
    "      4  2026-11-21 06:09:22.104Z  DELETE                +1 -1    -1",
    f"         BY       {SPARK}",
    "      3  2026-11-21 06:08:55.440Z  ADD CONSTRAINT            -     -",
    f"         BY       {SPARK}",
    "         CHANGES  protocol 3/7 +checkConstraints; delta.constraints.pos = id > 0",
]


def changes(run, *args: str) -> dict[int, str]:
    """What the last column says of each version."""
    lines = run("history", *args).stdout.splitlines()[1:]
    return {int(line[:7]): line.split(SPARK)[1].strip() for line in lines}


def versions(run, *args: str) -> list[int]:
    result = run("history", *args, "-o", "ndjson")
    assert (result.exit_code, result.stderr) == (0, "")
    return [json.loads(line)["version"] for line in result.stdout.splitlines()]


def test_every_commit(run, golden) -> None:
    result = run("history", golden("many_ops_history"))
    assert (result.exit_code, result.stdout, result.stderr) == (0, WHOLE, "")


def test_on_a_terminal(on_terminal, golden) -> None:
    table = golden("tw_kitchen_sink")
    assert on_terminal("history", table, "--from", "3", "--to", "6", "-v") == ON_A_TERMINAL


def test_a_terminal_gets_the_newest(run, golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda stream: stream is sys.stdout)
    monkeypatch.setattr(session, "ON_A_TERMINAL", 2)
    monkeypatch.setenv("COLUMNS", "200")
    table = golden("many_ops_history")
    result = run("history", table)
    assert [line[:7].strip() for line in result.stdout.splitlines()[1:]] == ["16", "15"]
    assert result.stderr == "note: 2 of 17 commits; -n 0 shows all\n"
    assert run("history", table, "-q").stderr == ""
    assert run("history", table, "-n", "0").stderr == ""
    assert len(run("history", table, "-o", "ndjson").stdout.splitlines()) == 17


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["-n", "3"], [16, 15, 14]),
        (["-n", "1"], [16]),
        (["-n", "0"], list(range(16, -1, -1))),
        (["--limit", "2", "--to", "5"], [5, 4]),
        (["--from", "6", "--to", "9"], [9, 8, 7, 6]),
        (["--from", "99"], []),
        (["--from", "-1"], [16, 15]),
        (["--from", "-3", "--to", "@prev"], [15, 14, 13]),
        (["--since", "2026-01-02T03:15:00"], [16, 15]),
        (["--since", "2026-01-02T03:15:00.001Z"], [16]),
        (["--since", "2026-01-02T04:15:00+01:00"], [16, 15]),
        (["--since", "2030-01-01"], []),
        (["--since", "2026-01-01", "--to", "1"], [1, 0]),
        (["--operation", "merge"], [2]),
        (["--operation", "WRITE"], [16, 14, 1]),
        (["--operation", "WRITE", "-n", "2"], [16, 14]),
        (["--operation", "nope"], []),
        (["--schema"], [13, 10, 9, 6, 0]),
        (["--schema", "--operation", "ADD COLUMNS"], [6]),
        (["--schema", "-n", "2"], [13, 10]),
    ],
    ids=str,
)
def test_which_commits(run, golden, args, expected) -> None:
    assert versions(run, golden("many_ops_history"), *args) == expected


def test_the_commits_own_times(run, golden) -> None:
    table = golden("in_commit_timestamps_skewed")
    assert versions(run, table, "--since", "2026-11-21T06:16:18Z") == [3, 2]
    lines = run("history", table).stdout.splitlines()
    assert [line[9:33] for line in lines[1:]] == [
        "2026-11-21 06:16:19.349Z",
        "2026-11-21 06:16:18.784Z",
        "2026-11-21 06:16:17.767Z",
        "2026-11-21 06:16:16.163Z",
    ]


def test_nothing_found(run, golden) -> None:
    result = run("history", golden("many_ops_history"), "--operation", "nope")
    assert result.stdout == (
        "No matching commits (17 searched); the operations among them: "
        "ADD COLUMNS, CHANGE COLUMN, CREATE TABLE, DELETE, MERGE, OPTIMIZE, REPLACE COLUMNS, "
        "RESTORE, SET TBLPROPERTIES, TRUNCATE, UNSET TBLPROPERTIES, UPDATE, VACUUM END, "
        "VACUUM START, WRITE.\n"
    )


def test_schema_changes(run, golden) -> None:
    assert changes(run, golden("tw_nested"), "--schema", "-n", "4") == {
        17: "mk.key short → int",
        16: "mm.value.value byte → int",
        15: "mm.value.key byte → short",
        14: "sa.element.m.value short → int",
    }


def test_protocol_and_property_changes(run, golden) -> None:
    assert changes(run, golden("tw_dropped_checkpoint_protection")) == {
        10: "protocol 3/7 → 1/7 +checkpointProtection -typeWidening; "
        "delta.requireCheckpointProtectionBeforeVersion = 10; classic checkpoint",
        9: "classic checkpoint",
        8: "classic checkpoint",
        7: "classic checkpoint",
        6: "v: type changes pruned",
        5: "",
        4: "delta.enableTypeWidening unset",
        3: "",
        2: "v int → long",
        1: "",
        0: "created with 2 columns; protocol 3/7 appendOnly invariants typeWidening",
    }


def test_rows_of_an_identity_column_change_no_schema(run, golden) -> None:
    assert versions(run, golden("identity_columns"), "--schema") == [0]


def test_files_of_the_change_data_feed(run, golden) -> None:
    commits = run("history", golden("cdf"), "-n", "1", "-o", "json").document["commits"]
    assert commits[0]["files"] == {"added": 1, "removed": 1, "cdc": 1}
    assert commits[0]["rows"] == {"in": 1, "out": 0, "updated": 1}


def test_one_commit(run, golden) -> None:
    table = golden("tw_kitchen_sink")
    line = run("history", table, "--from", "3", "--to", "3", "-o", "ndjson").stdout
    commit = json.loads(line)
    assert commit["timestamp"].startswith("2026-11-21T06:08:55.")
    assert commit["operation"] == "ADD CONSTRAINT"
    assert commit["operationParameters"] == {"name": "pos", "expr": "id > 0"}
    assert (commit["readVersion"], commit["isBlindAppend"]) == (2, False)
    assert commit["engineInfo"] == "Apache-Spark/4.2.0 Delta-Lake/4.4.0"
    assert (commit["userName"], commit["userMetadata"]) == (None, None)
    assert commit["schemaChanges"] == []
    assert commit["propertyChanges"] == [
        {"key": "delta.constraints.pos", "before": None, "after": "id > 0"}
    ]
    change = commit["protocolChange"]
    assert set(change["after"]["writerFeatures"]) - set(change["before"]["writerFeatures"]) == {
        "checkConstraints"
    }


def test_a_log_that_begins_late(run, golden) -> None:
    lines = run("history", golden("vacuumed_log_only_checkpoint")).stdout.splitlines()
    assert [line[:7].strip() for line in lines[1:]] == ["8", "7", "6", "5"]


@pytest.mark.parametrize(
    ("name", "listed", "stderr"),
    [
        (
            "inv_gap_in_log",
            ["3", "1", "0"],
            "warning: the table cannot be read: the log has a gap: version 2 is missing before "
            "version 3 (no 00000000000000000002.json) [SNAPSHOT_UNREADABLE]\n"
            "warning: version 2 is missing from the log [HISTORY_HAS_GAP]\n",
        ),
        (
            "inv_unknown_reader_feature",
            ["4", "3", "2", "1", "0"],
            "warning: the table cannot be read: the table needs the reader feature "
            "futureReaderFeature, which deltactl cannot read [SNAPSHOT_UNREADABLE]\n",
        ),
    ],
)
def test_a_table_that_cannot_be_read(run, golden, name, listed, stderr) -> None:
    result = run("history", golden(name))
    assert (result.exit_code, result.stderr) == (0, stderr)
    assert [line[:7].strip() for line in result.stdout.splitlines()[1:]] == listed


LIMIT = "invalid value for '-n' / '--limit'"
TIME = "neither a version nor a time such as 2024-05-31T12:00:00Z"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "missing argument 'TABLE'"),
        (["crc_good", "-n", "-1"], f"{LIMIT}: '-1' is not a whole number from 0 on"),
        (["crc_good", "-n", "x"], f"{LIMIT}: 'x' is not a whole number from 0 on"),
        (
            ["crc_good", "--from", "2d"],
            "invalid value for '--from': '2d' is a time: "
            "--since takes times, --from and --to versions",
        ),
        (
            ["crc_good", "--to", "x"],
            f"invalid value for '--to': 'x' is {TIME}",
        ),
        (["crc_good", "--from", "2", "--to", "1"], "--from 2 is after --to 1"),
        (
            ["crc_good", "--since", "12"],
            "invalid value for '--since': '12' is a version: --from takes versions, --since a time",
        ),
        (["crc_good", "--since", "nope"], f"invalid value for '--since': 'nope' is {TIME}"),
        (["crc_good", "extra"], "got unexpected extra argument (extra)"),
    ],
)
def test_wrong_usage(run, golden, args, message) -> None:
    golden("crc_good")
    result = run("history", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: {message} [USAGE]\nhint: see deltactl history --help\n"


@pytest.mark.parametrize(
    ("words", "first", "last"), [("--from=@prev --to=-3", 15, 13), ("--from=9 --to=-9", 9, 7)]
)
def test_versions_counted_back_in_the_wrong_order(run, golden, words, first, last) -> None:
    result = run("history", golden("many_ops_history"), *words.split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"error: version {first} is after version {last} [USAGE]\n"
        f"hint: deltactl history many_ops_history --from {last} --to {first}\n"
    )


def test_no_table(run) -> None:
    result = run("history", "nope")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr.startswith("error: no table at nope: ")


def test_what_a_commit_says_of_the_table(run, valid_document, golden) -> None:
    table = golden("many_ops_history")
    assert run("table", "comment", table, "my orders").exit_code == 0
    assert run("table", "comment", table, "all orders").exit_code == 0
    setting = ["billing.lineage", "{}", "--enable", "--yes"]
    assert run("domain", "set", table, *setting).exit_code == 0
    assert run("domain", "unset", table, "billing.lineage").exit_code == 0
    lines = run("history", table, "-n", "4").stdout.splitlines()[1:]
    assert [line.split("deltactl/0.1.0")[1].strip() for line in lines] == [
        "domain billing.lineage removed",
        "protocol 1/2 → 1/7 +domainMetadata; domain billing.lineage set",
        "description my orders → all orders",
        "description = my orders",
    ]
    text = run("history", table, "-n", "4", "-o", "json").stdout
    commits = valid_document("history", text)["commits"]
    assert [commit["domainChanges"] for commit in commits] == [
        [{"domain": "billing.lineage", "configuration": "{}", "removed": True}],
        [{"domain": "billing.lineage", "configuration": "{}", "removed": False}],
        [],
        [],
    ]
    assert commits[2]["tableChanges"] == [
        {"path": "description", "before": "my orders", "after": "all orders"}
    ]


def test_mapping_is_one_change(run, golden) -> None:
    table = golden("many_ops_history")
    assert run("column", "rename", table, "w", "width", "--enable", "--yes").exit_code == 0
    (line,) = run("history", table, "-n", "1").stdout.splitlines()[1:]
    assert (
        line.split("deltactl/0.1.0")[1]
        .strip()
        .startswith(
            "column mapping switched on (4 columns get ids); w renamed width; protocol 1/2 → 2/7 "
        )
    )
    diff = run("schema", "diff", table, "16").stdout
    assert "\n\nColumn mapping switched on (4 columns get ids)\n\n" in diff
    assert "\n  ~ w → width  int     renamed\n" in diff
