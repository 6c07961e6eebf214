import pytest

from deltactl.log.filenames import (
    CheckpointKind,
    CheckpointName,
    LogFileKind,
    checkpoint_name,
    commit_name,
    commit_version,
    compaction_range,
    kind_of,
)

V = "00000000000000000010"
UUID = "80a083e8-7026-4e79-81be-64bd76c43a11"


@pytest.mark.parametrize(
    ("name", "kind", "version"),
    [
        (f"{V}.json", LogFileKind.COMMIT, 10),
        ("09223372036854775807.json", LogFileKind.COMMIT, 2**63 - 1),
        ("09223372036854775808.json", LogFileKind.STRAY_COMMIT, None),
        ("9223372036854775807.json", LogFileKind.STRAY_COMMIT, 2**63 - 1),
        ("09223372036854775807.checkpoint.parquet", LogFileKind.CHECKPOINT, 2**63 - 1),
        ("09223372036854775808.checkpoint.parquet", LogFileKind.OTHER, None),
        (f"09223372036854775808.checkpoint.{UUID}.json", LogFileKind.OTHER, None),
        ("09223372036854775807.crc", LogFileKind.CHECKSUM, 2**63 - 1),
        ("09223372036854775808.crc", LogFileKind.OTHER, None),
        (f"{V}.09223372036854775807.compacted.json", LogFileKind.COMPACTION, 2**63 - 1),
        (f"{V}.09223372036854775808.compacted.json", LogFileKind.OTHER, None),
        (f"{V}.checkpoint.parquet", LogFileKind.CHECKPOINT, 10),
        (f"{V}.checkpoint.0000000001.0000000002.parquet", LogFileKind.CHECKPOINT, 10),
        (f"{V}.checkpoint.{UUID}.json", LogFileKind.CHECKPOINT, 10),
        (f"{V}.checkpoint.{UUID}.parquet", LogFileKind.CHECKPOINT, 10),
        (f"{V}.checkpoint.json", LogFileKind.OTHER, None),
        (f"{V}.checkpoint.{UUID}.crc", LogFileKind.OTHER, None),
        (f"{V}.checkpoint.{UUID}x.json", LogFileKind.OTHER, None),
        (f"{V}.checkpoint.0000000000.0000000000.parquet", LogFileKind.OTHER, None),
        (f"{V}.checkpoint.0000000003.0000000002.parquet", LogFileKind.OTHER, None),
        (f"{V}.checkpoint.1.2.parquet", LogFileKind.OTHER, None),
        (f"{V}.crc", LogFileKind.CHECKSUM, 10),
        (f"{V}.00000000000000000014.compacted.json", LogFileKind.COMPACTION, 14),
        (f"{V}.{V}.compacted.json", LogFileKind.OTHER, None),
        (f"{V}.00000000000000000009.compacted.json", LogFileKind.OTHER, None),
        ("_last_checkpoint", LogFileKind.LAST_CHECKPOINT, None),
        ("4.json", LogFileKind.STRAY_COMMIT, 4),
        (f"0{V}.json", LogFileKind.STRAY_COMMIT, None),
        (f".{V}.json.crc", LogFileKind.HADOOP_CHECKSUM, None),
        (f".{V}.json.1-abc.tmp", LogFileKind.TEMPORARY, None),
        (f"{V}.json.bak", LogFileKind.OTHER, None),
        (f"{V}.JSON", LogFileKind.OTHER, None),
        (f"{V}.json\n", LogFileKind.OTHER, None),
        ("\u0660" * 20 + ".json", LogFileKind.OTHER, None),
        ("\u0660" * 20 + ".crc", LogFileKind.OTHER, None),
        ("²" * 20 + ".json", LogFileKind.OTHER, None),
        ("", LogFileKind.OTHER, None),
    ],
)
def test_a_name_says_what_a_file_is(name: str, kind: LogFileKind, version: int | None) -> None:
    assert kind_of(name) == (kind, version)


@pytest.mark.parametrize(
    ("version", "name"), [(0, "00000000000000000000.json"), (1234567, "00000000000001234567.json")]
)
def test_a_commits_name_has_20_digits(version: int, name: str) -> None:
    assert commit_name(version) == name
    assert commit_version(name) == version


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"{V}.checkpoint.parquet", CheckpointName(10, CheckpointKind.CLASSIC)),
        (
            f"{V}.checkpoint.0000000002.0000000003.parquet",
            CheckpointName(10, CheckpointKind.MULTIPART, 2, 3),
        ),
        (f"{V}.checkpoint.{UUID}.parquet", CheckpointName(10, CheckpointKind.V2)),
        (f"{V}.checkpoint.{UUID}.json", CheckpointName(10, CheckpointKind.V2)),
    ],
)
def test_a_checkpoints_name_is_taken_apart(name: str, expected: CheckpointName) -> None:
    assert checkpoint_name(name) == expected


def test_a_compacted_file_covers_a_range() -> None:
    assert compaction_range("00000000000000000004.00000000000000000009.compacted.json") == (4, 9)
    assert compaction_range("00000000000000000004.json") is None
