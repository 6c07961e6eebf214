import json

import pytest

ONE = """\
typeWidening: The type of a column can be widened without rewriting files.
Needed by  all clients
Protocol   3/7
Requires   -
Active by  table property: delta.enableTypeWidening
Enabling   a change of the metadata. The property and the protocol change go into one commit.
Dropping   can be dropped after files are rewritten; leaves checkpointProtection behind. \
Files with old types are rewritten, then the schema loses its type changes.
deltactl   reads, writes

CLIENT                      READS  WRITES  REMARK
Spark with Delta 4.4.0      yes    yes     -
delta-rs (deltalake) 1.6.6  no     no      it opens the log but refuses to read data or to write; \
only create_checkpoint and vacuum still run
Delta Kernel (Java) 4.4.0   yes    yes     read in the source, not run
delta-kernel-rs b14c3fb84   yes    no      it reads data and refuses to write
"""


def test_all_features(run) -> None:
    result = run("protocol", "features")
    assert (result.exit_code, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0].split() == ["FEATURE", "NEEDED", "BY", "PROTOCOL", "DELTACTL", "PURPOSE"]
    assert lines[1] == (
        "appendOnly                    writers      1/2       reads, writes  "
        "Rows may be added, but neither changed nor deleted."
    )
    assert any(line.startswith("geospatial ") and "  no  " in line for line in lines)


def test_on_a_terminal(on_terminal) -> None:
    assert on_terminal("protocol", "features")[:4] == [
        "FEATURE                       NEEDED BY    PROTOCOL  DELTACTL",
        "appendOnly                    writers      1/2       reads, writes",
        "                              PURPOSE  Rows may be added, but neither changed",
        "                                       nor deleted.",
    ]


@pytest.mark.parametrize("spelt", ["typeWidening", "typewidening", "TYPEWIDENING"])
def test_one_feature(run, spelt) -> None:
    result = run("protocol", "features", spelt)
    assert (result.exit_code, result.stdout, result.stderr) == (0, ONE, "")


def test_the_name_of_a_draft(run) -> None:
    assert run("protocol", "features", "rowIds").stdout.startswith("rowTracking: ")


def test_what_a_feature_requires(run) -> None:
    row = json.loads(run("protocol", "features", "rowTracking", "-o", "ndjson").stdout)
    assert row["requires"] == ["domainMetadata"]
    assert (row["minReaderVersion"], row["minWriterVersion"]) == (1, 7)
    assert row["impliedFrom"] == {"reader": None, "writer": None}
    assert row["activatedBy"]["keys"] == ["delta.enableRowTracking"]


def test_a_feature_that_a_version_implies(run) -> None:
    row = json.loads(run("protocol", "features", "columnMapping", "-o", "ndjson").stdout)
    assert row["impliedFrom"] == {"reader": 2, "writer": 5}


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        (
            ["nope"],
            3,
            "error: no table feature is named 'nope' [FEATURE_NOT_FOUND]\n"
            "hint: deltactl protocol features\n",
        ),
        (
            ["typeWidenin"],
            3,
            "error: no table feature is named 'typeWidenin' [FEATURE_NOT_FOUND]\n"
            "hint: did you mean typeWidening or typeWidening-preview?\n",
        ),
        (
            ["typeWidening", "extra"],
            2,
            "error: got unexpected extra argument (extra) [USAGE]\n"
            "hint: see deltactl protocol features --help\n",
        ),
    ],
)
def test_mistakes(run, args, exit_code, stderr) -> None:
    result = run("protocol", "features", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)
