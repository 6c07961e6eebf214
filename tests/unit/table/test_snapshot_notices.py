"""What a snapshot remarks of the commits that it is read from."""

import json
from pathlib import Path

import pytest
from small_tables import LEGACY, Action, commit_info, field, metadata, write_log

from deltactl.errors import BrokenLogError
from deltactl.table.table import open_table

OTHER = metadata(field("b", "long"))
OWN = metadata(field("a", "long"))


def codes(
    root: Path, *commits: list[Action], others: dict[str, bytes] | None = None
) -> tuple[list[str], list[str]]:
    snapshot = open_table(write_log(root, commits, others=others)).snapshot()
    return [field.name for field in snapshot.schema.fields], [n.code for n in snapshot.notices]


@pytest.mark.parametrize(
    ("commits", "columns", "expected"),
    [
        ([[commit_info(), LEGACY, OWN]], ["a"], []),
        ([[LEGACY, OWN], [commit_info(), OTHER]], ["b"], []),
        # The last one of a commit counts, and it is told that there are two.
        ([[LEGACY, OWN, OTHER]], ["b"], ["TWO_METADATA"]),
        ([[LEGACY, LEGACY, OWN]], ["a"], ["TWO_PROTOCOLS"]),
    ],
)
def test_two_heads_in_one_commit_are_told(
    tmp_path: Path, commits: list[list[Action]], columns: list[str], expected: list[str]
) -> None:
    assert codes(tmp_path, *commits) == (columns, expected)


def test_of_two_heads_in_a_compacted_file_the_first_is_the_newest(tmp_path: Path) -> None:
    # Its commits are gone: while they are there, they are read instead.
    text = "".join(f"{json.dumps(action)}\n" for action in (LEGACY, OTHER, OWN))
    others = {f"{0:020d}.{1:020d}.compacted.json": text.encode()}
    uri = write_log(tmp_path, [[commit_info()]], first=2, others=others)
    snapshot = open_table(uri).snapshot()
    assert [field.name for field in snapshot.schema.fields] == ["b"]
    assert snapshot.notices == ()


HEAD_LINES = "".join(
    f"{json.dumps(line)}\n" for line in (commit_info(), LEGACY, metadata(field("a", "long")))
)
TORN = '{"add":\n'


def test_of_older_commits_only_the_lines_that_count_are_read(tmp_path: Path) -> None:
    uri = write_log(tmp_path, [HEAD_LINES + TORN, [commit_info()]])
    assert open_table(uri).snapshot().version == 1


def test_each_line_of_the_newest_commit_is_read(tmp_path: Path) -> None:
    uri = write_log(tmp_path, [HEAD_LINES, f"{json.dumps(commit_info())}\n{TORN}"])
    with pytest.raises(BrokenLogError) as caught:
        open_table(uri).snapshot()
    assert (caught.value.code, caught.value.message[:33]) == (
        "COMMIT_NOT_JSON",
        f"{1:020d}.json, line 2",
    )
