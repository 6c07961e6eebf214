import pytest

from deltactl.errors import BrokenLogError, NotFoundError
from deltactl.log.filenames import CheckpointKind, LogFile, commit_name
from deltactl.log.segment import Segment, arrange, recreatable, select

UUID = "80a083e8-7026-4e79-81be-64bd76c43a1"


def classic(version: int) -> str:
    return f"{version:020d}.checkpoint.parquet"


def v2(version: int, digit: int = 1) -> str:
    return f"{version:020d}.checkpoint.{UUID}{digit}.json"


def part(version: int, number: int, parts: int) -> str:
    return f"{version:020d}.checkpoint.{number:010d}.{parts:010d}.parquet"


def compacted(first: int, last: int) -> str:
    return f"{first:020d}.{last:020d}.compacted.json"


def commits(first: int, last: int) -> list[str]:
    return [commit_name(version) for version in range(first, last + 1)]


def segment(names: list[str], target: int | None = None, *, empty: tuple[str, ...] = ()) -> Segment:
    """The segment of a log with these files; all but `empty` have bytes."""
    files = sorted(LogFile(name, 0 if name in empty else 9, 0) for name in names)
    return select(arrange(files), target)


def chosen(found: Segment) -> tuple[list[str], list[str]]:
    """The names of the checkpoint's files, and of the entries."""
    checkpoint = [] if found.checkpoint is None else [f.name for f in found.checkpoint.files]
    return checkpoint, [entry.file.name for entry in found.entries]


def codes(found: Segment) -> list[str]:
    return [notice.code for notice in found.notices]


@pytest.mark.parametrize(
    ("names", "target", "checkpoint", "entries"),
    [
        (commits(0, 0), None, [], commits(0, 0)),
        (commits(0, 3), None, [], commits(0, 3)),
        (commits(0, 3), 1, [], commits(0, 1)),
        ([*commits(0, 4), classic(2)], None, [classic(2)], commits(3, 4)),
        ([*commits(0, 4), classic(4)], None, [classic(4)], []),
        ([classic(4)], None, [classic(4)], []),
        ([*commits(3, 6), classic(2), classic(5)], None, [classic(5)], commits(6, 6)),
        ([*commits(3, 6), classic(2), classic(5)], 4, [classic(2)], commits(3, 4)),
        ([*commits(3, 6), classic(2), classic(5)], 2, [classic(2)], []),
        # V2 before multi-part before classic, at one version.
        ([*commits(0, 2), classic(1), v2(1)], None, [v2(1)], commits(2, 2)),
        (
            [*commits(0, 2), classic(1), part(1, 1, 2), part(1, 2, 2)],
            None,
            [part(1, 1, 2), part(1, 2, 2)],
            commits(2, 2),
        ),
        # A gap below a complete checkpoint harms only the versions below.
        ([commit_name(0), *commits(3, 5), classic(4)], None, [classic(4)], commits(5, 5)),
        # Compacted files stand in for commits that are gone, and for no others.
        ([*commits(0, 5), compacted(1, 4)], None, [], commits(0, 5)),
        (
            [*commits(0, 1), compacted(2, 4), commit_name(5)],
            None,
            [],
            [*commits(0, 1), compacted(2, 4), commit_name(5)],
        ),
        (
            [commit_name(0), compacted(1, 3), compacted(1, 6), commit_name(7)],
            None,
            [],
            [commit_name(0), compacted(1, 6), commit_name(7)],
        ),
        ([commit_name(0), compacted(1, 3)], None, [], [commit_name(0), compacted(1, 3)]),
        (
            [commit_name(0), compacted(1, 3), compacted(4, 6)],
            3,
            [],
            [commit_name(0), compacted(1, 3)],
        ),
        # One that begins below the checkpoint says again what is in it, and does no harm.
        (
            [classic(3), compacted(2, 5), commit_name(6)],
            None,
            [classic(3)],
            [compacted(2, 5), commit_name(6)],
        ),
    ],
)
def test_the_files_of_a_version(
    names: list[str], target: int | None, checkpoint: list[str], entries: list[str]
) -> None:
    found = segment(names, target)
    assert chosen(found) == (checkpoint, entries)
    assert codes(found) == []


def test_an_incomplete_multipart_checkpoint_is_passed_over_and_named() -> None:
    found = segment([*commits(0, 4), classic(1), part(3, 1, 3), part(3, 3, 3)])
    assert chosen(found) == ([classic(1)], commits(2, 4))
    assert [n.message for n in found.notices] == [
        f"{part(3, 2, 3)} is missing, so its set is ignored"
    ]


def test_sets_of_a_different_size_are_not_mixed() -> None:
    found = segment([*commits(0, 4), part(3, 1, 3), part(3, 1, 2), part(3, 2, 2)])
    assert chosen(found) == ([part(3, 1, 2), part(3, 2, 2)], commits(4, 4))


def test_a_part_that_its_set_cannot_have_completes_nothing() -> None:
    found = segment([*commits(0, 4), part(3, 1, 2), part(3, 5, 2)])
    assert chosen(found) == ([], commits(0, 4))
    assert codes(found) == ["CHECKPOINT_INCOMPLETE"]


def test_a_name_that_claims_ten_thousand_million_parts_costs_nothing() -> None:
    found = segment([*commits(0, 4), part(3, 1, 9_999_999_999)])
    assert codes(found) == ["CHECKPOINT_INCOMPLETE"]


def test_a_checkpoint_without_bytes_is_ignored() -> None:
    found = segment([*commits(0, 4), classic(3)], empty=(classic(3),))
    assert chosen(found) == ([], commits(0, 4))
    assert codes(found) == ["CHECKPOINT_EMPTY"]


def test_a_flaw_below_the_checkpoint_in_use_is_not_worth_a_word() -> None:
    found = segment([*commits(0, 4), part(1, 1, 2), classic(3)])
    assert chosen(found) == ([classic(3)], commits(4, 4))
    assert codes(found) == []


def test_unreadable_checkpoints_are_left_out_one_by_one() -> None:
    files = [LogFile(name, 9, 0) for name in (*commits(0, 5), classic(2), classic(4))]
    listing = arrange(files)
    newest = select(listing).checkpoint
    assert newest is not None
    without = frozenset({newest})
    older = select(listing, None, without).checkpoint
    assert (newest.version, older and older.version) == (4, 2)
    assert older is not None
    assert select(listing, None, without | {older}).checkpoint is None


@pytest.mark.parametrize(
    ("names", "code", "words"),
    [
        (commits(1, 3), "LOG_TRUNCATED", ["00000000000000000000.json is missing"]),
        (
            [*commits(0, 1), *commits(3, 4)],
            "VERSIONS_NOT_CONTIGUOUS",
            ["version 2 is missing before version 3", "00000000000000000002.json"],
        ),
        (
            [*commits(0, 3), commit_name(99)],
            "VERSIONS_NOT_CONTIGUOUS",
            ["versions 4 to 98 are missing before version 99"],
        ),
        (
            [classic(3), *commits(5, 6)],
            "VERSIONS_NOT_CONTIGUOUS",
            ["version 4 is missing before version 5"],
        ),
        (
            [part(3, 1, 2), *commits(4, 5)],
            "CHECKPOINT_INCOMPLETE",
            [part(3, 2, 2), "the commits below are gone"],
        ),
        (
            [part(3, 1, 2), part(4, 1, 2), *commits(5, 6)],
            "CHECKPOINT_INCOMPLETE",
            [part(4, 2, 2)],
        ),
        ([compacted(1, 3)], "LOG_TRUNCATED", ["00000000000000000000.json is missing"]),
    ],
)
def test_a_log_that_cannot_give_its_newest_version(
    names: list[str], code: str, words: list[str]
) -> None:
    with pytest.raises(BrokenLogError) as caught:
        segment(names)
    assert caught.value.code == code
    for word in words:
        assert word in caught.value.message


def test_a_far_version_is_said_to_be_foreign() -> None:
    with pytest.raises(BrokenLogError) as caught:
        segment([*commits(0, 3), commit_name(99)])
    assert "if 00000000000000000099.json is foreign" in (caught.value.hint or "")
    assert caught.value.details == {"missing": "00000000000000000004.json", "newest": 99}


def test_an_empty_log_is_no_table() -> None:
    with pytest.raises(NotFoundError) as caught:
        segment([])
    assert caught.value.code == "NOT_A_TABLE"


@pytest.mark.parametrize("target", [4, 99, -1])
def test_a_version_that_was_never_written(target: int) -> None:
    with pytest.raises(NotFoundError) as caught:
        segment(commits(0, 3), target)
    assert caught.value.code == "VERSION_NOT_FOUND"
    assert caught.value.details == {"newest": 3}


def test_a_version_that_is_gone_names_the_oldest_that_is_left() -> None:
    names = [*commits(3, 6), classic(4), classic(5)]
    with pytest.raises(NotFoundError) as caught:
        segment(names, 3)
    assert caught.value.code == "VERSION_NOT_RECREATABLE"
    assert caught.value.details == {"oldest": 4}


def test_a_version_in_a_gap_below_a_checkpoint_names_the_gap() -> None:
    names = [*commits(0, 3), *commits(6, 7), classic(6)]
    with pytest.raises(NotFoundError) as caught:
        segment(names, 5)
    assert caught.value.message == (
        "version 5 can no longer be rebuilt from the log: 00000000000000000004.json is gone, "
        "and the newest below it is 3"
    )
    assert caught.value.details == {"oldest": 0, "missing": "00000000000000000004.json"}


@pytest.mark.parametrize(
    ("names", "oldest"),
    [
        (commits(0, 3), 0),
        ([*commits(2, 6), classic(3), classic(5)], 3),
        ([*commits(2, 6), part(3, 1, 2), v2(5)], 5),
        (commits(2, 6), None),
    ],
)
def test_the_oldest_version_that_can_be_rebuilt(names: list[str], oldest: int | None) -> None:
    assert recreatable(arrange(LogFile(name, 9, 0) for name in names)) == oldest


def test_a_newest_commit_without_bytes_is_a_torn_write() -> None:
    with pytest.raises(BrokenLogError) as caught:
        segment(commits(0, 3), empty=(commit_name(3),))
    assert caught.value.code == "COMMIT_EMPTY"
    assert "the newest commit, has no bytes" in caught.value.message


def test_an_older_commit_without_bytes_is_remarked() -> None:
    found = segment(commits(0, 3), empty=(commit_name(1),))
    assert [(n.code, n.message) for n in found.notices] == [
        ("COMMIT_EMPTY", "00000000000000000001.json has no bytes: what it said is lost")
    ]


def test_names_that_are_not_canonical_are_remarked_and_not_read() -> None:
    found = segment([*commits(0, 3), "4.json", "note.txt", ".hidden.tmp", "_last_checkpoint"])
    assert found.version == 3
    assert codes(found) == ["NAME_NOT_CANONICAL"]
    assert found.notices[0].message.startswith("4.json is not a canonical name")


def test_a_listing_knows_what_there_is() -> None:
    names = [*commits(2, 4), classic(3), compacted(0, 6), f"{4:020d}.crc", "3.json"]
    listing = arrange((LogFile(name, 9, 0) for name in names), start=2)
    assert (listing.start, listing.newest) == (2, 6)
    assert list(listing.commits) == [2, 3, 4]
    assert [(c.version, c.kind, c.size) for c in listing.checkpoints] == [
        (3, CheckpointKind.CLASSIC, 9)
    ]
    assert [(e.first, e.last, e.is_compacted) for e in listing.compactions] == [(0, 6, True)]
    assert list(listing.checksums) == [4]
    assert listing.strays == ["3.json"]
