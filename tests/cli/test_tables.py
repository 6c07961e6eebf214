from pathlib import Path

import pytest

from deltactl.cli.context import Session
from deltactl.cli.flags import Invocation
from deltactl.cli.tables import open_named
from deltactl.errors import NotFoundError


def hint(text: str) -> str | None:
    with pytest.raises(NotFoundError) as caught:
        open_named(Session(Invocation([])), text)
    return caught.value.hint


def test_a_missing_table_names_those_of_the_file() -> None:
    Path("deltactl.toml").write_text('[tables]\nevents = "lake/events"\n')
    assert hint("evnts") == "did you mean events, of [tables] in deltactl.toml?"
    assert "[tables]" not in (hint("zzz") or "")
    assert "[tables]" not in (hint("events") or "")  # the name is known, its table is missing
