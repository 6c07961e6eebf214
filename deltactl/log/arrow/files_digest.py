"""What tells one set of files from another, whatever their order: counts, bytes, and a digest."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.log.arrow.file_table import has_vectors

COLUMNS = ("path", "size", "storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality")

_MASK = (1 << 64) - 1


@dataclass(slots=True)
class FilesDigest:
    """Files by their paths and deletion vectors, which are added in any order.

    `mark` is of this process: another one hashes otherwise.
    """

    files: int = 0
    bytes: int = 0
    vectors: int = 0
    mark: int = 0

    def merge(self, other: "FilesDigest") -> None:
        """Count what `other` has counted too."""
        self.files += other.files
        self.bytes += other.bytes
        self.vectors += other.vectors
        self.mark = (self.mark + other.mark) & _MASK

    def add(self, batch: pa.RecordBatch) -> None:
        """Count the rows of a batch with `COLUMNS`, in which no row is null."""
        self.files += batch.num_rows
        self.bytes += pc.sum(batch.column("size"), min_count=0).as_py()
        keys = batch.column("path")
        if has_vectors(batch):
            kind = batch.column("storageType")
            self.vectors += len(kind) - kind.null_count
            offset = batch.column("offset").cast(pa.string()).fill_null("")
            place = batch.column("pathOrInlineDv")
            marked = pc.binary_join_element_wise(keys, kind, place, offset, "\n")
            keys = pc.coalesce(marked, keys)
        self.mark = (self.mark + sum(map(hash, keys.to_pylist()))) & _MASK


def texts_of(keys: pa.StringArray) -> Iterable[memoryview]:
    """Return the bytes of each text, without making it one."""
    _, offsets, text = keys.buffers()
    if text is None:
        return [memoryview(b"")] * len(keys)
    places = memoryview(offsets).cast("i")[keys.offset : keys.offset + len(keys) + 1].tolist()
    view = memoryview(text)
    return (view[start:end] for start, end in pairwise(places))
