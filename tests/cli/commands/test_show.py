from pathlib import Path

import pytest

KITCHEN_SINK = """\
Table     {here}/tw_kitchen_sink
Version   9  2026-11-21 06:10:31.122Z  v2 checkpoint at 8
Files     3, 5.8 KiB
Rows      4
Deleted   1 row marked in 1 file with deletion vectors
Health    OK (quick check)
Protocol  3/7  allowColumnDefaults, appendOnly, changeDataFeed, checkConstraints, columnMapping, \
deletionVectors, domainMetadata, inCommitTimestamp, invariants, rowTracking, typeWidening, \
v2Checkpoint
Domains   delta.rowTracking

Schema  3 columns
  id   int               not null
  v    short
  a b  struct<x:double>

Properties
  delta.checkpointInterval                                  5
  delta.checkpointPolicy                                    v2
  delta.columnMapping.maxColumnId                           4
  delta.columnMapping.mode                                  name
  delta.constraints.pos                                     id > 0
  delta.enableChangeDataFeed                                true
  delta.enableDeletionVectors                               true
  delta.enableInCommitTimestamps                            true
  delta.enableRowTracking                                   true
  delta.enableTypeWidening                                  true
  delta.rowTracking.materializedRowCommitVersionColumnName  \
_row-commit-version-col-57dd995f-4bd5-4d82-ab33-fa79cf776c38
  delta.rowTracking.materializedRowIdColumnName             \
_row-id-col-cce65fe8-e26d-46b1-b5ec-ad12f5bb5ee5
"""
PARTITIONED = """\
Table       {here}/special_partition_paths
Version     2  2026-01-02 03:02:00.000Z  classic checkpoint at 2
Files       20, 17.4 KiB
Rows        20
Health      OK (quick check)
Protocol    1/2  appendOnly, invariants
Partitions  p, q

Schema  3 columns
  id  int
  p   string
  q   string
"""
UNICODE = """\
Table     {here}/unicode_schema
          tablé "quoted"
Version   1  2026-01-02 03:01:00.000Z  no checkpoint
Files     1, 2.4 KiB
Rows      1
Health    OK (quick check)
Protocol  2/7  appendOnly, columnMapping, invariants

Schema  4 columns
  日本         int                コメント
  a.b          string
  tick`s       int
  UPPER lower  struct<x.y:int>

Properties
  delta.columnMapping.maxColumnId  5
  delta.columnMapping.mode         name
  my.prop                          vålue
  owner.team                       data=plat,form
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tw_kitchen_sink", KITCHEN_SINK),
        ("special_partition_paths", PARTITIONED),
        ("unicode_schema", UNICODE),
    ],
)
def test_a_table_on_one_screen(run, golden, name, text) -> None:
    result = run("show", golden(name))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == text.format(here=Path.cwd())


def test_on_a_terminal(on_terminal, golden) -> None:
    lines = on_terminal("show", golden("tw_kitchen_sink"))
    assert "".join(lines[:2]).replace(" ", "").startswith(f"Table{Path.cwd()}/tw_kitchen_sink")
    start = lines.index("Rows      4")
    assert lines[start : start + 11] == [
        "Rows      4",
        "Deleted   1 row marked in 1 file with deletion vectors",
        "Health    OK (quick check)",
        "Protocol  3/7  allowColumnDefaults, appendOnly, changeDataFeed,",
        "          checkConstraints, columnMapping, deletionVectors, domainMetadata,",
        "          inCommitTimestamp, invariants, rowTracking, typeWidening, v2Checkpoint",
        "Domains   delta.rowTracking",
        "",
        "Schema  3 columns",
        "  id   int               not null",
        "  v    short",
    ]
    assert lines[-1] == (
        "  delta.rowTracking.materializedRowIdColumnName             "
        "_row-id-col-cce65fe8-e26d-46b1-b5ec-ad12f5bb5ee5"
    )


def test_the_document(run, golden, valid_document) -> None:
    document = valid_document("show", run("show", golden("tw_kitchen_sink"), "-o", "json").stdout)
    assert document["table"] == {
        "uri": f"{Path.cwd()}/tw_kitchen_sink",
        "id": "e06e3b3d-5a80-4276-9553-6d91076bcf6c",
        "name": None,
    }
    assert (document["version"], document["timestamp"]) == (9, "2026-11-21T06:10:31.122Z")
    assert document["files"] == {
        "count": 3,
        "bytes": 5973,
        "records": 5,
        "withDeletionVectors": 1,
        "deletedRows": 1,
    }
    assert document["checkpoint"] == {"version": 8, "kind": "v2", "parts": 1}
    assert document["domains"] == [
        {
            "domain": "delta.rowTracking",
            "configuration": '{"rowIdHighWaterMark":6,"domainName":"delta.rowTracking"}',
        }
    ]


@pytest.mark.parametrize(
    ("at", "version", "rows"),
    [
        ("0", 0, 0),
        ("5", 5, 2),
        ("2026-01-02T03:05:59Z", 5, 2),
        ("2026-01-02T03:06", 6, 2),
        ("2026-01-02 04:06:00+01:00", 6, 2),
    ],
)
def test_an_older_version(run, golden, at, version, rows) -> None:
    document = run("show", golden("many_ops_history"), "--at", at, "-o", "json").document
    assert (document["version"], document["files"]["records"]) == (version, rows)
    assert document["warnings"] == []


def test_a_time_after_the_newest_commit(run, golden) -> None:
    table = golden("many_ops_history")
    result = run("show", table, "--at", "2030-01-01", "-o", "json")
    assert result.document["version"] == 16
    assert result.document["warnings"] == [
        {
            "code": "TIMESTAMP_AFTER_HISTORY",
            "message": "2030-01-01T00:00:00.000Z is after the newest commit; "
            "this is version 16 of 2026-01-02T03:16:00.000Z",
        }
    ]
    assert run("show", table, "--at", "2030-01-01").stderr.startswith("warning: 2030-01-01T00:00")
    assert run("show", table, "--at", "2030-01-01", "-q").stderr == ""


@pytest.mark.parametrize(
    ("at", "exit_code"),
    [("0", 0), ("1", 0), ("2026-01-02T03:02:30Z", 0), ("2", 5), ("3", 5), ("2030-01-01", 5)],
)
def test_the_versions_below_a_gap_are_there(run, golden, at, exit_code) -> None:
    result = run("show", golden("inv_gap_in_log"), "--at", at, "-o", "json")
    assert result.exit_code == exit_code
    if exit_code:
        error = result.document["error"]
        assert error["code"] == "VERSIONS_NOT_CONTIGUOUS"
        assert error["hint"] == (
            "restore 00000000000000000002.json from a copy; "
            "until then deltactl show inv_gap_in_log --at 1 shows the table as it was before"
        )
    else:
        assert result.document["version"] == (0 if at == "0" else 1)


def test_a_gap_of_many_versions(run, golden) -> None:
    log = Path(golden("crc_good"), "_delta_log")
    (log / "00000000000000000004.json").rename(log / "00000000000000000099.json")
    result = run("show", "crc_good")
    assert (result.exit_code, result.stdout) == (5, "")
    assert result.stderr == (
        "error: the log has a gap: versions 4 to 98 are missing before version 99 "
        "(no 00000000000000000004.json) [VERSIONS_NOT_CONTIGUOUS]\n"
        "hint: restore 00000000000000000004.json from a copy; until then deltactl show crc_good "
        "--at 3 shows the table as it was before; if 00000000000000000099.json is foreign, "
        "move it out of the log\n"
    )
    assert run("show", "crc_good", "--at", "3").exit_code == 0


def test_rows_are_counted_on_demand(run, golden) -> None:
    table = golden("special_partition_paths")
    assert run("show", table, "--rows", "-o", "json").document["files"]["records"] == 20


@pytest.mark.parametrize(
    ("name", "args", "exit_code", "stderr"),
    [
        (
            None,
            ["nope"],
            3,
            "error: no table at nope: {here}/nope does not exist [TABLE_NOT_FOUND]\n"
            "hint: {here} exists, but has nothing named nope\n",
        ),
        (
            "crc_good",
            ["crc_god"],
            3,
            "error: no table at crc_god: {here}/crc_god does not exist [TABLE_NOT_FOUND]\n"
            "hint: did you mean {here}/crc_good?\n",
        ),
        (
            "inv_not_a_table",
            ["inv_not_a_table"],
            3,
            "error: inv_not_a_table is not a Delta table [NOT_A_TABLE]\n"
            "hint: it has no folder _delta_log\n",
        ),
        (
            None,
            ["s3:/lake/sales/kitchen"],
            2,
            "error: s3:/lake/sales/kitchen is neither a path that exists nor a URL, which has two "
            "slashes [BAD_TABLE_PATH]\nhint: did you mean s3://lake/sales/kitchen?\n",
        ),
        (
            None,
            ["s3://lake/sales\n/kitchen"],
            2,
            "error: 's3://lake/sales\\n/kitchen' cannot be the URL of a table: it has '\\n' in it "
            "[BAD_TABLE_PATH]\n"
            "hint: look at how it was quoted or pasted: stores take no control characters\n",
        ),
        (
            "crc_good",
            ["crc_good/_delta_log"],
            3,
            "error: crc_good/_delta_log is not a Delta table [NOT_A_TABLE]\n"
            "hint: did you mean {here}/crc_good?\n",
        ),
        (None, [""], 2, "error: an empty text names no table [EMPTY_TABLE_NAME]\n"),
        (
            None,
            [],
            2,
            "error: missing argument 'TABLE' [USAGE]\nhint: see deltactl show --help\n",
        ),
        (
            "crc_good",
            ["crc_good", "--at", "x"],
            2,
            "error: invalid value for '--at': 'x' is neither a version nor a time such as "
            "2024-05-31T12:00:00Z [USAGE]\nhint: see deltactl show --help\n",
        ),
        (
            "crc_good",
            ["crc_good", "--at", "99"],
            3,
            "error: there is no version 99: the newest is 4 [VERSION_NOT_FOUND]\n"
            "hint: deltactl history crc_good lists the versions that there are\n",
        ),
        (
            "crc_good",
            ["crc_good", "--at", "2020-01-01"],
            3,
            "error: 2020-01-01T00:00:00.000Z is before the oldest commit, version 0 at "
            "2026-01-02T03:00:00.000Z [TIMESTAMP_BEFORE_HISTORY]\n"
            "hint: deltactl history crc_good lists the versions that there are\n",
        ),
        (
            "vacuumed_log_only_checkpoint",
            ["vacuumed_log_only_checkpoint", "--at", "2"],
            3,
            "error: version 2 can no longer be rebuilt from the log: the oldest that can is 5 "
            "[VERSION_NOT_RECREATABLE]\n",
        ),
        (
            "inv_gap_in_log",
            ["inv_gap_in_log"],
            5,
            "error: the log has a gap: version 2 is missing before version 3 "
            "(no 00000000000000000002.json) [VERSIONS_NOT_CONTIGUOUS]\n"
            "hint: restore 00000000000000000002.json from a copy; until then deltactl show "
            "inv_gap_in_log --at 1 shows the table as it was before\n",
        ),
        (
            "inv_unknown_reader_feature",
            ["inv_unknown_reader_feature"],
            4,
            "error: the table needs the reader feature futureReaderFeature, which deltactl "
            "cannot read [UNSUPPORTED_READER_FEATURE]\n"
            "hint: deltactl protocol show inv_unknown_reader_feature and deltactl history "
            "inv_unknown_reader_feature still answer\n",
        ),
    ],
)
def test_mistakes(run, golden, name, args, exit_code, stderr) -> None:
    if name:
        golden(name)
    result = run("show", *args)
    assert (result.exit_code, result.stdout) == (exit_code, "")
    assert result.stderr == stderr.format(here=Path.cwd())
