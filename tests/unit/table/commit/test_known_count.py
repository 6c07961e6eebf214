"""How many files a table is known to have, without counting them."""

import json
from pathlib import Path

import pytest
from checkpoints import classic
from small_tables import LEGACY, commit_info, field, metadata, write_log

from deltactl.table.commit.checksum import known_count
from deltactl.table.table import open_table

HEADS = [LEGACY, metadata(field("id", "integer"))]


@pytest.mark.parametrize(
    ("said", "known"),
    [
        ({"numOfAddFiles": 7}, (7, 0)),
        ({}, (None, None)),
        # There were none then, which says nothing of what came since.
        ({"numOfAddFiles": 0}, (None, None)),
    ],
    ids=["seven", "not-said", "none-then"],
)
def test_an_older_checkpoint_tells_the_number_of_its_own_version(
    tmp_path: Path, said: dict[str, int], known: tuple[int | None, int | None]
) -> None:
    commits = [[commit_info(), *HEADS], [commit_info()]]
    uri = write_log(tmp_path, commits, others=classic(0, HEADS))
    hint = {"version": 0, "size": 2, **said}
    (Path(uri) / "_delta_log" / "_last_checkpoint").write_text(json.dumps(hint))
    assert known_count(open_table(uri).snapshot()) == known
