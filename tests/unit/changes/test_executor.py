"""What becomes of a plan: won, lost, not known, interrupted; and what the commit then says."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faulty_storage import FaultyStorage, add_commit, append, loses_to, plain_table
from small_tables import LEGACY, commit_info, field, metadata, protocol, write_log

from deltactl import __version__
from deltactl.changes import commit_buffer, executor
from deltactl.changes.change_report import ChangeReport
from deltactl.changes.checkpoint_due import checkpoint_due
from deltactl.changes.commit_options import CommitOptions
from deltactl.changes.draft import Draft
from deltactl.changes.executor import ChangeExecutor
from deltactl.changes.file_changes import FileActions
from deltactl.changes.plan import Plan
from deltactl.errors import (
    BrokenLogError,
    ConflictError,
    DeltactlError,
    InterruptedRunError,
    OutcomeUnknownError,
    RefusedError,
    StorageError,
)
from deltactl.log.filenames import LOG, commit_name
from deltactl.operations.table_features.enablement import enable
from deltactl.spec.actions.action import Metadata
from deltactl.storage.base import InterruptedWriteError, Outcome
from deltactl.table.commit import commit
from deltactl.table.table import Table
from deltactl.text.hints import Command

NOW = 1767400000000


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor.time, "sleep", lambda seconds: None)


def naming(draft: Draft, name: str = "orders") -> Plan:
    """A planner of the smallest change that there is."""
    draft.name = name
    return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})


def yes(plan: Plan) -> RefusedError | None:
    return None


def change(
    storage: FaultyStorage,
    planner: Callable[[Draft], Plan] = naming,
    agrees: Callable[[Plan], RefusedError | None] = yes,
    clock: Callable[[], int] = lambda: NOW,
    **options: Any,
) -> ChangeReport:
    return ChangeExecutor(Table(storage), planner, CommitOptions(**options), clock=clock).execute(
        agrees
    )


def versions(uri: str) -> list[int]:
    return sorted(int(path.name[:20]) for path in (Path(uri) / LOG).glob("*.json"))


def lines(uri: str, version: int) -> list[dict[str, Any]]:
    text = (Path(uri) / LOG / commit_name(version)).read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_a_commit_that_is_won(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    report = change(FaultyStorage(uri), message="ticket 7", once=("nightly", 3))
    assert (report.version, report.committed, report.exit_code) == (1, True, 0)
    info, metadata_line, txn = lines(uri, 1)
    assert len(info["commitInfo"].pop("txnId")) == 36
    assert list(info["commitInfo"].items()) == [
        ("timestamp", NOW),
        ("operation", "SET TBLPROPERTIES"),
        ("operationParameters", {"properties": "{}"}),
        ("readVersion", 0),
        ("isolationLevel", "Serializable"),
        ("isBlindAppend", False),
        ("operationMetrics", {}),
        ("engineInfo", f"deltactl/{__version__}"),
        ("userMetadata", "ticket 7"),
    ]
    assert metadata_line["metaData"]["name"] == "orders"
    assert metadata_line["metaData"]["id"] == "5f3c3f0e-2f6b-4d0e-9a57-6f1f7c1d0001"
    assert txn == {"txn": {"appId": "nightly", "version": 3, "lastUpdated": NOW}}


def test_what_is_so_already_makes_no_commit(tmp_path: Path) -> None:
    storage = FaultyStorage(plain_table(tmp_path))
    change(storage)
    report = change(storage)
    assert (report.version, report.plan.is_empty, report.exit_code) == (None, True, 0)
    assert versions(storage.uri) == [0, 1]


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    storage = FaultyStorage(plain_table(tmp_path))
    report = change(storage, dry_run=True)
    assert (report.version, report.plan.is_empty, report.exit_code) == (None, False, 0)
    assert change(storage, dry_run=True, fail_if_changes=True).exit_code == 5
    change(storage)
    assert change(storage, dry_run=True, fail_if_changes=True).exit_code == 0
    assert (versions(storage.uri), storage.claimed) == ([0, 1], [f"{LOG}/{commit_name(1)}"])


def test_a_race_that_is_lost_to_data_is_run_again(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    report = change(FaultyStorage(uri, loses_to(*append()), loses_to(*append("b.parquet"))))
    assert report.version == 3
    assert lines(uri, 3)[0]["commitInfo"]["readVersion"] == 2
    assert versions(uri) == [0, 1, 2, 3]


def test_a_race_that_is_lost_to_the_same_change_ends_well(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    same = metadata(field("a", "integer"))
    same["metaData"]["name"] = "orders"
    report = change(FaultyStorage(uri, loses_to(commit_info(), same)))
    assert (report.version, report.plan.is_empty, report.exit_code) == (None, True, 0)
    assert versions(uri) == [0, 1]


def test_a_race_that_changes_what_would_be_done_is_a_conflict(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    other = metadata(field("a", "integer"))
    other["metaData"]["name"] = "invoices"
    info = commit_info(engineInfo="other/1", timestamp=1767322800000)
    with pytest.raises(ConflictError) as caught:
        change(FaultyStorage(uri, loses_to(info, other)))
    assert caught.value.code == "LOST_RACE"
    assert caught.value.message == (
        "another writer came first with version 1, WRITE by other/1 at 2026-01-02T03:00:00.000Z; "
        "nothing was written, for the change would no longer be the one first planned"
    )
    assert caught.value.details["winner"] == {
        "version": 1,
        "operation": "WRITE",
        "engine": "other/1",
        "time": "2026-01-02T03:00:00.000Z",
    }
    assert versions(uri) == [0, 1]


def test_a_race_after_which_the_table_cannot_be_written(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    foreign = protocol(writer=["somethingNew"])
    with pytest.raises(ConflictError) as caught:
        change(FaultyStorage(uri, loses_to(commit_info(), foreign)))
    assert caught.value.details["cause"] == "UNSUPPORTED_WRITER_FEATURE"


def test_one_who_always_loses_gives_up(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    cues = [loses_to(*append(f"{n}.parquet")) for n in range(30)]
    with pytest.raises(ConflictError) as caught:
        change(FaultyStorage(uri, *cues))
    assert caught.value.code == "TOO_MANY_WRITERS"
    assert caught.value.details["attempts"] == 20
    assert "the last one with version 20, WRITE by other/1 at" in caught.value.message
    assert versions(uri)[-1] == 20


def test_only_at_the_version_that_was_named(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    with pytest.raises(ConflictError) as caught:
        change(FaultyStorage(uri), if_version=1)
    assert caught.value.code == "NOT_AT_VERSION"
    assert caught.value.table is not None
    assert caught.value.table["uri"] == uri
    assert caught.value.table["id"] is not None
    assert change(FaultyStorage(uri), if_version=0).version == 1


def test_only_at_the_version_that_was_named_also_after_a_lost_race(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    with pytest.raises(ConflictError) as caught:
        change(FaultyStorage(uri, loses_to(*append())), if_version=0)
    assert caught.value.code == "NOT_AT_VERSION"
    assert caught.value.details == {"version": 1, "wanted": 0}
    assert versions(uri) == [0, 1]


def test_what_a_transaction_has_done_is_not_done_again(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    add_commit(uri, commit_info(), {"txn": {"appId": "nightly", "version": 3}})
    for version in (2, 3):
        report = change(FaultyStorage(uri), once=("nightly", version))
        assert (report.done_before, report.version) == (True, None)
    assert change(FaultyStorage(uri), once=("other", 3)).version == 2
    assert change(FaultyStorage(uri), lambda d: naming(d, "b"), once=("nightly", 4)).version == 3


def test_a_race_that_is_lost_to_the_same_transaction(tmp_path: Path) -> None:
    uri = plain_table(tmp_path)
    twin = loses_to(commit_info(), {"txn": {"appId": "nightly", "version": 3}})
    report = change(FaultyStorage(uri, twin), once=("nightly", 3))
    assert (report.done_before, report.version) == (True, None)
    assert versions(uri) == [0, 1]


def answer(outcome: Outcome, *, lands: bool) -> Callable[..., Outcome]:
    def cue(storage: FaultyStorage, path: str, data: bytes) -> Outcome:
        if lands:
            storage.put_really(path, data)
        return outcome

    return cue


def failure(error: BaseException, *, lands: bool) -> Callable[..., Outcome]:
    def cue(storage: FaultyStorage, path: str, data: bytes) -> Outcome:
        if lands:
            storage.put_really(path, data)
        raise error

    return cue


@pytest.mark.parametrize(
    "cue",
    [
        answer("won", lands=True),
        answer("exists", lands=True),  # a store whose retry met its own first attempt
        answer("unknown", lands=True),
        failure(StorageError("STORAGE_FAILED", "no answer"), lands=True),
    ],
    ids=["won", "exists", "unknown", "failed"],
)
def test_what_is_read_back_as_ours_was_committed(tmp_path: Path, cue: Any) -> None:
    storage = FaultyStorage(plain_table(tmp_path), cue)
    assert change(storage).version == 1
    assert versions(storage.uri) == [0, 1]


@pytest.mark.parametrize(
    ("cue", "kind", "code"),
    [
        (answer("won", lands=False), OutcomeUnknownError, "COMMIT_VANISHED"),
        (answer("unknown", lands=False), OutcomeUnknownError, "OUTCOME_UNKNOWN"),
        (failure(StorageError("DISK_FULL", "full"), lands=False), StorageError, "DISK_FULL"),
    ],
    ids=["won", "unknown", "failed"],
)
def test_what_is_not_read_back(
    tmp_path: Path, cue: Any, kind: type[DeltactlError], code: str
) -> None:
    storage = FaultyStorage(plain_table(tmp_path), cue)
    with pytest.raises(kind) as caught:
        change(storage)
    assert caught.value.code == code
    assert versions(storage.uri) == [0]
    assert len(storage.claimed) == 1, "never a second attempt where the first may still land"


def test_what_was_there_and_is_gone_was_not_ours(tmp_path: Path) -> None:
    storage = FaultyStorage(plain_table(tmp_path), answer("exists", lands=False))
    assert change(storage).version == 1
    assert len(storage.claimed) == 2


@pytest.mark.parametrize(
    ("cues", "why"),
    [
        ([], "no answer"),
        ([failure(StorageError("STORAGE_FAILED", "cut off"), lands=False)], "cut off"),
    ],
    ids=["read", "write"],
)
def test_a_store_that_cannot_be_read_back(
    tmp_path: Path, monkeypatch: Any, cues: list[Any], why: str
) -> None:
    """What failed first is named: the write, if that did."""
    storage = FaultyStorage(plain_table(tmp_path), *cues)
    read = storage.read

    def fails(path: str, start: int = 0, length: int | None = None) -> bytes:
        if path.endswith(commit_name(1)):
            raise StorageError("STORAGE_FAILED", "no answer")
        return read(path, start, length)

    monkeypatch.setattr(storage, "read", fails)
    with pytest.raises(OutcomeUnknownError) as caught:
        change(storage)
    assert caught.value.code == "OUTCOME_UNKNOWN"
    assert caught.value.details == {"version": 1}
    assert caught.value.message == f"it is not known whether version 1 was written: {why}"


@pytest.mark.parametrize(
    ("lands", "said"),
    [(True, "interrupted; version 1 was committed"), (False, "interrupted; nothing was written")],
)
def test_ctrl_c_while_the_store_is_at_work(tmp_path: Path, lands: bool, said: str) -> None:
    storage = FaultyStorage(plain_table(tmp_path), failure(KeyboardInterrupt(), lands=lands))
    with pytest.raises(InterruptedRunError) as caught:
        change(storage)
    assert caught.value.message == said
    assert versions(storage.uri) == ([0, 1] if lands else [0])


def stop(*args: Any, **kwargs: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("module", "function", "said"),
    [
        (executor, "read_transaction", "interrupted; nothing was written"),
        (commit_buffer, "commit_info", "interrupted; nothing was written"),
        (executor, "carry_over", "interrupted; version 1 was committed"),
    ],
)
def test_ctrl_c_before_and_after(
    tmp_path: Path, monkeypatch: Any, module: Any, function: str, said: str
) -> None:
    storage = FaultyStorage(plain_table(tmp_path))
    monkeypatch.setattr(module, function, stop)
    with pytest.raises(InterruptedRunError) as caught:
        change(storage, once=("nightly", 1))
    assert caught.value.message == said
    assert versions(storage.uri) == ([0, 1] if "committed" in said else [0])


@pytest.mark.parametrize(
    ("found", "stop", "said", "hint"),
    [
        (True, KeyboardInterrupt, "version 1 was committed", None),
        (False, InterruptedWriteError, "nothing was written", None),
        (None, KeyboardInterrupt, "nothing was written", None),
        (None, InterruptedWriteError, "whether version 1 was committed is not known",
         "look for it with: deltactl log cat TABLE 1"),
        (KeyboardInterrupt(), KeyboardInterrupt, "whether version 1 was committed is not known",
         "look for it with: deltactl log cat TABLE 1"),
        (BrokenLogError("FILE_NOT_REGULAR", "a pipe"), InterruptedWriteError,
         "nothing was written", None),
    ],
)  # fmt: skip
def test_what_ctrl_c_says_of_the_commit_under_way(
    tmp_path: Path, monkeypatch: Any, found: Any, stop: Any, said: str, hint: str | None
) -> None:
    def answer(*args: Any) -> Any:
        if isinstance(found, BaseException):
            raise found
        return found

    monkeypatch.setattr(executor, "is_ours", answer)
    storage = FaultyStorage(plain_table(tmp_path), failure(stop(), lands=False))
    own = ChangeExecutor(Table(storage), naming, CommitOptions(), clock=lambda: NOW)
    with pytest.raises(InterruptedRunError) as caught:
        own.execute(yes)
    # It may strike again, while the report is shown.
    for error in (caught.value, own.interrupted()):
        assert (error.message, error.hint) == (f"interrupted; {said}", hint)
        assert error.code == "INTERRUPTED"
        assert error.table is not None
        assert error.table["id"] == "5f3c3f0e-2f6b-4d0e-9a57-6f1f7c1d0001"


def test_ctrl_c_while_the_commit_is_read_back(tmp_path: Path, monkeypatch: Any) -> None:
    storage = FaultyStorage(plain_table(tmp_path))
    settle, calls = commit.is_ours, []

    def once(*args: Any) -> bool | None:
        calls.append(args)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return settle(*args)

    monkeypatch.setattr(commit, "is_ours", once)
    with pytest.raises(InterruptedRunError, match="version 1 was committed"):
        change(storage)


def test_ctrl_c_again_and_again(tmp_path: Path, monkeypatch: Any) -> None:
    storage = FaultyStorage(plain_table(tmp_path))
    monkeypatch.setattr(commit, "is_ours", stop)
    monkeypatch.setattr(executor, "is_ours", stop)
    with pytest.raises(InterruptedRunError, match="whether version 1 was committed is not known"):
        change(storage)


def test_one_who_does_not_agree(tmp_path: Path) -> None:
    storage = FaultyStorage(plain_table(tmp_path))
    report = change(storage, agrees=lambda plan: RefusedError("NOT_AGREED", "no"))
    assert (report.exit_code, report.version, versions(storage.uri)) == (4, None, [0])
    assert [error.code for error in report.errors] == ["NOT_AGREED"]


def test_a_refused_plan_asks_nobody(tmp_path: Path) -> None:
    def refused(draft: Draft) -> Plan:
        draft.warn("STREAMS_RESTART", "a warning on what will not happen")
        draft.refuse("FIRST", "one reason", Command("column drop", "x"))
        draft.refuse("SECOND", "another")
        return naming(draft)

    storage = FaultyStorage(plain_table(tmp_path))
    report = change(storage, refused, agrees=stop, called="'my orders'")
    assert [error.code for error in report.errors] == ["FIRST", "SECOND"]
    assert report.error is not None
    assert report.error.message == "one reason (and 1 more, see refusals)"
    assert report.error.hint == "deltactl column drop 'my orders' x"
    assert (report.warnings, versions(storage.uri)) == ((), [0])


@pytest.mark.parametrize(
    ("missing", "exit_code"), [((True, True), 3), ((True, False), 4), ((False, False), 4)]
)
def test_the_exit_code_of_refusals(tmp_path: Path, missing: Any, exit_code: int) -> None:
    def refused(draft: Draft) -> Plan:
        for number, is_missing in enumerate(missing):
            draft.refuse("CODE", f"reason {number}", is_missing=is_missing)
        return naming(draft)

    assert change(FaultyStorage(plain_table(tmp_path)), refused).exit_code == exit_code


def ict_table(root: Path, time: int) -> str:
    """A table whose commits give their time, the newest the given one."""
    info = commit_info(inCommitTimestamp=time)
    heads = [
        protocol(writer=["inCommitTimestamp", "invariants", "appendOnly"]),
        metadata(field("a", "integer"), enableInCommitTimestamps="true"),
    ]
    return write_log(root, [[info, *heads]])


@pytest.mark.parametrize(
    ("before", "clock", "expected"),
    [
        (NOW - 1, NOW, NOW),
        (NOW, NOW, NOW + 1),
        (NOW + 86_400_000, NOW, NOW + 86_400_001),  # a clock that ran backwards
    ],
)
def test_times_in_commits_only_grow(tmp_path: Path, before: int, clock: int, expected: int) -> None:
    uri = ict_table(tmp_path, before)
    assert change(FaultyStorage(uri), clock=lambda: clock).version == 1
    info = lines(uri, 1)[0]["commitInfo"]
    assert (info["inCommitTimestamp"], info["timestamp"]) == (expected, clock)
    assert next(iter(info)) == "inCommitTimestamp"


def test_the_time_is_taken_again_after_a_lost_race(tmp_path: Path) -> None:
    uri = ict_table(tmp_path, NOW - 5)
    winner = [commit_info(inCommitTimestamp=NOW + 7), *append()[1:]]
    assert change(FaultyStorage(uri, loses_to(*winner))).version == 2
    assert lines(uri, 2)[0]["commitInfo"]["inCommitTimestamp"] == NOW + 8


def test_a_newest_commit_without_its_time_is_not_built_on(tmp_path: Path) -> None:
    uri = ict_table(tmp_path, NOW)
    add_commit(uri, *append())
    report = change(FaultyStorage(uri))
    assert [error.code for error in report.errors] == ["ICT_MISSING"]


def test_switching_times_in_commits_on_dates_itself(tmp_path: Path) -> None:
    uri = write_log(
        tmp_path, [[LEGACY, metadata(field("a", "integer"))], append()], times=[NOW, NOW + 50]
    )

    def switching(draft: Draft) -> Plan:
        enable(draft, "inCommitTimestamp")
        return draft.plan("SET TBLPROPERTIES", {"properties": "{}"})

    assert change(FaultyStorage(uri, loses_to(*append("b.parquet"))), switching, clock=lambda: NOW)
    info, first, second = lines(uri, 3)
    own = info["commitInfo"]["inCommitTimestamp"]
    assert own > NOW + 50, "later than the file of the commit before"
    assert first == {
        "protocol": {
            "minReaderVersion": 1,
            "minWriterVersion": 7,
            "writerFeatures": ["appendOnly", "inCommitTimestamp", "invariants"],
        }
    }
    assert second["metaData"]["configuration"] == {
        "delta.enableInCommitTimestamps": "true",
        "delta.inCommitTimestampEnablementVersion": "3",
        "delta.inCommitTimestampEnablementTimestamp": str(own),
    }


def test_a_checkpoint_is_due_now_and_then(tmp_path: Path) -> None:
    uri = plain_table(tmp_path, checkpointInterval="2")
    first = change(FaultyStorage(uri))
    second = change(FaultyStorage(uri), lambda draft: naming(draft, "b"))
    assert [notice.code for notice in first.warnings] == []
    (notice,) = second.warnings
    assert notice.code == "CHECKPOINT_DUE"
    assert notice.message == (
        "a checkpoint is due at version 2 (delta.checkpointInterval = 2); to write it: "
        f"deltactl checkpoint {uri}"
    )


@pytest.mark.parametrize(
    ("interval", "due"),
    [
        (None, [10, 20]),
        ("1", [*range(1, 21)]),
        ("7", [7, 14]),
        # Values that engines do not take either.
        ("0", [10, 20]),
        ("-2", [10, 20]),
        ("often", [10, 20]),
    ],
)
def test_the_versions_at_which_a_checkpoint_is_due(interval: str | None, due: list[int]) -> None:
    own = metadata(
        field("a", "integer"), **({} if interval is None else {"checkpointInterval": interval})
    )
    table = Metadata.from_json(own["metaData"])
    assert [v for v in range(1, 21) if list(checkpoint_due(v, table, "t"))] == due


def test_a_made_up_name_is_the_same_in_every_attempt(tmp_path: Path) -> None:
    seen: list[str] = []

    def fresh(draft: Draft) -> Plan:
        seen.append(draft.fresh("col-", "x"))
        return naming(draft, seen[-1])

    uri = plain_table(tmp_path)
    report = change(FaultyStorage(uri, loses_to(*append())), fresh)
    assert len(seen) == 3
    assert len(set(seen)) == 1
    assert report.names == {("col-", "x"): seen[0]}
    again = replace(report.plan, refusals=())
    assert again.metadata is not None
    assert again.metadata.name == seen[0]


def test_a_name_that_was_made_up_before_is_used_again(tmp_path: Path) -> None:
    def fresh(draft: Draft) -> Plan:
        return naming(draft, draft.fresh("col-", "x"))

    table = Table(FaultyStorage(plain_table(tmp_path)))
    changer = ChangeExecutor(table, fresh, CommitOptions(), names={("col-", "x"): "col-saved"})
    assert changer.execute(yes).plan.metadata.name == "col-saved"  # type: ignore[union-attr]  # it has one


def test_a_dry_run_lists_no_log_for_folders_that_a_store_does_not_have(tmp_path: Path) -> None:
    class Store(FaultyStorage):
        has_folders = False

        def folders(self, folder: str) -> list[str]:
            raise AssertionError("the whole log is listed")

    report = change(Store(plain_table(tmp_path)), dry_run=True)
    assert (report.error, report.committed) == (None, False)


def test_a_commit_of_files_leaves_no_checksum_that_does_not_count_them(
    tmp_path: Path, monkeypatch: Any
) -> None:
    carried: list[object] = []
    monkeypatch.setattr(executor, "carry_over", lambda *args, **more: carried.append(args))
    files = FileActions(1, (), lambda: iter([("add", append()[1]["add"])]))

    def planner(draft: Draft) -> Plan:
        return replace(naming(draft), file_actions=files)

    storage = FaultyStorage(plain_table(tmp_path))
    assert (change(storage, planner).version, carried) == (1, [])
    assert (change(storage, lambda draft: naming(draft, "b")).version, len(carried)) == (2, 1)
