from typing import Any

import pytest

from deltactl.errors import BrokenLogError, Notice
from deltactl.log.commit.commit_lines import (
    ActionAtLine,
    actions,
    at_most_one,
    check_ends,
    commit_warnings,
    duplicate_key,
    lines,
    parse_line,
    read_metadata,
    read_protocol,
    search,
)
from deltactl.spec.actions.action import Protocol

NAME = "00000000000000000003.json"
PROTOCOL = b'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}'
BOM = b"\xef\xbb\xbf"


def test_a_line_is_an_object() -> None:
    assert parse_line(b'{"txn":{"appId":"\xc3\xa9"}}', NAME, 1) == {"txn": {"appId": "é"}}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b'{"add":{"path":"a"',
        b"[]",
        b"5",
        b'{"a":NaN}',
        b'{"a":-Infinity}',
        b'{"a":"\xff"}',
        b'{"a":1}{"b":2}',
        b'{"a":"\\ud800"}',
        b'{"a":1e999}',
        b'{"a":"\\udc00\\ud800"}',
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":' + b"[" * 100_000,
    ],
    ids=lambda line: repr(line[:24]),
)
def test_any_other_line_is_named_with_its_file(line: bytes) -> None:
    with pytest.raises(BrokenLogError) as caught:
        parse_line(line, NAME, 7)
    assert caught.value.code == "COMMIT_NOT_JSON"
    assert caught.value.message.startswith(f"{NAME}, line 7 is not ")
    assert len(caught.value.message) < 300
    assert caught.value.details == {"file": NAME, "line": 7}


def test_a_whole_surrogate_pair_may_be_escaped() -> None:
    assert parse_line(b'{"a":"\\ud83d\\uDE00"}', NAME, 1) == {"a": "\U0001f600"}


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (b"a\nb\n", [(1, b"a"), (2, b"b")]),
        (b"a\r\nb", [(1, b"a"), (2, b"b")]),
        (b"\n\na\n \nb\n\n", [(3, b"a"), (5, b"b")]),
        (BOM + b"a\nb", [(1, b"a"), (2, b"b")]),
        (BOM, []),
        (b"", []),
    ],
)
def test_lines_that_hold_something_keep_their_numbers(
    block: bytes, expected: list[tuple[int, bytes]]
) -> None:
    assert list(lines(block)) == expected


def test_numbers_go_on_from_block_to_block() -> None:
    assert list(lines(b"x\ny", 41)) == [(41, b"x"), (42, b"y")]


def test_actions_come_with_their_line_and_kind() -> None:
    block = b'{"commitInfo":{}}\n\n{"add":{"path":"a"},"own":{"x":1}}\n{"remove":null}\n'
    assert list(actions(block, NAME)) == [
        (1, "commitInfo", {}),
        (3, "add", {"path": "a"}),
        (3, "own", {"x": 1}),
    ]


def test_an_action_is_an_object_but_what_nobody_knows_may_be_anything() -> None:
    assert list(actions(b'{"own":5}', NAME)) == []
    with pytest.raises(BrokenLogError) as caught:
        list(actions(b'{"own":5}\n{"add":"a"}', NAME))
    assert caught.value.code == "ACTION_MALFORMED"
    assert caught.value.message == f"{NAME}, line 2: add is not an object"


@pytest.mark.parametrize(
    ("block", "codes"),
    [
        (b"{}\n{}\n", []),
        (b"{}\n{}", []),
        (b"{}\r\n{}\r\n", []),
        (BOM + b"{}", ["COMMIT_HAS_BOM"]),
        (b"\n{}", ["COMMIT_HAS_BLANK_LINES"]),
        (b"{}\n\n{}", ["COMMIT_HAS_BLANK_LINES"]),
        (b"{}\r\n\r\n{}", ["COMMIT_HAS_BLANK_LINES"]),
        (BOM + b"\n{}", ["COMMIT_HAS_BOM", "COMMIT_HAS_BLANK_LINES"]),
    ],
)
def test_what_engines_disagree_about_is_remarked(block: bytes, codes: list[str]) -> None:
    assert [notice.code for notice in commit_warnings(block, NAME)] == codes


@pytest.mark.parametrize("block", [b"", b"\n", b"{}", b'{"a":1}\n', b'{"a":1} \r\n\n'])
def test_a_last_line_that_is_whole(block: bytes) -> None:
    check_ends(block, NAME)


@pytest.mark.parametrize("block", [b"{}\n{", b'{}\n{"add":{"pa\n', b"x"])
def test_a_last_line_that_was_cut_short(block: bytes) -> None:
    with pytest.raises(BrokenLogError, match="it was cut short"):
        check_ends(block, NAME)


def bodies(block: bytes, kind: str) -> list[dict[str, Any]]:
    return [found.body for found in search(block, kind, NAME)]


def test_search_finds_each_action_of_a_kind() -> None:
    block = PROTOCOL + b'\n{"add":{"path":"a"}}\n' + PROTOCOL.replace(b"2", b"3")
    found = search(block, "protocol", NAME)
    assert [f.body["minWriterVersion"] for f in found] == [2, 3]
    assert found[0].line == PROTOCOL


def test_search_is_not_led_astray_by_the_word_in_another_place() -> None:
    block = b"\n".join(
        [
            b'{"commitInfo":{"operationParameters":{"protocol":"{\\"protocol\\":1}"}}}',
            b'{"add":{"path":"a","tags":{"protocol":"x"}}}',
            b'{"txn":{"appId":"\\"protocol\\""}}',
            b'{"protocol":null}',
        ]
    )
    assert bodies(block, "protocol") == []
    assert bodies(block + b"\n" + PROTOCOL, "protocol") == [
        {"minReaderVersion": 1, "minWriterVersion": 2}
    ]


@pytest.mark.parametrize(
    "block",
    [
        BOM + PROTOCOL,
        b"\n\n  " + PROTOCOL + b"\r\n",
        PROTOCOL.replace(b":", b" : "),
        b'{ "protocol" :\t{"minReaderVersion":1,"minWriterVersion":2} }',
    ],
)
def test_search_takes_any_spacing(block: bytes) -> None:
    assert bodies(block, "protocol") == [{"minReaderVersion": 1, "minWriterVersion": 2}]


def test_search_names_the_line_that_is_broken() -> None:
    with pytest.raises(BrokenLogError, match=f"{NAME}, line 12 is not JSON"):
        search(b'{}\n\n{"protocol":', "protocol", NAME, 10)


def test_a_commit_has_one_protocol_and_one_metadata_at_most() -> None:
    assert [n.code for n in at_most_one(1, 1, NAME)] == []
    assert list(at_most_one(2, 3, NAME)) == [
        Notice("TWO_PROTOCOLS", f"{NAME} has 2 protocol actions; the last one counts"),
        Notice("TWO_METADATA", f"{NAME} has 3 metaData actions; the last one counts"),
    ]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (b'{"a":{"b":1,"c":1},"d":{"b":1}}', None),
        (b'{"a":1,"a":1}', "a"),
        (b'{"a":{"b":[{"c":1,"c":2}]}}', "c"),
        (b'{"a":1,"\\u0061":1}', "a"),
    ],
)
def test_a_key_may_stand_once_in_an_object(line: bytes, key: str | None) -> None:
    assert duplicate_key(line) == key


def test_a_protocol_is_read_and_a_key_that_stands_twice_is_remarked() -> None:
    line = b'{"protocol":{"minReaderVersion":9,"minReaderVersion":1,"minWriterVersion":2}}'
    (found,) = search(line, "protocol", NAME)
    notices: list[Notice] = []
    expected = Protocol(min_reader_version=1, min_writer_version=2)
    assert read_protocol(found, NAME, notices) == expected
    assert [n.code for n in notices] == ["DUPLICATE_KEY"]


def test_a_malformed_action_names_its_file() -> None:
    with pytest.raises(BrokenLogError, match=f"^{NAME}: protocol: minWriterVersion must be"):
        read_protocol(ActionAtLine({"minReaderVersion": 1}, b""), NAME, [])
    with pytest.raises(BrokenLogError, match=f"^{NAME}: metaData: id must be text"):
        read_metadata(ActionAtLine({"id": 5}, b""), NAME, [])


def test_a_creation_time_that_is_no_number_is_remarked() -> None:
    notices: list[Notice] = []
    read_metadata(ActionAtLine({"id": "x", "createdTime": "now"}, b""), NAME, notices)
    assert [n.code for n in notices] == ["FIELD_WRONG_TYPE"]
