"""What a checkpoint says, and that not one of its pages goes unread."""

from collections.abc import Iterator

import pyarrow.parquet as pq
import pytest
from checkpoints import KINDS, Action, Files, parquet
from memory_storage import MemoryStorage

from deltactl.errors import UnreadableCheckpointError
from deltactl.log.filenames import LOG
from deltactl.log.segment import arrange
from deltactl.table.checkpoint.contents import Contents, contents_of
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
