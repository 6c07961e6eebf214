import json
import re
import shutil
from pathlib import Path

import pytest
import spark_parts
from small_tables import commit_info, field, metadata, protocol, write_log

from deltactl.verify import repair, report
from deltactl.verify.log.commits import CommitChecks

SOUND = """\
CHECK             LOOKED AT  RESULT
names                    19  ok
checkpoints               1  ok
commits                   1  ok
files                     3  ok
deletion vectors          1  ok
checksums                 1  ok
_last_checkpoint          1  ok, checksum right by Spark's ordering
side files                0  not found

Version 9 is sound.
Not looked at: older versions (--all), data files (--data).
"""
WRONG = """\
CHECK             LOOKED AT  RESULT
names                    10  ok
commits                   5  ok
checksums                 5  1 error
files                     2  ok
deletion vectors          0  nothing to check
_last_checkpoint          0  not found
side files                0  not found

checksums
  error  CHECKSUM_WRONG  00000000000000000004.crc: metadata  since version 4
    expected  schemaString: fields: [0] type: integer
    found     schemaString: fields: [0] type: long
    means     Spark carries a wrong schema, protocol or number of files into its next commits.
    repair    deltactl verify-checksum crc_bad_metadata --repair

Version 4: 1 error.
Not looked at: data files (--data).
"""
# The file of the specification's test, with the checksum that Spark gave it.
FOURTEEN = "last_checkpoint_14_features.json"


def test_a_sound_table(run, golden) -> None:
    result = run("verify-checksum", golden("tw_kitchen_sink"))
    assert (result.exit_code, result.stdout, result.stderr) == (0, SOUND, "")


def test_times_of_the_years_1_and_9999_in_sparks_old_form(run, golden) -> None:
    table = golden("far_timestamps")
    assert run("verify-checksum", table, "--all", "--data").exit_code == 0
    assert run("protocol", "enable", table, "rowTracking", "--yes").exit_code == 0
    assert run("checkpoint", table).exit_code == 0
    assert run("verify-checksum", table, "--all", "--data").exit_code == 0


def test_a_sound_log_of_a_table_that_cannot_be_read(run, golden) -> None:
    result = run("verify-checksum", golden("inv_unknown_reader_feature"))
    assert result.exit_code == 0
    assert "\nVersion 4 is sound.\n" in result.stdout
    assert result.stderr == (
        "warning: the table cannot be read: the table needs the reader feature "
        "futureReaderFeature, which deltactl cannot read [SNAPSHOT_UNREADABLE]\n"
    )


def test_a_wrong_checksum(run, golden) -> None:
    result = run("verify-checksum", golden("crc_bad_metadata"), "--all")
    assert (result.exit_code, result.stdout, result.stderr) == (5, WRONG, "")


def test_the_document(run, golden, valid_document) -> None:
    result = run("verify-checksum", golden("crc_bad_metadata"), "--all", "-o", "json")
    assert result.exit_code == 5
    document = valid_document("verify-checksum", result.stdout)
    assert document["ok"] is True
    assert document["findings"] == [
        {
            "code": "CHECKSUM_WRONG",
            "severity": "error",
            "subject": "00000000000000000004.crc: metadata",
            "expected": "schemaString: fields: [0] type: integer",
            "found": "schemaString: fields: [0] type: long",
            "sinceVersion": 4,
            "repairable": True,
            "meaning": "Spark carries a wrong schema, protocol or number of files into its next "
            "commits.",
            "next": "deltactl verify-checksum crc_bad_metadata --repair",
        }
    ]
    assert document["notLookedAt"] == [{"what": "data files", "option": "--data"}]


def test_findings_one_a_line(run, golden) -> None:
    result = run("verify-checksum", golden("crc_bad_metadata"), "-o", "ndjson")
    assert result.exit_code == 5
    assert [json.loads(line)["code"] for line in result.stdout.splitlines()] == ["CHECKSUM_WRONG"]


def test_a_dry_run_of_a_repair(run, golden, valid_document) -> None:
    table = golden("crc_bad_metadata")
    before = sorted(path.name for path in Path(table, "_delta_log").iterdir())
    args = ("verify-checksum", table, "--repair", "--dry-run")
    result = run(*args, "-o", "json")
    assert result.exit_code == 5
    repair = valid_document("verify-checksum", result.stdout)["repair"]
    assert repair["done"] is False
    assert [(change["how"], change["path"]) for change in repair["files"]] == [
        ("move-aside", "_delta_log/00000000000000000004.crc"),
        ("put-if-absent", "_delta_log/00000000000000000004.crc"),
    ]
    assert "Dry run: nothing was written." in run(*args).stdout
    assert sorted(path.name for path in Path(table, "_delta_log").iterdir()) == before


MADE = "Repaired: 1 file moved aside, 1 checksum written. By now:"
REPAIRED = """\
checksums
  error  CHECKSUM_WRONG  00000000000000000004.crc: metadata
    expected  schemaString: fields: [0] type: integer
    found     schemaString: fields: [0] type: long
    means     Spark carries a wrong schema, protocol or number of files into its next commits.

to be repaired
  move aside  00000000000000000004.crc → 00000000000000000004.crc.quarantined-TIME  a wrong checksum
  write       00000000000000000004.crc  the checksum by replay

Version 4: 1 error.
Not looked at: older versions (--all), data files (--data).
"""


def test_a_repair_is_shown_and_then_made(run, golden) -> None:
    table = golden("crc_bad_metadata")
    result = run("verify-checksum", table, "--repair", "--expect-version", "4", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    shown = re.sub(r"quarantined-\w+\.\w+", "quarantined-TIME", result.stdout)
    before, made, after = shown.partition(f"{MADE}\n")
    assert before.endswith(REPAIRED)
    assert made
    assert "error" not in after
    assert "\nVersion 4 is sound.\n" in after


def test_quietly_only_what_it_came_to(run, golden) -> None:
    result = run("verify-checksum", golden("crc_bad_metadata"), "--repair", "-q")
    assert result.stdout.count("CHECK ") == 1
    assert result.stdout.startswith(f"{MADE}\n")


def test_at_another_version_nothing_is_repaired(run, golden) -> None:
    table = golden("crc_bad_metadata")
    before = sorted(path.name for path in Path(table, "_delta_log").iterdir())
    result = run("verify-checksum", table, "--repair", "--expect-version", "3", "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (6, "NOT_AT_VERSION")
    assert sorted(path.name for path in Path(table, "_delta_log").iterdir()) == before


@pytest.mark.parametrize(
    "option", [("--dry-run",), ("-y",), ("--expect-version", "4"), ("-m", "x")]
)
def test_what_goes_with_a_repair_goes_with_nothing_else(run, golden, option) -> None:
    result = run("verify-checksum", golden("crc_good"), *option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "go with --repair" in result.stderr


def test_what_spark_lacks_is_told_before_anything_is_read(
    run, golden, monkeypatch, tmp_path
) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    table = golden("all_types")
    for file in Path(table).glob("*.parquet"):
        file.unlink()
    words = ["verify-checksum", table, "--data", "--engine", "spark", "-o", "json"]
    remote = [*words, "--remote", "sc://127.0.0.1:1"]
    for typed, code in ((words, "JARS_MISSING"), (remote, "JOB_NEEDS_JVM")):
        result = run(*typed)
        assert (result.exit_code, result.document["error"]["code"]) == (9, code)


def test_spark_goes_with_the_data(run, golden) -> None:
    table = golden("crc_good")
    result = run("verify-checksum", table, "--all", "--engine", "spark")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--engine spark goes with --data" in result.stderr
    assert f"hint: deltactl verify-checksum {table} --data --engine spark" in result.stderr


def test_a_setting_for_all_commands_may_stand_without_the_data(run, golden, monkeypatch) -> None:
    monkeypatch.setenv("DELTACTL_ENGINE", "spark")
    assert run("verify-checksum", golden("crc_good")).exit_code == 0


def test_a_message_stands_in_the_commit_of_a_repair(run, tmp_path) -> None:
    column = field("id", "long", **{"delta.typeChanges": []})
    features = protocol(reader=["typeWidening"], writer=["invariants", "appendOnly"])
    table = tmp_path / "table"
    table.mkdir()
    write_log(table, [[commit_info(), features, metadata(column, enableTypeWidening="true")]])
    result = run("verify-checksum", str(table), "--repair", "-m", "as agreed", "-o", "json")
    assert (result.exit_code, result.document["version"]) == (0, 1)
    first = (table / "_delta_log" / f"{1:020d}.json").read_text().splitlines()[0]
    assert json.loads(first)["commitInfo"]["userMetadata"] == "as agreed"


@pytest.mark.parametrize("step", ["checkpoint", "check"])
def test_ctrl_c_says_what_was_done_before(
    run, golden, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a repair that has several steps the first is made."""
    table = golden("many_ops_history")
    log = Path(table, "_delta_log")
    checkpoint = "00000000000000000010.checkpoint.parquet"
    (log / checkpoint).write_bytes((log / checkpoint).read_bytes()[:-20])

    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    module, name = {
        "checkpoint": (repair, "plan_checkpoint"), "check": (report, "report_verify")
    }[step]  # fmt: skip
    monkeypatch.setattr(module, name, interrupted)
    result = run("verify-checksum", table, "--repair", "-o", "json")
    assert result.exit_code == 130
    message = result.document["error"]["message"]
    assert message.startswith("interrupted; ")
    assert f"_delta_log/{checkpoint}.quarantined-" in message
    assert (f", _delta_log/{checkpoint}" in message) == (step == "check")
    assert result.document["error"]["hint"] == "run it again: it continues from what is there"


def test_a_hint_that_only_spark_finds_right(run, golden, shared_folder: Path) -> None:
    table = golden("tw_kitchen_sink")
    shutil.copy(shared_folder / FOURTEEN, Path(table, "_delta_log/_last_checkpoint"))
    result = run("verify-checksum", table, "-o", "json")
    checks = {check["name"]: check for check in result.document["checks"]}
    assert checks["_last_checkpoint"]["detail"] == "checksum right by Spark's ordering"


@pytest.mark.parametrize("options", [(), ("--all",)], ids=["newest", "all"])
def test_ctrl_c(run, golden, options, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(CommitChecks, "read", interrupted)
    result = run("verify-checksum", golden("crc_good"), *options)
    assert (result.exit_code, result.stdout) == (130, "")


@pytest.mark.parametrize(
    ("options", "left_out"),
    [
        ((), "older versions (--all), data files (--data)"),
        (("--all",), "data files (--data)"),
        (("--data",), "older versions (--all), rows (--data --engine spark)"),
        (("--all", "--data"), "rows (--data --engine spark)"),
    ],
)
def test_what_was_not_looked_at(run, golden, options, left_out) -> None:
    result = run("verify-checksum", golden("crc_good"), *options)
    assert result.stdout.splitlines()[-1] == f"Not looked at: {left_out}."


def test_a_table_without_files_has_no_more_to_look_at(run, tmp_path) -> None:
    (tmp_path / "new").mkdir()
    write_log(tmp_path / "new", [[commit_info(), protocol(), metadata(field("id", "long"))]])
    result = run("verify-checksum", str(tmp_path / "new"))
    assert result.exit_code == 0
    assert result.stdout.endswith("\nVersion 0 is sound.\n")
    assert re.search(r"^files +0  nothing to check$", result.stdout, re.MULTILINE)


def test_checked_none_is_not_ok(run, golden, valid_document) -> None:
    result = run("verify-checksum", golden("inv_sidecar_missing"), "--data", "-o", "json")
    checks = valid_document("verify-checksum", result.stdout)["checks"]
    none = {check["name"]: check["skipped"] for check in checks if not check["subjects"]}
    unreadable = "the table cannot be read"
    assert none == {"files": unreadable, "side files": "not found", "data files": unreadable}


def test_warnings_are_counted_by_themselves(run, golden, valid_document) -> None:
    table = golden("crc_bad_metadata")
    commit = Path(table, "_delta_log", "00000000000000000000.json")
    commit.write_text(commit.read_text() + "\n\n")
    result = run("verify-checksum", table, "--all")
    assert "  warning  COMMIT_HAS_BLANK_LINES  0" in result.stdout
    assert "    next      deltactl explain COMMIT_HAS_BLANK_LINES\n" in result.stdout
    assert "\nVersion 4: 1 error, 1 warning.\n" in result.stdout
    result = run("verify-checksum", table, "--all", "-o", "json")
    checks = valid_document("verify-checksum", result.stdout)["checks"]
    assert {c["name"]: c["warnings"] for c in checks if c["findings"]} == {
        "commits": 1, "checksums": 0
    }  # fmt: skip


def test_a_kind_of_finding_is_explained_once(run, golden) -> None:
    table = golden("crc_good")
    for file in Path(table).glob("*.parquet"):
        file.unlink()
    result = run("verify-checksum", table, "--data")
    assert result.stdout.count("DATA_FILE_MISSING  ") > 1
    assert result.stdout.count("The rows of the file cannot be read.") == 1


@pytest.mark.parametrize("command", ["show", "schema"])
def test_a_broken_log_hints_at_the_check(run, golden, command) -> None:
    table = golden("inv_multipart_part_missing")
    result = run(command, table, "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (5, "CHECKPOINT_INCOMPLETE")
    assert result.document["error"]["hint"] == f"deltactl verify-checksum {table}"


def test_no_table(run, tmp_path) -> None:
    result = run("verify-checksum", str(tmp_path / "nothing"))
    assert (result.exit_code, result.stdout) == (3, "")
    assert "[TABLE_NOT_FOUND]" in result.stderr
