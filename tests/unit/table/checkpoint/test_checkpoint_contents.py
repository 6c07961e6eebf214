"""What a checkpoint says, and that not one of its pages goes unread."""

from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest
from checkpoints import KINDS, Action, Files, parquet
from memory_storage import MemoryStorage

from deltactl.errors import UnreadableCheckpointError
from deltactl.log.filenames import LOG
from deltactl.log.segment import arrange
from deltactl.table.checkpoint.contents import Contents, contents_of, differences
from deltactl.table.checkpoint.reader import CheckpointReader

NAME = f"{2:020d}.checkpoint.parquet"
VECTOR = {"storageType": "u", "pathOrInlineDv": "v", "offset": 1, "sizeInBytes": 36}


def add(number: int, **more: object) -> Action:
    fields = {"path": f"part-{number}.parquet", "partitionValues": {"day": "1"}, "size": 500}
    return {"add": {**fields, "stats": '{"numRecords":4}', **more}}


ACTIONS: list[Action] = [
    {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
    {"metaData": {"id": "0", "format": {"provider": "parquet"}, "schemaString": "{}"}},
    {"txn": {"appId": "job", "version": 4}},
    *map(add, range(7)),
    add(7, deletionVector={**VECTOR, "cardinality": 3}),
    {"remove": {"path": "gone.parquet"}},
    {"remove": {"path": "gone too.parquet"}},
]


def contents(files: Files) -> Contents:
    storage = MemoryStorage({f"{LOG}/{name}": content for name, content in files.items()})
    (checkpoint,) = arrange(storage.list_from(LOG)).checkpoints
    return contents_of(CheckpointReader(storage, checkpoint))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_says_the_same(kind) -> None:
    held = contents(kind(2, ACTIONS))
    assert (held.adds.files, held.adds.bytes, held.adds.vectors) == (8, 4000, 1)
    assert (held.removes.files, held.removes.vectors) == (2, 0)
    assert held.transactions["job"].version == 4
    assert held.protocol is not None
    assert held.protocol.min_writer_version == 2
    assert held.adds.mark == contents({NAME: parquet(ACTIONS)}).adds.mark
    assert held.adds.mark != contents({NAME: parquet(ACTIONS[:-3] + ACTIONS[-2:])}).adds.mark


def domain(text: str, name: str = "d") -> Action:
    return {"domainMetadata": {"domain": name, "configuration": text, "removed": False}}


def txn(version: int, app: str = "job") -> Action:
    return {"txn": {"appId": app, "version": version}}


TABLE: list[Action] = [*ACTIONS[:2], txn(4), domain("x"), *ACTIONS[3:]]


def changed(old: Action, *new: Action) -> list[Action]:
    place = TABLE.index(old)
    return [*TABLE[:place], *new, *TABLE[place + 1 :]]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (TABLE, []),
        (changed(txn(4), txn(5)), ["the transactions are others"]),
        (changed(txn(4), txn(4, "b")), ["the transactions are others"]),
        (changed(txn(4)), ["the number of transactions is 0 instead of 1"]),
        (
            changed(txn(4), txn(4), txn(1, "b")),
            ["the number of transactions is 2 instead of 1"],
        ),
        (changed(domain("x"), domain("y")), ["the domains are others"]),
        (changed(domain("x")), ["the number of domains is 0 instead of 1"]),
        (changed(add(0)), ["the number of files is 7 instead of 8",
                           "the bytes of all files is 3,500 instead of 4,000"]),
        (changed(add(0), add(9)), ["there are other files, or other deletion vectors"]),
        (changed(add(0), add(0, deletionVector={**VECTOR, "cardinality": 1})),
         ["the number of deletion vectors is 2 instead of 1",
          "there are other files, or other deletion vectors"]),
        (changed(TABLE[-1]), ["the number of tombstones is 1 instead of 2",
                              "there are other tombstones"]),
        (changed(TABLE[-1], {"remove": {"path": "x"}}), ["there are other tombstones"]),
        (changed(TABLE[0], {"protocol": {"minReaderVersion": 1, "minWriterVersion": 3}}),
         ["the protocol is another one"]),
        (changed(TABLE[1], {"metaData": {**TABLE[1]["metaData"], "id": "1"}}),
         ["the metadata is another one"]),
    ],
)  # fmt: skip
def test_each_difference_in_words(found: list[Action], expected: list[str]) -> None:
    right, wrong = (contents({NAME: parquet(actions)}) for actions in (TABLE, found))
    assert list(differences(right, wrong, tombstones=True)) == expected
    others = [text for text in expected if "tombstone" not in text]
    assert list(differences(right, wrong, tombstones=False)) == others


def test_a_checkpoint_without_the_column_of_tombstones() -> None:
    for column in ("remove", "add"):
        held = contents({NAME: parquet([a for a in ACTIONS if column not in a])})
        files = (held.adds.files, held.removes.files)
        assert files == {"remove": (8, 0), "add": (0, 2)}[column]


def damaged(content: bytes) -> Iterator[tuple[str, bytes]]:
    """The file with one bit turned in the last page of each column of each row group."""
    footer = pq.ParquetFile(MemoryStorage({NAME: content}).source(NAME)).metadata
    for group in range(footer.num_row_groups):
        for place in range(footer.num_columns):
            column = footer.row_group(group).column(place)
            start = column.dictionary_page_offset or column.data_page_offset
            data = bytearray(content)
            data[start + column.total_compressed_size - 1] ^= 1
            yield f"{column.path_in_schema} of row group {group}", bytes(data)


def is_noticed(content: bytes) -> bool:
    try:
        contents({NAME: content})
    except UnreadableCheckpointError:
        return True
    return False


@pytest.mark.sweep
def test_a_bit_of_any_page_is_noticed() -> None:
    whole = parquet(ACTIONS, write_page_checksum=True)
    assert not is_noticed(whole)
    found = list(damaged(whole))
    assert len(found) == 5 * 37
    assert [where for where, content in found if not is_noticed(content)] == []
