"""What history reads of a commit, line by line and at once."""

import json
from typing import Any

import pytest

from deltactl.log.commit.commit_info_form import Forms
from deltactl.log.commit.digest import Digest, FileCounts, read_plain

NAME = "00000000000000000003.json"
INFO = '{"commitInfo":{"timestamp":1767322800000,"operation":"WRITE"}}'
FILES = ['{"add":{"path":"a"}}', '{"remove":{"path":"b"}}', '{"remove":{"path":"c"}}']
CDC = '{"cdc":{"path":"d"}}'
ROWS = {"domain": "delta.rowTracking", "configuration": '{"rowIdHighWaterMark":4}'}
OWN = {"domain": "own", "configuration": "x"}


def digest(*lines: str, first: int = 1, block: str | None = None) -> Digest:
    found = Digest()
    text = "".join(f"{line}\n" for line in lines) if block is None else block
    found.read(text.encode(), NAME, first)
    return found


def spaced(action: dict[str, Any]) -> str:
    """The action as an engine that puts blanks into JSON writes it."""
    return f"{{ {json.dumps(action)[1:]}"


@pytest.mark.parametrize("blank", ["", " "], ids=["as-engines-write", "with-blanks"])
def test_the_files_are_counted_by_kind(blank: str) -> None:
    lines = [line.replace(":{", f":{blank}{{") for line in (*FILES, CDC, CDC, CDC)]
    lines = [line.replace('{"', f'{{{blank}"', 1) for line in lines]
    found = digest(INFO, *lines)
    assert found.files == FileCounts(added=1, removed=2, cdc=3)
    assert found.info == {"timestamp": 1767322800000, "operation": "WRITE"}
    assert found.is_plain


def test_the_counts_go_on_from_block_to_block_and_the_last_line_needs_no_end() -> None:
    found = digest(INFO, FILES[0])
    found.read("\n".join(FILES).encode(), NAME, 3)
    assert found.files == FileCounts(added=2, removed=2, cdc=0)


@pytest.mark.parametrize("write", [spaced, lambda a: json.dumps(a, separators=(",", ":"))])
def test_a_domain_is_kept_unless_it_counts_rows(write) -> None:
    found = digest(INFO, write({"domainMetadata": ROWS}), write({"domainMetadata": OWN}))
    assert found.domain_lines == (write({"domainMetadata": OWN}).encode(),)
    assert not found.is_plain
    assert digest(INFO, write({"domainMetadata": ROWS})).is_plain


def test_heads_are_kept_with_their_lines() -> None:
    protocol, metadata = '{"protocol":{"minReaderVersion":1}}', '{"metaData":{"id":"0"}}'
    found = digest(INFO, protocol, metadata, '{"txn":{"appId":"x","version":1}}')
    assert [(held.body, held.line) for held in found.protocols] == [
        ({"minReaderVersion": 1}, protocol.encode())
    ]
    assert [(held.body, held.line) for held in found.metadatas] == [
        ({"id": "0"}, metadata.encode())
    ]
    assert not found.is_plain


def test_what_is_odd_about_the_text() -> None:
    assert digest(f"\ufeff{INFO}").has_bom
    assert digest(INFO, "", FILES[0]).has_blank_lines
    late = digest(FILES[0], INFO)
    assert (late.info_is_first, late.info["operation"]) == (False, "WRITE")
    assert digest(spaced(json.loads(INFO))).info_is_first
    assert not digest(FILES[0], spaced(json.loads(INFO))).is_plain
    for odd in (digest(f"\ufeff{INFO}"), digest(INFO, ""), late):
        assert not odd.is_plain


def test_a_commit_of_a_known_form_is_read_at_once_and_as_it_is_line_by_line() -> None:
    forms = Forms()
    text = "\n".join((INFO, *FILES, CDC, "")).encode()
    for _ in range(3):
        Digest().read(text, NAME, forms=forms)
    found = read_plain(text, forms)
    assert found is not None
    assert found[1] == FileCounts(added=1, removed=2, cdc=1)
    odd = "\n".join((INFO, *FILES, '{"txn":{"appId":"x","version":1}}', "")).encode()
    assert read_plain(odd, forms) is None
    assert read_plain(text[:-1], forms) is None
