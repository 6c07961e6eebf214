"""A commit of many files takes no more memory than what tells them apart."""

import json

from deltactl.log.arrow.file_table import batches_of
from deltactl.log.replay import Replay
from deltactl.spec.actions.file_action import AddFile


def commit(files: int, partitions: int) -> bytes:
    adds = (
        {"path": f"{n}", "size": 1, "partitionValues": {"p": f"{n % partitions}"},
         "stats": '{"numRecords":7,"minValues":{"id":1}}'}
        for n in range(files)
    )  # fmt: skip
    return b"".join(json.dumps({"add": add}).encode() + b"\n" for add in adds)


def test_files_of_a_partition_share_its_values() -> None:
    replay = Replay(keep_stats="records")
    replay.apply(commit(100, 5), "0.json")
    live = list(replay.live())
    assert len(live) == 100
    assert len({id(add.partition_values) for add in live}) == 5
    assert [add.partition_values for add in live[3:6]] == [{"p": "3"}, {"p": "4"}, {"p": "0"}]
    assert {add.stats for add in live} == {'{"numRecords":7}'}
    assert len({id(add.unknown) for add in live}) == 1


def test_values_of_other_columns_are_other_values() -> None:
    lines = (
        b'{"add":{"path":"a","partitionValues":{"x":"y"}}}\n'
        b'{"add":{"path":"b","partitionValues":{"x":null}}}\n'
        b'{"add":{"path":"c","partitionValues":{"x":"y","p":"q"}}}\n'
        b'{"add":{"path":"d","partitionValues":{"x":"p","y":"q"}}}\n'
    )
    replay = Replay()
    replay.apply(lines, "0.json")
    expected = [{"x": "y"}, {"x": None}, {"x": "y", "p": "q"}, {"x": "p", "y": "q"}]
    assert [add.partition_values for add in replay.live()] == expected


def test_files_become_arrow_a_lot_at_a_time() -> None:
    adds = (AddFile.from_json({"path": f"{n}", "size": n}) for n in range(20_000))
    sizes = [batch.column("size").to_pylist() for batch in batches_of(adds, ("path", "size"))]
    assert max(map(len, sizes)) == 8192
    assert [size for batch in sizes for size in batch] == list(range(20_000))
