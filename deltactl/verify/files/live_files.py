"""Replay of a whole log: of each live file no more is kept than tells whether it is the same."""

from typing import Any

import pyarrow as pa

from deltactl.log.replay import FileKey, Replay
from deltactl.verify.files.live_totals import LiveFileFacts, Totals, digests, facts_of, keys, packed
from deltactl.verify.files.tombstones import Tombstones


class LiveFiles(Replay):
    """Replay that counts as it goes. A file is known by the hash of its key, of 64 bits."""

    def __init__(self) -> None:
        super().__init__(keep_removes=True)
        self.totals = Totals()
        self.tombstones = Tombstones()
        self._facts: dict[int, bytes] = {}

    def apply_action(self, kind: str, body: dict[str, Any], name: str) -> None:
        """Apply one action; `files` and `removes` hold nothing afterwards."""
        super().apply_action(kind, body, name)
        if self.files:
            self._settle()

    def apply_compacted(self, block: bytes, name: str) -> None:
        """Apply a compacted file, whose files are counted as those of a commit."""
        super().apply_compacted(block, name)
        self._settle()

    def load(self, batch: pa.RecordBatch) -> None:
        """Take over the files of a checkpoint."""
        marks = list(digests(batch))
        self.totals.count_batch(batch, marks)
        held = self._facts
        for key, file in zip(map(hash, keys(batch)), packed(batch, marks), strict=True):
            if (before := held.get(key)) is not None:
                self.totals.count(LiveFileFacts.unpacked(before), -1)
            held[key] = file

    def digest_of(self, key: FileKey) -> int | None:
        """Return the digest of a live file; None for one that is not live."""
        held = self._facts.get(hash(key))
        return None if held is None else LiveFileFacts.unpacked(held).digest

    def statistics_of(self, key: FileKey) -> int:
        """Return the mark of a live file's statistics; 0 if they are not known."""
        held = self._facts.get(hash(key))
        return 0 if held is None else LiveFileFacts.unpacked(held).statistics

    def forget(self) -> None:
        """Begin again, as where commits are missing and a checkpoint stands in for them."""
        self.totals = Totals()
        self.tombstones = Tombstones(self.tombstones.since)
        self._facts.clear()
        self.transactions.clear()
        self.domains.clear()

    def _settle(self) -> None:
        for key, add in self.files.items():
            self._put(key, None if add is None else facts_of(add))
            if add is not None:
                self.tombstones.drop(key)
        for key, remove in self.removes.items():
            self.tombstones.put(key, remove)
        self.files.clear()
        self.removes.clear()

    def _put(self, key: FileKey, file: LiveFileFacts | None) -> None:
        hashed = hash(key)
        before = self._facts.pop(hashed, None)
        if before is not None:
            self.totals.count(LiveFileFacts.unpacked(before), -1)
        if file is not None:
            self._facts[hashed] = file.packed()
            self.totals.count(file)
