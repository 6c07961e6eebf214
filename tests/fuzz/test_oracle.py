"""The oracle itself: it knows what a log says, and it notices a wrong answer."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from oracle import State, differences, states
from tables import write

SCHEMA = {"type": "struct", "fields": []}
HEADS = [
    {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
    {"metaData": {"id": "t", "schemaString": json.dumps(SCHEMA), "configuration": {}}},
]
ANSWER = {
    "command": "files",
    "version": 1,
    "table": {"id": "t"},
    "files": [{"path": "b"}],
}


def log(*commits: list[dict[str, object]]) -> dict[str, bytes]:
    return {
        f"{version:020d}.json": "\n".join(map(json.dumps, lines)).encode()
        for version, lines in enumerate(commits)
    }


TWO = log(
    [*HEADS, {"add": {"path": "a"}}],
    [{"remove": {"path": "a"}}, {"add": {"path": "b"}}],
)


def test_a_plain_log() -> None:
    [state] = states(TWO)
    assert (state.version, [path for path, _ in state.adds]) == (1, ["b"])
    assert differences(ANSWER, [state]) == []


@pytest.mark.parametrize(
    "wrong", [{"version": 0}, {"files": []}, {"files": [{"path": "a"}]}, {"table": {"id": "u"}}]
)
def test_a_wrong_answer(wrong: dict[str, object]) -> None:
    assert differences({**ANSWER, **wrong}, states(TWO))


@pytest.mark.parametrize(
    "files",
    [
        {name: data for name, data in TWO.items() if "1.json" in name},
        {**TWO, f"{1:020d}.json": b'{"add":{"path":"b","path":"c"}}'},
        {**TWO, f"{1:020d}.json": b'{"add":{"path":"%62"}}'},
        {**TWO, f"{5:020d}.checkpoint.parquet": b""},
    ],
    ids=["a gap", "a key twice", "an escape", "a checkpoint above"],
)
def test_no_opinion(files: dict[str, bytes]) -> None:
    assert states(files) == []


def test_a_damaged_checkpoint_is_left_aside() -> None:
    [state] = states({**TWO, f"{1:020d}.checkpoint.parquet": b"PAR1"})
    assert state.version == 1


def test_features_that_are_no_text() -> None:
    protocol = {"minReaderVersion": 3, "readerFeatures": [["a"]], "writerFeatures": 7}
    [problem] = differences(
        {
            **ANSWER,
            "command": "show",
            "schema": None,
            "protocol": {"minReaderVersion": 3, "readerFeatures": ["a"], "writerFeatures": None}
            | {"minWriterVersion": None},
            "partitionColumns": [],
            "properties": {},
            "files": {"count": 0},
        },
        [State(1, protocol, {"id": "t"})],
    )
    assert problem == "readerFeatures ['a'], not [['a']]; writerFeatures None, not 7"


def test_nothing_is_written_below_a_broken_link(tmp_path: Path) -> None:
    write({"a": "broken link", "a/b": b"", "c/d": b"x"}, None, tmp_path / "t")
    found = {path.name for path in (tmp_path / "t").rglob("*")}
    assert found == {"_delta_log", "a", "c", "d"}


def test_a_checkpoint_whose_actions_are_no_structs_is_left_aside() -> None:
    sink = pa.BufferOutputStream()
    heads = pa.Table.from_pylist([HEADS[0] | {"metaData": {"id": "t"}, "add.path": "a"}])
    pq.write_table(heads, sink)
    found = states({**TWO, f"{1:020d}.checkpoint.parquet": sink.getvalue().to_pybytes()})
    [state] = [state for state in found if state.has_files]
    assert [path for path, _ in state.adds] == ["b"]


def test_damage_to_what_no_answer_needs_leaves_a_checkpoint_as_it_is() -> None:
    rows = [HEADS[0] | {"metaData": {"id": "u", "schemaString": "{}"}, "remove.path": "a"}]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    found = states({**TWO, f"{1:020d}.checkpoint.parquet": sink.getvalue().to_pybytes()})
    assert [(state.metadata or {})["id"] for state in found] == ["t", "u"]
    no_files = {**ANSWER, "table": {"id": "u"}, "files": []}
    assert differences(no_files, found) == []


def test_a_checkpoint_without_files_that_can_be_read_tells_only_the_schema() -> None:
    rows = [
        HEADS[0] | {"metaData": {"id": "u", "schemaString": json.dumps(SCHEMA)}, "add.path": "b"}
    ]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    found = states({**TWO, f"{1:020d}.checkpoint.parquet": sink.getvalue().to_pybytes()})
    other = {**ANSWER, "table": {"id": "u"}, "schema": SCHEMA}
    assert differences({**other, "command": "schema show"}, found) == []
    assert differences(other, found) == ["id u, not t"]
