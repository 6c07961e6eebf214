"""Small actions of a checkpoint with all its rows in one group, as Spark and delta-rs write it."""

import pytest
from checkpoints import Action, parquet
from memory_storage import MemoryStorage

from deltactl.log.filenames import LogFile
from deltactl.log.segment import Checkpoint
from deltactl.table.checkpoint.reader import LARGE, CheckpointReader

PROTOCOL = {"minReaderVersion": 1, "minWriterVersion": 2}
NEWER = {
    "minReaderVersion": 3,
    "minWriterVersion": 7,
    "readerFeatures": [],
    "writerFeatures": ["appendOnly", "invariants"],
}
METADATA = {
    "id": "0",
    "format": {"provider": "parquet", "options": {}},
    "schemaString": "{}",
    "partitionColumns": ["a"],
    "configuration": {"delta.appendOnly": "true"},
}
DOMAINS = [{"domain": name, "configuration": "{}", "removed": False} for name in ("a", "b")]
OTHERS: list[Action] = [
    {"txn": {"appId": "job", "version": 4}},
    *({"domainMetadata": domain} for domain in DOMAINS),
]


def read(*kinds: str, rows_before: int, actions: list[Action]) -> list[tuple[str, Action]]:
    content = parquet(actions, rows_before=rows_before)
    name = f"{2:020d}.checkpoint.parquet"
    checkpoint = Checkpoint(2, "classic", (LogFile(name, len(content), 0),))
    reader = CheckpointReader(MemoryStorage({f"_delta_log/{name}": content}), checkpoint)
    return list(reader.actions(kinds, enough=lambda: False))


@pytest.mark.parametrize("rows_before", [1, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("protocol", [PROTOCOL, NEWER], ids=["legacy", "features"])
def test_protocol_and_metadata_are_found_at_its_end(rows_before: int, protocol: Action) -> None:
    actions = [{"protocol": protocol}, {"metaData": METADATA}, *OTHERS]
    found = read("protocol", "metaData", rows_before=rows_before, actions=actions)
    assert found == [("protocol", protocol), ("metaData", METADATA)]


@pytest.mark.parametrize("rows_before", [1, LARGE], ids=["small", "large"])
def test_every_action_of_a_kind_is_found(rows_before: int) -> None:
    actions = [*OTHERS, {"protocol": PROTOCOL}, {"protocol": NEWER}]
    kinds = ("txn", "domainMetadata", "protocol", "metaData")
    assert read(*kinds, rows_before=rows_before, actions=actions) == [
        ("txn", {"appId": "job", "version": 4}),
        *(("domainMetadata", domain) for domain in DOMAINS),
        ("protocol", PROTOCOL),
        ("protocol", NEWER),
    ]
