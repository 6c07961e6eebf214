"""Files that keep plans: which are read, and what is wrong with the others."""

import json
from pathlib import Path
from typing import Any

import pytest
from small_tables import LEGACY, field, metadata, write_log

from deltactl import __version__
from deltactl.changes import saved_plan
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.plan import Plan
from deltactl.errors import DeltactlError
from deltactl.table.table import open_table


def naming(draft: Draft) -> Plan:
    draft.name = draft.fresh("col-", "name")
    return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})


@pytest.fixture
def text(tmp_path: Path) -> bytes:
    uri = write_log(tmp_path, [[LEGACY, metadata(field("a", "integer"))]])
    report = ChangeExecutor(open_table(uri), naming, CommitOptions(dry_run=True)).execute()
    return saved_plan.to_text(report, ["x"], {"file": "digest"})


def changed(text: bytes, **members: Any) -> bytes:
    """The plan with other members, and the digest of these."""
    content = json.loads(text)
    content.update(members)
    content.pop(saved_plan._DIGEST_KEY)
    content[saved_plan._DIGEST_KEY] = saved_plan._digest(content)
    return json.dumps(content).encode()


def refused(text: bytes) -> DeltactlError:
    with pytest.raises(DeltactlError) as caught:
        saved_plan.parse(text, "p")
    return caught.value


def test_what_was_saved_is_read(text: bytes, tmp_path: Path) -> None:
    assert saved_plan.is_plan(text)
    saved = saved_plan.parse(text, "p")
    assert (saved.made_by, saved.uri, saved.version) == (__version__, str(tmp_path), 0)
    assert (saved.request, saved.inputs, saved.call) == (("x",), {"file": "digest"}, None)
    ((prefix, what), name) = next(iter(saved.names.items()))
    assert (prefix, what, name[:4]) == ("col-", "name", "col-")
    assert saved.plan["operation"] == "SET TBLPROPERTIES"
    assert saved.metadata["id"] == saved.table_id


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"5", b"{}", b"\xff", b'{"other": 1}'])
def test_what_is_no_plan(data: bytes) -> None:
    assert not saved_plan.is_plan(data)
    error = refused(data)
    assert (error.code, error.exit_code) == ("NOT_A_PLAN", 2)


@pytest.mark.parametrize("form", [0, 2, True, "1", None])
def test_a_plan_of_another_format(text: bytes, form: Any) -> None:
    other = changed(text, **{saved_plan._FORMAT_KEY: form})
    assert saved_plan.is_plan(other)
    error = refused(other)
    assert (error.code, error.exit_code) == ("PLAN_OF_OTHER_FORMAT", 2)
    assert error.message.startswith(f"p is a plan of format {form}, made by deltactl {__version__}")


def test_a_plan_that_was_edited(text: bytes) -> None:
    error = refused(text.replace(b'"x"', b'"y"'))
    assert (error.code, error.exit_code) == ("PLAN_EDITED", 4)
    content = json.loads(text)
    del content[saved_plan._DIGEST_KEY]
    assert refused(json.dumps(content).encode()).code == "PLAN_EDITED"


@pytest.mark.parametrize(
    ("request_words", "more", "faults"),
    [([5], "", 1), ([5, 6], " (and 1 more)", 2), ([5, 6, 7], " (and 2 more)", 3)],
)
def test_a_plan_with_faults(text: bytes, request_words: list[Any], more: str, faults: int) -> None:
    error = refused(changed(text, request=request_words))
    assert (error.code, error.exit_code) == ("PLAN_MALFORMED", 2)
    assert error.message == f"p is not a plan as deltactl saves it: request[0] is not text{more}"
    assert len(error.details["faults"]) == faults
