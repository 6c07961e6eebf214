"""Statistics that a checkpoint tells otherwise than the commits that its files came with."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.log.arrow.file_table import flatten
from deltactl.spec.actions.action import Metadata
from deltactl.storage.local.local import LocalStorage
from deltactl.table.log import TableLog
from deltactl.verify.checkpoint.kept_statistics import MOST, KeptStatistics
from deltactl.verify.files.live_totals import mark

TABLE = metadata(field("id", "integer"), field("at", "timestamp"))
COMMITTED = {
    "numRecords": 3, "minValues": {"id": 1, "at": "2024-01-01T00:00:00.123Z"},
    "nullCount": {"id": 0},
}  # fmt: skip


def text(**changed: Any) -> str:
    return json.dumps(COMMITTED | changed)


def add(number: int, stats: str | None) -> dict[str, Any]:
    fields = {"path": f"{number}.parquet", "partitionValues": {}, "size": 10, "modificationTime": 7}
    return {"add": {**fields, "dataChange": True, "stats": stats}}


def contradicted(root: Path, texts: dict[int, str | None], files: int = 2) -> list[str]:
    """What is found where the checkpoint of version 1 has other texts for these files."""
    again = [commit_info(), add(1, text())]
    first = [commit_info(), LEGACY, TABLE, add(1, text(numRecords=99))]
    first += [add(number, text()) for number in range(2, files + 1)]
    log = TableLog(LocalStorage(write_log(root, [first, again])))
    held = [texts.get(number, text()) for number in range(1, files + 1)]
    rows = [{"path": f"{n}.parquet", "stats": stats} for n, stats in enumerate(held, 1)]
    adds = pa.array(rows, pa.struct([("path", pa.string()), ("stats", pa.string())]))
    kept = KeptStatistics(lambda _: mark(text()))
    columns = ("path", "storageType", "pathOrInlineDv", "offset", "sizeInBytes", "cardinality")
    kept.note_texts(flatten(adds, (*columns, "stats")))
    kept.note_structs(adds)
    table = Metadata.from_json(dict(TABLE["metaData"]))
    return [" ".join(found) for found in kept.contradictions(log, 1, table)]


@pytest.mark.parametrize(
    "held",
    [
        None,
        "no JSON",
        '{"numRecords":3}',
        json.dumps(COMMITTED, indent=2),
        text(minValues={"at": "2024-01-01T00:00:00.123456+00:00", "id": 1}),
        text(minValues={"id": 1, "unknown": 4}),
    ],
    ids=["none", "unreadable", "fewer", "in other words", "finer times", "more"],
)
def test_what_does_not_contradict_the_commit(tmp_path: Path, held: str | None) -> None:
    assert contradicted(tmp_path, {1: held}) == []


def test_each_leaf_that_differs_is_told_of_once(tmp_path: Path) -> None:
    texts = {1: text(numRecords=4), 2: text(numRecords=5, minValues={"id": 2})}
    assert contradicted(tmp_path, texts) == [
        "numRecords 1.parquet 3 4",
        "minValues.id 2.parquet 1 2",
    ]


def test_the_last_add_of_a_file_counts(tmp_path: Path) -> None:
    assert contradicted(tmp_path, {1: text(numRecords=99)}) == ["numRecords 1.parquet 3 99"]


def test_of_texts_that_were_all_written_anew_only_some_are_looked_at(tmp_path: Path) -> None:
    files = MOST + 5
    texts = {number: json.dumps(COMMITTED, indent=1) for number in range(1, files + 1)}
    places = [tmp_path / name for name in ("one", "other")]
    for place in places:
        place.mkdir()
    assert contradicted(places[0], texts, files) == []
    assert contradicted(places[1], texts | {7: text(numRecords=5)}, files) == [
        "numRecords 7.parquet 3 5"
    ]


PARSED = pa.struct([("numRecords", pa.int64()), ("minValues", pa.struct([("id", pa.int32())]))])
RIGHT = {"numRecords": 3, "minValues": {"id": 1}}


def contradicted_structs(root: Path, rows: list[dict[str, Any]], **types: Any) -> list[str]:
    """What is found where the checkpoint of version 0 has these columns of its adds."""
    files = [add(number, text()) for number in (1, 2)]
    log = TableLog(LocalStorage(write_log(root, [[commit_info(), LEGACY, TABLE, *files]])))
    kept = KeptStatistics(lambda _: mark(text()))
    columns = {"path": pa.string(), "stats": pa.string(), "stats_parsed": PARSED, **types}
    kind = pa.struct([(name, column) for name, column in columns.items() if column is not None])
    kept.note_structs(pa.array(rows, kind))
    table = Metadata.from_json(dict(TABLE["metaData"]))
    return [" ".join(found) for found in kept.contradictions(log, 0, table)]


WRONG = {"path": "2.parquet", "stats_parsed": RIGHT | {"numRecords": 4}}


@pytest.mark.parametrize(
    ("rows", "types", "expected"),
    [
        ([{"path": "1.parquet", "stats_parsed": RIGHT}], {}, []),
        ([{"path": "1.parquet", "stats_parsed": RIGHT}, WRONG], {}, ["numRecords 2.parquet 3 4"]),
        ([WRONG], {"stats": None}, ["numRecords 2.parquet 3 4"]),
        # The text counts, and is looked at elsewhere.
        ([WRONG | {"stats": "{}"}], {}, []),
        ([{"path": "2.parquet", "stats_parsed": None}], {}, []),
        ([WRONG | {"path": None}], {}, []),
        ([WRONG], {"stats_parsed": None}, []),
        ([], {}, []),
    ],
)
def test_structs_that_have_no_text(
    tmp_path: Path, rows: list[dict[str, Any]], types: dict[str, Any], expected: list[str]
) -> None:
    assert contradicted_structs(tmp_path, rows, **types) == expected
