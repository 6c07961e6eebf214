"""What was committed is said, with its exit code, even where the result cannot be printed."""

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
from in_a_shell import REPOSITORY, needs_dev_full, shell

from deltactl.changes.change_report import ChangeReport
from deltactl.changes.spark_steps import Backfilled, Rewritten
from deltactl.cli.process import output
from deltactl.errors import StorageError
from deltactl.report import TableRef

if TYPE_CHECKING:
    from deltactl.changes.plan import Plan

FULL = "cannot write the result: No space left on device"
CLOSED = "cannot write the result: Broken pipe"
COMMITTED = "version 3 was committed"


@needs_dev_full
@pytest.mark.parametrize("form", ["text", "json", "ndjson"])
def test_a_commit_on_a_full_disk(golden, form: str) -> None:
    golden("all_types")
    done = shell(f"deltactl column comment all_types i why -o {form} > /dev/full")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == f"warning: {COMMITTED}; {FULL} [OUTPUT_FAILED]"
    assert Path("all_types/_delta_log", f"{3:020d}.json").exists()


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_commit_whose_result_nobody_reads(golden, form: str) -> None:
    golden("all_types")
    command = f"deltactl column comment all_types i why -o {form}; echo $? >&2"
    done = shell(f"(sleep 0.3; {command}) | exec 0<&-")
    said = f"warning: {COMMITTED}; {CLOSED} [OUTPUT_FAILED]"
    assert done.stderr.splitlines()[-2:] == [said, "0"]


@needs_dev_full
def test_a_commit_of_which_the_outcome_alone_is_printed(golden) -> None:
    golden("all_types")
    done = shell("deltactl column comment all_types i why -q > /dev/full")
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == f"warning: {COMMITTED}; {FULL} [OUTPUT_FAILED]"


@needs_dev_full
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_demo_on_a_full_disk(tmp_path: Path, form: str) -> None:
    done = shell(f"cd {tmp_path}; deltactl demo -o {form} > /dev/full")
    said = f"warning: the table in ./deltactl-demo was made; {FULL} [OUTPUT_FAILED]"
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (0, [said])


def test_a_demo_that_nobody_reads_to_its_end(tmp_path: Path) -> None:
    done = shell(f"cd {tmp_path}; (deltactl demo; echo $? >&2) | head -n 1")
    warning, code = done.stderr.splitlines()[-2:]
    assert warning.startswith("warning: the table in ./deltactl-demo was made; cannot write")
    assert code == "0"


def test_a_demo_whose_output_is_thrown_away_runs_to_its_end(tmp_path: Path) -> None:
    done = shell(f"cd {tmp_path}; deltactl demo > /dev/null")
    assert done.returncode == 0
    assert (tmp_path / "deltactl-demo/_delta_log" / f"{5:020d}.json").exists()


def change(**more: Any) -> ChangeReport:
    return ChangeReport(table=TableRef("t"), plan=cast("Plan", None), **more)


@pytest.mark.parametrize(
    ("report", "done"),
    [
        (change(), None),
        (change(version=3), "version 3 was committed"),
        (change(rewritten=Rewritten(0, ())), None),
        (change(rewritten=Rewritten(1, (4,))), "1 file was rewritten, as version 4"),
        (change(rewritten=Rewritten(1200, (4, 5))),
         "1,200 files were rewritten, as versions 4 to 5"),
        (change(rewritten=Rewritten(2, (4,)), version=5),
         "2 files were rewritten, as version 4; version 5 was committed"),
        (change(version=5, backfilled=Backfilled(6, 9)),
         "version 5 was committed; version 6 was committed"),
        (change(version=5, backfilled=Backfilled(5, 9)), "version 5 was committed"),
        (change(first="version 2 was committed, UNSET"), "version 2 was committed, UNSET"),
    ],
)  # fmt: skip
def test_what_a_change_has_written(report: ChangeReport, done: str | None) -> None:
    assert report.done == done


@needs_dev_full
def test_a_dry_run_and_a_refusal_on_a_full_disk(golden) -> None:
    golden("all_types")
    dry = shell("deltactl column comment all_types i why --dry-run > /dev/full")
    assert (dry.returncode, dry.stderr) == (8, f"error: {FULL} [OUTPUT_FAILED]\n")
    refused = shell("deltactl column comment all_types nowhere why -o json > /dev/full")
    assert refused.returncode == 8
    assert not Path("all_types/_delta_log", f"{3:020d}.json").exists()


@needs_dev_full
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("checkpoint all_types", "written: _delta_log/"),
        ("verify-checksum all_types --repair --yes", "the log was repaired; "),
    ],
)
def test_files_of_the_log_on_a_full_disk(golden, words: str, said: str) -> None:
    golden("all_types")
    if words.startswith("verify"):
        crc = Path("all_types/_delta_log", f"{2:020d}.crc")
        crc.write_text(crc.read_text().replace('"numFiles":', '"numFiles":1'))
    done = shell(f"deltactl {words} -o json > /dev/full")
    assert done.returncode == 0, done.stderr
    assert f"warning: {said}" in done.stderr
    assert f"{FULL} [OUTPUT_FAILED]" in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_commit_with_closed_streams(golden, closed: str) -> None:
    golden("all_types")
    assert shell(f"deltactl column comment all_types i why {closed}").returncode == 0
    assert shell(f"deltactl show all_types {closed}").returncode == 0
    assert shell(f"deltactl show nowhere {closed}").returncode == 3


def test_a_file_never_gets_the_number_of_a_closed_stream(golden) -> None:
    """Otherwise output of a library to stderr would become part of a commit."""
    golden("all_types")
    code = (
        "import os; from deltactl import __main__; "
        "print(*[os.readlink(f'/proc/self/fd/{n}') for n in (0, 2)])"
    )
    done = subprocess.run(
        ["bash", "-c", f'{sys.executable} -c "{code}" <&- 2>&-'],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
    )
    assert done.stdout == "/dev/null /dev/null\n"


def test_stdin_that_is_closed_cannot_be_read(golden) -> None:
    golden("all_types")
    done = shell("deltactl column apply all_types - <&-")
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "error: stdin: it is closed [INPUT_UNREADABLE]",
    )


def test_ctrl_c_while_the_result_is_printed(run, golden, monkeypatch: pytest.MonkeyPatch) -> None:
    golden("all_types")

    def pressed(pieces: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(output, "write_text", pressed)
    result = run("checkpoint", "all_types")
    assert result.exit_code == 130
    assert result.stderr.startswith("error: interrupted; written: _delta_log/")


@pytest.mark.parametrize(
    "failure",
    [BrokenPipeError(32, "Broken pipe"), StorageError("OUTPUT_FAILED", FULL)],
    ids=["nobody reads", "full"],
)
def test_what_was_committed_before_ctrl_c_is_said(
    run, golden, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    """Neither the document of the commit nor that of the failure can be printed."""
    golden("all_types")

    def pressed(pieces: object) -> None:
        raise KeyboardInterrupt

    def refused(pieces: object) -> None:
        raise failure

    monkeypatch.setattr(output, "discard_rest", lambda: None)  # stdout is that of the tests
    monkeypatch.setattr(output, "write_whole", pressed)
    monkeypatch.setattr(output, "write", refused)
    result = run("column", "comment", "all_types", "i", "why", "-o", "json")
    said = f"error: interrupted; {COMMITTED} [INTERRUPTED]\n"
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", said)
