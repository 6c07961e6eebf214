"""The oracle itself: it knows what a log says, and it notices a wrong answer."""

import json

import pytest
from oracle import differences, states

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
