import pytest

BOTH = """\
reader version 3, writer version 7  at version 3 of the table

FEATURE               NEEDED BY    REQUIRED  ACTIVE  PURPOSE
appendOnly            writers      listed    no      \
Rows may be added, but neither changed nor deleted.
invariants            writers      listed    no      \
Columns may be NOT NULL or carry an expression that every row must satisfy.
typeWidening          all clients  listed    yes     \
The type of a column can be widened without rewriting files.
typeWidening-preview  all clients  listed    yes     \
Preview of typeWidening; each type change also records its version.

Clients, as far as is known
"""
ON_A_TERMINAL = [
    "reader version 3, writer version 7  at version 3 of the table",
    "",
    "FEATURE               NEEDED BY    REQUIRED  ACTIVE  PURPOSE",
    "appendOnly            writers      listed    no      Rows may be added, but",
    "                                                     neither changed nor",
    "                                                     deleted.",
]


def rows(run, table: str, *args: str) -> dict[str, list[str]]:
    """The words of each feature, without its purpose."""
    text = run("protocol", "show", table, *args).stdout.split("\n\n")[1]
    return {line.split("  ")[0]: line.split()[1:] for line in text.splitlines()[1:]}


def test_features_and_clients(run, golden) -> None:
    result = run("protocol", "show", golden("tw_both_features"))
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(BOTH)
    clients = result.stdout.removeprefix(BOTH).splitlines()
    assert clients[0].split() == ["CLIENT", "READS", "WRITES", "KNOWN", "FROM"]
    assert clients[1] == (
        "Spark with Delta 4.4.0      yes    yes      run on 2026-11-21 with pyspark 4.2.0"
    )
    assert clients[2] == "delta-rs (deltalake) 1.6.6  no     no       run on 2026-11-21"
    about = clients.index("About delta-rs (deltalake) 1.6.6")
    assert clients[about + 1].startswith("  typeWidening: it opens the log but refuses to read")


def test_on_a_terminal(on_terminal, golden) -> None:
    lines = on_terminal("protocol", "show", golden("tw_both_features"))
    assert lines[:6] == ON_A_TERMINAL
    about = lines.index("About delta-rs (deltalake) 1.6.6")
    assert lines[about + 1 : about + 3] == [
        "  typeWidening: it opens the log but refuses to read data or to write; only",
        "  create_checkpoint and vacuum still run",
    ]


def test_what_a_version_implies(run, golden) -> None:
    table = golden("many_ops_history")
    assert rows(run, table)["appendOnly"][:4] == ["writers", "by", "version", "no"]
    document = run("protocol", "show", table, "-o", "json").document
    assert document["protocol"] == {
        "minReaderVersion": 1,
        "minWriterVersion": 2,
        "readerFeatures": None,
        "writerFeatures": None,
    }
    assert document["features"][1] == {
        "name": "invariants",
        "kind": "writer",
        "purpose": "Columns may be NOT NULL or carry an expression that every row must satisfy.",
        "implied": True,
        "inReaderFeatures": False,
        "inWriterFeatures": False,
        "active": False,
        "draftNameOf": None,
        "deltactl": {"reads": True, "writes": True},
    }


def test_what_is_active(run, golden) -> None:
    document = run("protocol", "show", golden("tw_kitchen_sink"), "-o", "json").document
    assert {row["name"]: row["active"] for row in document["features"]} == {
        "appendOnly": False,
        "invariants": True,
        "checkConstraints": True,
        "changeDataFeed": True,
        "columnMapping": True,
        "deletionVectors": True,
        "domainMetadata": True,
        "rowTracking": True,
        "v2Checkpoint": True,
        "typeWidening": True,
        "inCommitTimestamp": True,
        "allowColumnDefaults": True,
    }


def test_a_list_that_lacks_a_feature(run, golden) -> None:
    table = golden("inv_reader_feature_not_in_writer")
    assert rows(run, table)["typeWidening"][:6] == [
        "all",
        "clients",
        "listed",
        "for",
        "readers",
        "no",
    ]
    assert run("protocol", "show", table).stderr == (
        "warning: typeWidening is in readerFeatures but not in writerFeatures "
        "[READER_FEATURE_NOT_IN_WRITER]\n"
    )


def test_an_older_version(run, golden) -> None:
    table = golden("check_constraints_invariants")
    assert "checkConstraints" in rows(run, table)
    assert list(rows(run, table, "--at", "1")) == ["appendOnly", "invariants"]


def answers(run, table: str) -> dict[str, tuple[str, str]]:
    clients = run("protocol", "show", table, "-o", "json").document["clients"]
    return {row["client"]: (row["reads"], row["writes"]) for row in clients}


def test_an_unknown_reader_feature(run, golden) -> None:
    table = golden("inv_unknown_reader_feature")
    result = run("protocol", "show", table)
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: the table cannot be read: the table needs the reader feature "
        "futureReaderFeature, which deltactl cannot read [SNAPSHOT_UNREADABLE]\n"
    )
    assert rows(run, table)["futureReaderFeature"] == ["-", "listed", "-", "unknown"]
    assert answers(run, table) == {
        "Spark with Delta": ("no", "no"),
        "delta-rs (deltalake)": ("unknown", "unknown"),
        "Delta Kernel (Java)": ("no", "no"),
        "delta-kernel-rs": ("unknown", "unknown"),
    }


def test_an_unknown_writer_feature(run, golden) -> None:
    table = golden("unknown_writer_feature")
    assert answers(run, table)["Spark with Delta"] == ("yes", "no")
    assert "[UNSUPPORTED_WRITER_FEATURE]" in run("protocol", "show", table).stderr


def test_a_protocol_that_is_not_well_formed(run, golden) -> None:
    result = run("protocol", "show", golden("inv_features_on_old_protocol"))
    assert result.exit_code == 0
    assert "Clients" not in result.stdout
    assert result.stderr == (
        "warning: the table cannot be read: the protocol (1,2) has readerFeatures, which need "
        "version 3 [SNAPSHOT_UNREADABLE]\n"
    )


def test_the_newest_version_that_can_be_had(run, golden) -> None:
    result = run("protocol", "show", golden("inv_gap_in_log"))
    assert result.exit_code == 0
    assert result.stdout.startswith("reader version 1, writer version 2  at version 1 of the table")
    assert result.stderr.endswith("; this is the protocol of version 1 [SNAPSHOT_UNREADABLE]\n")


@pytest.mark.parametrize(
    ("args", "exit_code", "stderr"),
    [
        (
            [],
            2,
            "error: missing argument 'TABLE' [USAGE]\nhint: see deltactl protocol show --help\n",
        ),
        (
            ["crc_good", "--at", "99"],
            3,
            "error: there is no version 99: the newest is 4 [VERSION_NOT_FOUND]\n"
            "hint: deltactl history crc_good lists the versions that there are\n",
        ),
        (
            ["inv_no_protocol"],
            5,
            "error: the log up to version 3 has no protocol [NO_PROTOCOL]\n"
            "hint: deltactl verify-checksum inv_no_protocol\n",
        ),
    ],
)
def test_mistakes(run, golden, args, exit_code, stderr) -> None:
    golden("crc_good")
    golden("inv_no_protocol")
    result = run("protocol", "show", *args)
    assert (result.exit_code, result.stdout, result.stderr) == (exit_code, "", stderr)
