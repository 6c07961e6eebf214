"""Features that deltactl enabled, in the hands of deltalake: what it does is what plans say."""

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, QueryBuilder, write_deltalake
from deltalake.exceptions import DeltaError

from deltactl.cli.app import main
from deltactl.spec.protocol.clients import DELTA_RS, fact

SUM = "SELECT count(*) AS rows, sum(id) AS total FROM t"


@pytest.fixture
def folder(tmp_path: Path) -> str:
    folder = str(tmp_path / "table")
    for number in range(3):
        write_deltalake(folder, pa.table({"id": [number, number + 10]}), mode="append")
    return folder


def total(folder: str) -> list[dict[str, int]]:
    query = QueryBuilder().register("t", DeltaTable(folder)).execute(SUM)
    found: list[dict[str, int]] = pa.table(query.read_all()).to_pylist()
    return found


def append(folder: str) -> None:
    write_deltalake(folder, pa.table({"id": [100]}), mode="append")


@pytest.mark.parametrize(
    ("feature", "reads", "writes"),
    [
        ("appendOnly", True, True),
        ("checkConstraints", True, True),
        ("changeDataFeed", True, True),
        ("generatedColumns", True, True),
        ("timestampNtz", True, True),
        ("deletionVectors", True, True),
        ("v2Checkpoint", True, True),
        ("identityColumns", True, False),
        ("domainMetadata", True, False),
        ("rowTracking", True, False),
        ("inCommitTimestamp", True, False),
        ("allowColumnDefaults", True, False),
        ("icebergCompatV1", True, False),
        ("icebergCompatV2", True, False),
        ("icebergCompatV3", True, False),
        ("materializePartitionColumns", True, False),
        ("typeWidening", False, False),
        ("vacuumProtocolCheck", False, False),
        ("variantShredding", False, False),
    ],
)
def test_what_deltalake_does(folder: str, feature: str, reads: bool, writes: bool) -> None:
    assert main(["protocol", "enable", folder, feature, "--yes"]) == 0
    known = fact(DELTA_RS, feature)
    assert (known.reads, known.writes) == ("yes" if reads else "no", "yes" if writes else "no")
    if reads:
        assert total(folder) == [{"rows": 6, "total": 36}]
    else:
        with pytest.raises(DeltaError, match="Unsupported table features"):
            total(folder)
    if writes:
        append(folder)
        assert total(folder) == [{"rows": 7, "total": 136}]
    else:
        with pytest.raises(DeltaError, match="Unsupported table features"):
            append(folder)


def test_clustering(folder: str) -> None:
    assert main(["protocol", "enable", folder, "clustering", "--columns", "id", "--yes"]) == 0
    assert total(folder) == [{"rows": 6, "total": 36}]
    with pytest.raises(DeltaError, match="Unsupported table features"):
        append(folder)


@pytest.mark.parametrize("feature", ["rowTracking", "inCommitTimestamp"])
def test_a_feature_that_went_is_no_hindrance(folder: str, feature: str) -> None:
    assert main(["protocol", "enable", folder, feature, "--yes"]) == 0
    assert main(["protocol", "drop", folder, feature, "--yes"]) == 0
    if feature == "rowTracking":
        assert main(["protocol", "drop", folder, "domainMetadata", "--yes"]) == 0
    assert DeltaTable(folder).protocol().min_writer_version == 2
    append(folder)
    assert total(folder) == [{"rows": 7, "total": 136}]


def test_a_mapped_table(folder: str) -> None:
    assert main(["protocol", "enable", folder, "columnMapping", "--yes"]) == 0
    assert main(["column", "rename", folder, "id", "number"]) == 0
    write_deltalake(folder, pa.table({"number": [100]}), mode="append")
    query = QueryBuilder().register("t", DeltaTable(folder))
    found = pa.table(query.execute("SELECT number FROM t ORDER BY number").read_all())
    assert found.column("number").to_pylist() == [0, 1, 2, 10, 11, 12, 100]
    assert main(["protocol", "show", folder]) == 0
    misread = DeltaTable(folder).to_pyarrow_table().column("number").to_pylist()
    assert misread == [None] * 7, "what the warning MAPPED_AT_READER_2 speaks of"
