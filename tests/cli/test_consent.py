"""What is asked before it is done, and what an answer is."""

import shlex
from pathlib import Path

import pytest
from terminal import CTRL_C, at_a_terminal

ENABLING = ("widen", "all_types", "i", "long", "--enable")


def commits(table: str) -> list[str]:
    return sorted(path.name for path in Path(table, "_delta_log").glob("*.json"))


def test_without_a_terminal_consent_is_an_option(run, golden, valid_document) -> None:
    table = golden("all_types")
    result = run("widen", table, "i", "long", "--enable")
    assert result.exit_code == 4
    assert "Protocol    1/2 → 3/7  + typeWidening\n" in result.stdout
    assert "\nClients     delta-rs (deltalake) 1.6.6 can no longer read and write it: " in (
        result.stdout
    )
    assert "Committed" not in result.stdout
    assert result.stderr.endswith(
        "error: the change adds the feature typeWidening to the protocol, which is hard to undo, "
        "and cuts off delta-rs (deltalake) 1.6.6, delta-kernel-rs b14c3fb84, and needs "
        "confirmation; nothing was written [CONSENT_NEEDED]\n"
        "hint: to agree: deltactl widen all_types i long --enable --yes\n"
    )
    document = valid_document("widen", run(*ENABLING, "-o", "json").stdout)
    assert document["error"]["code"] == "CONSENT_NEEDED"
    assert document["plan"]["protocol"]["after"]["minReaderVersion"] == 3
    assert len(commits(table)) == 3
    assert run(*ENABLING, "-y").exit_code == 0
    assert len(commits(table)) == 4


@pytest.mark.parametrize(
    ("typed", "exit_code", "said"),
    [
        (b"y\n", 0, "Committed as version 3."),
        (b"n\n", 4, "not agreed to; nothing was written"),
        (b"\n", 4, "not agreed to; nothing was written"),
        (CTRL_C, 130, "interrupted; nothing was written"),
        (b"\x04", 130, "interrupted; nothing was written"),
    ],
    ids=["yes", "no", "nothing", "ctrl-c", "ctrl-d"],
)
def test_on_a_terminal_it_asks(golden, typed: bytes, exit_code: int, said: str) -> None:
    table = golden("all_types")
    code, shown = at_a_terminal(typed, "--no-color", *ENABLING)
    assert code == exit_code, shown
    plan, question, answer = shown.partition("Make this change? [y/N]")
    assert question
    assert "  ~ i              int → long    widened" in plan
    assert "[STREAMS_RESTART]" in plan, "what to know stands before the question"
    assert said in answer
    assert "STREAMS_RESTART" not in answer
    assert len(commits(table)) == (4 if exit_code == 0 else 3)


def test_it_asks_again_for_an_answer_that_is_none(golden) -> None:
    golden("all_types")
    code, shown = at_a_terminal(b"foo\ny\n", "--no-color", *ENABLING)
    assert code == 0, shown
    assert "\nanswer y or n\nMake this change? [y/N]: " in shown


def test_what_was_typed_before_the_question_is_no_answer(golden) -> None:
    table = golden("all_types")
    code, shown = at_a_terminal(b"n\n", "--no-color", *ENABLING, before=b"y\ny\n")
    assert code == 4, shown
    assert "not agreed to; nothing was written" in shown
    assert len(commits(table)) == 3


@pytest.mark.parametrize(
    ("name", "words", "reason"),
    [
        ("tw_colmap_id", "column drop TABLE gone s.z", "hides the values of s.z, gone"),
        (
            "tw_colmap_id",
            "column drop TABLE id '`new, name;`' s.x gone",
            "hides the values of id, `new, name;`, s.x and 1 more column",
        ),
        (
            "tw_rowtracking_prunable",
            "prune-type-changes TABLE",
            "removes the type changes of v, s for good",
        ),
        (
            "clustering",
            "protocol enable TABLE checkConstraints",
            "adds the feature checkConstraints to the protocol",
        ),
        (
            "crc_good",
            "protocol upgrade TABLE --writer 3",
            "adds the feature checkConstraints to the protocol",
        ),
        ("row_tracking", "protocol drop TABLE rowTracking", "drops rowTracking from the protocol"),
        (
            "crc_good",
            "column rename TABLE id key --enable",
            "adds the feature columnMapping to the protocol, which is hard to undo",
        ),
        (
            "crc_good",
            "property set TABLE delta.enableInCommitTimestamps=true",
            "adds the feature inCommitTimestamp to the protocol, and cuts off delta-rs "
            "(deltalake) 1.6.6",
        ),
    ],
)
def test_in_a_script_it_is_asked_for(run, golden, name, words, reason) -> None:
    table = golden(name)
    before = commits(table)
    typed = shlex.split(words.replace("TABLE", table))
    result = run(*typed)
    assert (result.exit_code, commits(table)) == (4, before)
    said = f"error: the change {reason}, and needs confirmation; nothing was written"
    assert said in result.stderr
    assert run(*typed, "--dry-run").exit_code == 0
    assert run(*typed, "--yes").exit_code == 0
    assert len(commits(table)) == len(before) + 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("crc_good", "constraint add TABLE positive id<1000000"),
        ("tw_nested", "widen TABLE s.a long"),
        ("crc_good", "column add TABLE late int"),
        ("crc_good", "column comment TABLE id seen"),
        ("tw_colmap_id", "column rename TABLE id key"),
        ("crc_good", "property set TABLE delta.appendOnly=true"),
        ("clustering", "domain set TABLE app.notes {}"),
        ("check_constraints_invariants", "constraint drop TABLE positive"),
    ],
)
def test_what_can_be_taken_back_is_not_asked_about(run, golden, name, words) -> None:
    table = golden(name)
    before = commits(table)
    assert run(*shlex.split(words.replace("TABLE", table))).exit_code == 0
    assert len(commits(table)) == len(before) + 1
