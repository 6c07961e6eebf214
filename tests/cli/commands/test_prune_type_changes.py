"""`deltactl prune-type-changes`, as people type it."""

import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spark_parts
from small_tables import field, metadata, protocol, write_log

from deltactl.operations.prune.footers_on_spark import FOOTERS_SPARK_FROM
from deltactl.storage.local.local import LocalStorage

TABLE = "tw_rowtracking_prunable"
WAS_INT = {"delta.typeChanges": [{"fromType": "integer", "toType": "long", "tableVersion": 1}]}
GO_BACK = (
    "            Spark SQL only; also discards rows written after version %d; "
    "no command restores pruned type changes"
)


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def newest(table: str) -> int:
    return max(int(file.stem) for file in Path(table, "_delta_log").glob("*.json"))


@pytest.fixture
def half() -> str:
    """A table of two columns, one of which a file holds in its old type."""
    root = Path("half")
    root.mkdir()
    names = ("new", "old")
    columns = [field(name, "long", **WAS_INT) for name in names]
    adds = []
    for number, kind in enumerate((pa.int32(), pa.int64())):
        types = {"new": pa.int64(), "old": kind}
        pq.write_table(pa.schema(types).empty_table(), root / f"{number}.parquet")
        body = {"path": f"{number}.parquet", "partitionValues": {}, "size": 1000 + number}
        adds.append({"add": {**body, "modificationTime": 5, "dataChange": True}})
    heads = [protocol(reader=["typeWidening"]), metadata(*columns, enableTypeWidening="true")]
    return write_log(root, [[*heads, *adds]])


def test_columns_forget_what_no_file_holds(run, golden) -> None:
    table = golden(TABLE)
    uri = Path(table).absolute()
    result = run("prune-type-changes", table, "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert lines(result.stdout) == [
        f"{uri}   v6 → v7   CHANGE COLUMNS    2 altered",
        "",
        "  ~ v              long",
        "      typeChanges  - int → long",
        "  ~ s              int",
        "      typeChanges  - short → int",
        "",
        "Data files  0 of 2 files rewritten",
        "            v: long in 2 files (3.4 KiB)",
        "            s: int in 2 files (3.4 KiB)",
        "Readers     open queries continue",
        f"To go back  RESTORE TABLE delta.`{uri}` TO VERSION AS OF 6",
        GO_BACK % 6,
        "",
        "Committed as version 7.",
    ]
    again = run("prune-type-changes", table, "--yes")
    said = "Nothing to do: already up to date (version 7).\n"
    assert (again.exit_code, again.stdout, again.stderr) == (0, said, "")
    # Widening goes on from there.
    assert run("widen", table, "s", "long").exit_code == 0
    document = run("schema", "show", table, "-o", "json").document
    changes = {column["path"]: column["typeChanges"] for column in document["columns"]}
    assert [(c["fromType"], c["toType"]) for c in changes["s"]] == [("integer", "long")]
    assert changes["v"] == []


def test_what_stays_is_told(run, half) -> None:
    uri = Path(half).absolute()
    result = run("prune-type-changes", half, "--yes")
    assert result.exit_code == 0
    assert result.stderr == (
        "warning: old is long, but int in 1 of 2 files: its type changes stay "
        "[OLD_TYPES_IN_FILES]\n"
    )
    assert lines(result.stdout) == [
        f"{uri}   v0 → v1   CHANGE COLUMN    1 altered",
        "",
        "  ~ new            long",
        "      typeChanges  - int → long",
        "",
        "Data files  0 files rewritten",
        "            new: long in 2 files (2.0 KiB)",
        "            old: int in 1 file (1000 B), long in 1 file (1001 B)",
        "Old types   in 1 file (1000 B), which --rewrite rewrites first",
        "Readers     open queries continue",
        f"To go back  RESTORE TABLE delta.`{uri}` TO VERSION AS OF 0",
        GO_BACK % 0,
        "",
        "Committed as version 1.",
    ]


def test_where_nothing_can_be_pruned_nothing_is_written(run, golden) -> None:
    table = golden("tw_partitioned")
    before = newest(table)
    result = run("prune-type-changes", table, "--yes")
    assert (result.exit_code, result.stdout) == (4, "")
    assert lines(result.stderr) == [
        "error: v is int, but byte in 3 of 4 files [OLD_TYPES_IN_FILES]",
        "error: p is long, but int in 3 of 4 files [OLD_TYPES_IN_FILES]",
        "error: d is timestamp_ntz, but date in 3 of 4 files [OLD_TYPES_IN_FILES]",
        f"hint: rewrite these files first: deltactl prune-type-changes {table} --rewrite",
        f"note: nothing was written; the table is at version {before}",
    ]
    assert newest(table) == before


DROP = ["protocol", "drop", "typeWidening"]


@pytest.mark.parametrize(
    "words",
    [
        ["prune-type-changes", "--yes"],
        ["prune-type-changes", "--rewrite", "--yes"],
        ["protocol", "drop", "typeWidening", "--yes"],
    ],
)
def test_a_damaged_footer_is_told_before_spark_starts(run, half, words, spark_is_there) -> None:
    file = Path(half, "1.parquet")
    file.write_bytes(file.read_bytes()[:-30] + b"\0" * 30)
    names = sorted(path.name for path in Path(half).rglob("*"))
    place = 2 if words[0] == "protocol" else 1
    result = run(*words[:place], half, *words[place:])
    assert (result.exit_code, result.stdout, newest(half)) == (8, "", 0)
    [error] = [line for line in lines(result.stderr) if line.startswith("error:")]
    assert error.startswith("error: 1 of 2 files cannot be read, so that their types are unknown: ")
    assert error.endswith(" [FOOTERS_UNREADABLE]")
    assert "1.parquet: " in error
    assert lines(result.stderr)[-2:] == [
        "hint: bring them back from a copy, or RESTORE to a version without them; "
        f"deltactl verify-checksum {half} --data names them all",
        "note: nothing was written; the table is at version 0",
    ]
    assert sorted(path.name for path in Path(half).rglob("*")) == names


def test_one_column(run, half) -> None:
    result = run("prune-type-changes", half, "--column", "old", "--column", "new", "--yes")
    assert (result.exit_code, result.stdout, newest(half)) == (4, "", 0)
    assert "hint: rewrite these files first: deltactl prune-type-changes " in result.stderr
    result = run("prune-type-changes", half, "--column", "new", "--yes", "-o", "json")
    assert (result.exit_code, result.document["version"]) == (0, 1)
    assert result.document["columns"] == [
        {
            "path": "new",
            "field": "new",
            "type": "long",
            "typeChanges": [
                {
                    "fromType": "integer",
                    "toType": "long",
                    "fieldPath": None,
                    "tableVersion": 1,
                    "sinceVersion": 1,
                    "beforeVersion": None,
                    "draftRule": {"byTableVersion": False, "bySinceVersion": False},
                }
            ],
            "physicalTypes": [{"type": "long", "files": 2, "bytes": 2001}],
            "prunable": True,
            "reason": "no live file holds it in another type",
        }
    ]
    missing = run("prune-type-changes", half, "--column", "nope", "-o", "json")
    assert (missing.exit_code, missing.document["error"]["code"]) == (3, "COLUMN_NOT_FOUND")


def test_without_spark_nothing_is_rewritten(run, half) -> None:
    words = ["prune-type-changes", half, "--rewrite", "--yes", "--engine", "local"]
    result = run(*words, "-o", "json")
    error = result.document["error"]
    assert (result.exit_code, error["code"], newest(half)) == (4, "ONLY_ON_SPARK", 0)
    assert error["message"] == ("rewriting data files needs Spark, which --engine local rules out")
    # Footers take none, nor does what no file holds.
    assert run(*words, "--dry-run").exit_code == 0
    assert run("prune-type-changes", half, "--yes", "--engine", "local").exit_code == 0
    assert newest(half) == 1


PRUNE = ["prune-type-changes", "--rewrite"]


@pytest.mark.parametrize(
    ("words", "master", "code"),
    [
        # Nothing listens there: the URL is checked first.
        (PRUNE, ["--remote", "sc://127.0.0.1:1"], "JOB_NEEDS_JVM"),
        (DROP, ["--remote", "sc://127.0.0.1:1"], "JOB_NEEDS_JVM"),
        (PRUNE, ["--master", "local[2]"], "JARS_MISSING"),
        (DROP, ["--master", "local[2]"], "JARS_MISSING"),
        (PRUNE, ["--master", "local[2]", "--jars", "changed"], "JAR_DAMAGED"),
        (PRUNE, ["--master", "spark://127.0.0.1:1"], "JARS_MISSING"),
        (PRUNE, ["--master", "spark://127.0.0.1:1", "--jars", "jars"], "MASTER_UNREACHABLE"),
    ],
)
def test_what_spark_lacks_is_reported_before_footers_and_consent(
    run, half, monkeypatch, tmp_path, words, master, code
) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    spark_parts.install_jars(monkeypatch, Path("jars"))
    changed = Path(shutil.copytree("jars", "changed"))
    for jar in changed.iterdir():  # of the same size
        jar.write_bytes(bytes(jar.stat().st_size))
    place = 2 if words[0] == "protocol" else 1
    # Otherwise unreadable footers and the missing consent would be refused, too.
    for file in Path(half).glob("*.parquet"):
        file.write_bytes(b"")
    result = run(*words[:place], half, *words[place:], *master, "-o", "json")
    document = result.document
    assert (result.exit_code, document["error"]["code"], newest(half)) == (9, code, 0)
    assert [refusal["code"] for refusal in document["plan"]["refusals"]] == [code]


def test_a_dry_run_without_spark_shows_the_plan_and_warns(run, half, monkeypatch, tmp_path) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    words = ["prune-type-changes", half, "--rewrite", "--dry-run", "-o", "json"]
    document = run(*words).document
    assert (document["ok"], document["plan"]["rewrites"]["files"]) == (True, 1)
    [warning] = document["plan"]["warnings"]
    assert warning["code"] == "JARS_MISSING"
    assert warning["message"].startswith("this machine cannot carry the plan out: Delta's jar ")
    # No other machine could have this server do it.
    result = run(*words, "--remote", "sc://127.0.0.1:1")
    assert (result.exit_code, result.document["error"]["code"]) == (9, "JOB_NEEDS_JVM")


def test_what_needs_no_rewriting_needs_no_spark(run, half) -> None:
    assert run("prune-type-changes", half, "--column", "new", "--yes").exit_code == 0


def test_the_help_has_the_number_of_files_from_which_a_cluster_reads_footers(run) -> None:
    said = run("prune-type-changes", "--help").stdout
    assert f"If there are {FOOTERS_SPARK_FROM:,} or more" in " ".join(said.split())


def test_a_dry_run(run, half) -> None:
    result = run("prune-type-changes", half, "--dry-run", "--exit-code", "-o", "json")
    document: dict[str, Any] = result.document
    assert (result.exit_code, document["ok"], newest(half)) == (5, True, 0)
    assert [(c["path"], c["prunable"], c["reason"]) for c in document["columns"]] == [
        ("new", True, "no live file holds it in another type"),
        ("old", False, "old is long, but int in 1 of 2 files"),
    ]
    sample = ["0.parquet"]
    assert document["plan"]["rewrites"] == {
        "files": 1,
        "bytes": 1000,
        "sample": sample,
        "comeFirst": False,
    }


def test_a_plan_that_was_saved_looks_at_the_files_again(run, valid_document, half) -> None:
    saved = run("prune-type-changes", half, "--plan-out", "plan.json")
    assert saved.exit_code == 0
    # Another writer brings back an old file.
    body = {"path": "0.parquet", "partitionValues": {}, "size": 1000, "modificationTime": 5}
    late = {"add": {**body, "path": "late.parquet", "dataChange": True}}
    old = {"new": pa.int32(), "old": pa.int64()}
    pq.write_table(pa.schema(old).empty_table(), Path(half, "late.parquet"))
    log = Path(half, "_delta_log", f"{1:020d}.json")
    log.write_text(json.dumps(late) + "\n")
    result = run("apply", "plan.json", "--yes", "-o", "json")
    document = valid_document("apply", result.stdout)
    assert (result.exit_code, newest(half)) == (4, 1)
    assert [column["prunable"] for column in document["columns"]] == [False, False]
    log.unlink()
    result = run("apply", "plan.json", "--yes", "-o", "json")
    document = valid_document("apply", result.stdout)
    assert (document["version"], len(document["columns"])) == (1, 2)


def test_a_transaction_that_was_done_before(run, valid_document, half) -> None:
    words = ["prune-type-changes", half, "--yes", "--once", "nightly:1", "-o", "json"]
    assert run(*words).document["version"] == 1
    document = valid_document("prune-type-changes", run(*words).stdout)
    assert (document["committed"], document["version"]) == (False, None)


def test_ctrl_c_does_not_wait_for_the_rest(run, half, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that answer slowly: those that were not asked yet are not asked any more."""
    real = LocalStorage.source
    pressed: list[float] = []

    def slow(self: LocalStorage, path: str) -> str:
        time.sleep(0.2)
        return real(self, path)

    def press() -> None:
        pressed.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    body = {"partitionValues": {}, "size": 1000, "modificationTime": 5, "dataChange": True}
    adds = [{"add": {**body, "path": f"{number}.parquet"}} for number in range(2, 1000)]
    text = "".join(f"{json.dumps(add)}\n" for add in adds)
    Path(half, "_delta_log", f"{1:020d}.json").write_text(text)
    monkeypatch.setattr(LocalStorage, "source", slow)
    timer = threading.Timer(0.5, press)
    timer.start()
    result = run("prune-type-changes", half, "--yes")
    timer.join()
    assert (result.exit_code, newest(half)) == (130, 1)
    assert result.stderr == "error: interrupted; nothing was written [INTERRUPTED]\n"
    assert time.monotonic() - pressed[0] < 2
