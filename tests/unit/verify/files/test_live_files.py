"""Live files counted as they come and go, and the digest in which their order does not count."""

import json
from typing import Any

from deltactl.log.arrow.file_table import from_adds
from deltactl.log.replay import file_key
from deltactl.spec.actions.file_action import AddFile
from deltactl.verify.checkpoint.file_texts import COLUMNS
from deltactl.verify.files.live_files import LiveFiles
from deltactl.verify.files.live_totals import Totals, digests, facts_of, mark

VECTOR = {
    "storageType": "u",
    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
    "offset": 4,
    "sizeInBytes": 40,
    "cardinality": 6,
}
ADDS: list[dict[str, Any]] = [
    {"path": "a", "size": 100, "partitionValues": {}, "modificationTime": 1, "dataChange": True},
    {"path": "b%20c", "size": 9000, "partitionValues": {"p": "1", "q": None},
     "modificationTime": 2, "dataChange": True, "stats": '{"numRecords":10}',
     "deletionVector": VECTOR, "baseRowId": 5, "defaultRowCommitVersion": 3},
    {"path": "d", "size": 8192, "partitionValues": {"p": "1"}, "modificationTime": 3,
     "dataChange": False, "stats": '{"numRecords":4}'},
]  # fmt: skip


def adds() -> list[AddFile]:
    return [AddFile.from_json(body) for body in ADDS]


def replayed(*actions: tuple[str, dict[str, Any]]) -> Totals:
    files = LiveFiles()
    for number, (kind, body) in enumerate(actions):
        files.apply_action(kind, dict(body), f"{number}.json")
    return files.totals


def test_a_batch_has_the_digests_of_its_adds() -> None:
    batch = from_adds(adds(), (*COLUMNS, "stats"))
    assert list(digests(batch)) == [facts_of(add).digest for add in adds()]


def test_counts_of_a_batch_are_those_of_replay() -> None:
    counted = Totals()
    batch = from_adds(adds(), (*COLUMNS, "stats"))
    counted.count_batch(batch, digests(batch))
    assert counted == replayed(*(("add", body) for body in ADDS))
    assert (counted.files, counted.size, counted.vectors, counted.deleted_rows) == (3, 17292, 1, 6)
    assert counted.size_counts[:3] == [1, 2, 0]
    assert counted.size_bytes[:3] == [100, 17192, 0]
    assert counted.deleted_counts[:3] == [2, 1, 0]
    assert counted.records is None


def test_files_of_a_compacted_file_count_as_those_of_commits() -> None:
    files = LiveFiles()
    gone = {"remove": {"path": "gone", "deletionTimestamp": 5}}
    actions = [*({"add": body} for body in ADDS), gone]
    files.apply_compacted("\n".join(map(json.dumps, actions)).encode(), "0.1.compacted.json")
    assert files.totals == replayed(*(("add", body) for body in ADDS))


def test_what_is_known_of_a_live_file() -> None:
    files = LiveFiles()
    files.load(from_adds(adds(), (*COLUMNS, "stats")))
    first, second, _ = map(file_key, adds())
    assert files.digest_of(second) == facts_of(adds()[1]).digest
    assert (files.statistics_of(first), files.statistics_of(second)) == (0, mark(ADDS[1]["stats"]))
    gone = (second[0], None)
    assert (files.digest_of(gone), files.statistics_of(gone)) == (None, 0)
    files.load(from_adds(adds(), (*COLUMNS, "stats")))
    assert files.totals.files == 3, "what is loaded again is the same file"
    files.forget()
    assert (files.digest_of(second), files.totals) == (None, Totals())


def test_order_does_not_count() -> None:
    forth = replayed(*(("add", body) for body in ADDS))
    assert replayed(*(("add", body) for body in reversed(ADDS))) == forth


def test_what_goes_leaves_nothing() -> None:
    vector = {"path": "b%20c", "deletionVector": VECTOR}
    gone = [("remove", {"path": "a"}), ("remove", vector), ("remove", {"path": "d"})]
    assert replayed(*(("add", body) for body in ADDS), *gone) == Totals()


def test_another_field_is_another_digest() -> None:
    changed = [
        {**ADDS[0], "size": 101},
        {**ADDS[0], "modificationTime": 9},
        {**ADDS[0], "path": "e"},
    ]
    found = {facts_of(AddFile.from_json(body)).digest for body in [ADDS[0], *changed]}
    assert len(found) == 4


def test_the_order_of_partition_values_means_nothing() -> None:
    turned = {**ADDS[1], "partitionValues": {"q": None, "p": "1"}}
    assert facts_of(AddFile.from_json(turned)) == facts_of(adds()[1])
