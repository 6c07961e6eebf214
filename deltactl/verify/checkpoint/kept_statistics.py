"""Whether a checkpoint tells of its files the statistics that commits gave them.

Engines may write a text again, and leave out what they like. Texts are known by their hashes; where
these differ, or a checkpoint has structs only, some files are looked at closely.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import BrokenLogError
from deltactl.log.arrow.file_table import flatten
from deltactl.log.checkpoint.checkpoint_schema import statistics_type
from deltactl.log.commit import commit_lines
from deltactl.log.replay import FileKey, file_key
from deltactl.log.segment import Listing
from deltactl.spec.actions.action import Metadata
from deltactl.spec.actions.file_action import AddFile
from deltactl.spec.schema.schema import parse_schema
from deltactl.table.checkpoint.stats_parser import StatsParser
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint import file_texts
from deltactl.verify.checkpoint.parsed_statistics import Contradiction, contradictions
from deltactl.verify.files import live_totals

# So many files are looked at closely: an engine that writes texts again does so throughout.
MOST = 1_000


class KeptStatistics:
    """Note the statistics of a checkpoint while it is read.

    `mark_of` gives the hash of a live file's text, or 0.
    """

    def __init__(self, mark_of: Callable[[FileKey], int]) -> None:
        self._mark_of = mark_of
        self._texts: dict[FileKey, str] = {}
        self._structs: list[tuple[list[FileKey], pa.StructArray]] = []
        self._room = MOST

    def note_texts(self, batch: pa.RecordBatch) -> None:
        """Note the texts of a batch in the flat shape that are not those of the commits."""
        texts = batch.column("stats").to_pylist()
        for key, text in zip(live_totals.keys(batch), texts, strict=True):
            if text is None or len(self._texts) == MOST:
                continue
            if (mark := self._mark_of(key)) and mark != hash(text):
                self._texts[key] = text

    def note_structs(self, adds: pa.StructArray) -> None:
        """Note the structs of adds that have no text."""
        if not self._room or adds.type.get_field_index("stats_parsed") < 0:
            return
        bare = pc.and_(
            pc.struct_field(adds, "path").is_valid(), adds.field("stats_parsed").is_valid()
        )
        if adds.type.get_field_index("stats") >= 0:
            bare = pc.and_(bare, pc.struct_field(adds, "stats").is_null())
        held = adds.filter(bare).slice(0, self._room)
        if len(held):
            keys = list(live_totals.keys(flatten(held, file_texts.KEY)))
            self._structs.append((keys, held.field("stats_parsed")))
            self._room -= len(held)

    def contradictions(
        self, log: TableLog, until: int, metadata: Metadata
    ) -> Iterator[Contradiction]:
        """Yield where the checkpoint of `until` contradicts its commits; at most one a leaf."""
        noted = [key for keys, _ in self._structs for key in keys]
        given = _given(log, log.listing(), until, {*self._texts, *noted})
        groups = list(self._structs)
        if self._texts:
            parsed = StatsParser(_kind(metadata)).parse(_array(self._texts.values()))
            groups.append((list(self._texts), parsed))
        told = set[str]()
        for keys, parsed in groups:
            texts = _array(given.get(key) for key in keys)
            fields = {"path": _array(path for path, _ in keys), "stats": texts}
            both = pa.StructArray.from_arrays([*fields.values(), parsed], [*fields, "stats_parsed"])
            for found in contradictions(both):
                if found.leaf not in told:
                    told.add(found.leaf)
                    yield found


def _given(
    log: TableLog, listing: Listing, until: int, keys: Collection[FileKey]
) -> Mapping[FileKey, str]:
    """Return the statistics with which the files were last added, if commits tell."""
    left, found = set(keys), dict[FileKey, str]()
    for version in sorted((v for v in listing.commits if v <= until), reverse=True):
        if not left:
            break
        own: dict[FileKey, str] = {}
        file = listing.commits[version]
        try:
            for first, block in log.blocks(file):
                for _, kind, body in commit_lines.actions(block, file.name, first):
                    if kind == "add" and (key := file_key(add := AddFile.from_json(body))) in left:
                        own[key] = add.stats or ""
        except BrokenLogError:
            continue  # It is told of where it is checked.
        found |= own
        left -= own.keys()
    return found


def _kind(metadata: Metadata) -> pa.StructType:
    """Return the type of the statistics that the table's columns may have."""
    schema = parse_schema(metadata.schema_string or "")
    return statistics_type(schema, metadata.partition_columns, metadata.configuration)


def _array(texts: Iterable[str | None]) -> pa.StringArray:
    # Half of a pair of surrogates is text in JSON, and nowhere else.
    octets = (None if text is None else text.encode(errors="replace") for text in texts)
    return pa.array(octets, pa.binary()).cast(pa.string())
