"""Real tables in stores: each command says of them what it says of them in a folder here."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from fake_store import FakeStore
from in_process import say
from store_places import STORES, Place

from deltactl.changes.jobs import Job
from deltactl.spark.settings.store_settings import PROPERTY
from deltactl.spark.settings.stores import Stores
from deltactl.storage.locate import locate
from deltactl.storage.options.settings import StoreSettings

# Every kind of checkpoint, deletion vectors, names and paths that need care, and broken logs.
TABLES = (
    "dat-v0.0.3__deletion_vectors",
    "dat-v0.0.3__multi_partitioned_2",
    "dat-v0.0.3__with_checkpoint",
    "delta-rs__cdf-table-with-cdc-and-dvs",
    "delta-rs__checkpoint-v2-table",
    "delta-rs__delta-0.8.0-special-partition",
    "delta-rs__simple_commit",
    "delta-rs__table-with-domain-metadata",
    "generated__in_commit_timestamps_skewed",
    "generated__inv_gap_in_log",
    "generated__inv_sidecar_missing",
    "generated__log_compaction",
    "generated__special_partition_paths",
    "generated__tw_kitchen_sink",
    "generated__unicode_schema",
    "generated__v2_checkpoint_parquet_sidecars",
    "golden__corrupted-last-checkpoint-kernel",
    "golden__multi-part-checkpoint",
    "golden__type-widening-nested",
    "kernel-rs-tar__v2-checkpoints-json-with-sidecars",
)
COMMANDS = (
    ["show", "TABLE", "--rows"],
    ["history", "TABLE"],
    ["schema", "show", "TABLE"],
    ["files", "TABLE"],
    ["protocol", "show", "TABLE"],
    ["log", "TABLE"],
    ["verify-checksum", "TABLE", "--all", "--data"],
)
# Where executors may have it from that there are other stores, and other keys.
THEIRS = {
    "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
    "AWS_SESSION_TOKEN": "theirs",
    "AZURE_STORAGE_ENDPOINT": "http://127.0.0.1:9",
    "AZURE_STORAGE_SAS_TOKEN": "theirs",
    "HDFS_HTTP_ADDRESS": "127.0.0.1:9",
    "HDFS_DELEGATION_TOKEN": "theirs",
}
# Files have the time at which they were put there, and it is told as that of a commit.
TIMES = {"timestamp", "modified"}


def put_into(place: Place, folder: Path) -> None:
    """Put the files of a folder there, as they are."""
    storage = place.opened()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        storage.put(str(path.relative_to(folder)), path.read_bytes())


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(member) for key, member in value.items() if key not in TIMES}
    return [without_times(member) for member in value] if isinstance(value, list) else value


def said(words: list[str], table: str, called: str) -> tuple[int, Any]:
    """The exit code and the document of a command, where the table is `called` so."""
    found = say([*(table if word == "TABLE" else word for word in words), "-o", "json"])
    text = json.dumps(found.document, ensure_ascii=False).replace(table, called)
    return found.exit_code, without_times(json.loads(text))


@pytest.mark.parametrize("place", [name for name in STORES if name != "local"], indirect=True)
@pytest.mark.parametrize("name", TABLES)
def test_it_is_what_it_is_here(
    place: Place, name: str, shared_tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = shared_tables / name / "delta"
    put_into(place, here)
    for option, value in place.options.items():
        monkeypatch.setenv(option, value)
    for words in COMMANDS:
        assert said(words, place.uri, "it") == said(words, str(here), "it"), words


@pytest.mark.parametrize("place", [name for name in STORES if name != "local"], indirect=True)
def test_it_is_changed_as_it_is_here(
    place: Place, tmp_path: Path, shared_tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_into(place, shared_tables / "generated__tw_integers_floats" / "delta")
    for option, value in place.options.items():
        monkeypatch.setenv(option, value)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    table = place.uri
    before = say(["show", table, "-o", "json"]).document["version"]

    def committed(*words: str) -> int | None:
        return say([*words, "--yes", "-o", "json"]).committed

    assert committed("column", "add", table, "note", "string") == before + 1
    assert committed("property", "set", table, "team=billing") == before + 2
    assert committed("column", "add", table, "note", "string", "--if-not-exists") is None
    assert say(["checkpoint", table, "-o", "json"]).exit_code == 0
    newest = say(["show", table, "-o", "json"]).document
    assert newest["checkpoint"]["version"] == before + 2
    assert newest["properties"]["team"] == "billing"
    assert newest["schema"]["fields"][-1]["name"] == "note"
    # A checkpoint that was damaged is moved aside, and rebuilt.
    storage = place.opened()
    checkpoint = max(
        file.name for file in storage.list_from("_delta_log") if ".checkpoint" in file.name
    )
    path = f"_delta_log/{checkpoint}"
    storage.put(path, storage.read(path)[:-9])
    assert say(["verify-checksum", table, "-o", "json"]).exit_code == 5
    assert say(["verify-checksum", table, "--repair", "--yes", "-o", "json"]).exit_code == 0
    assert say(["verify-checksum", table, "-o", "json"]).exit_code == 0
    left = [file.name for file in storage.list_from("_delta_log")]
    assert [name for name in left if ".quarantined-" in name]
    assert not [name for name in left if "probe" in name or name.endswith(".tmp")]


# What reaches the fake of Google's store has no name in Hadoop.
@pytest.mark.parametrize(
    "place", [name for name in STORES if name not in ("local", "fake_gcs")], indirect=True
)
def test_an_executor_finds_it(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.opened().put("1.parquet", b"PAR1")
    job = Job("footers", {"table": place.uri}, "")
    stores = Stores(place.options, {})
    told = json.loads(stores.reach(job).conf[PROPERTY])
    for option, value in THEIRS.items():
        monkeypatch.setenv(option, value)
    storage = locate(stores.renamed(job).params["table"], StoreSettings(**told))
    assert storage.read("1.parquet") == b"PAR1"


def test_a_dry_run_writes_nothing_there(lake: FakeStore, tmp_path: Path) -> None:
    golden = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
    lake.load(golden, "t")
    words = ["column", "add", "s3://lake/t", "note", "string"]
    assert say([*words, "--dry-run", "-o", "json"]).exit_code == 0
    assert lake.asked("(put|delete|copy).*") == []
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("place", [name for name in STORES if name != "local"], indirect=True)
def test_a_list_says_a_url_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.opened().put("lake/t/_delta_log/_last_checkpoint", b"{}")
    for option, value in place.options.items():
        monkeypatch.setenv(option, value)
    (warning,) = say(["tables", place.uri, "-o", "json"]).document["warnings"]
    assert warning["code"] == "NOT_A_TABLE"
    assert warning["message"].startswith(f"{place.uri}/lake/t is not a Delta table: ")
    assert warning["message"].count(place.uri) == 1


def test_tables_below_a_prefix(lake: FakeStore) -> None:
    golden = Path(__file__).parent.parent / "golden"
    lake.load(golden / "all_types" / "delta", "sales/eu/all")
    lake.load(golden / "tw_integers_floats" / "delta", "sales/widened")
    lake.load(golden / "tw_integers_floats" / "delta", "raw/widened")
    lake.put("sales/notes.txt", b"no table")
    found = say(["tables", "s3://lake/sales", "-o", "json"])
    assert found.exit_code == 0
    tables = {table["uri"]: table for table in found.document["tables"]}
    assert sorted(tables) == ["s3://lake/sales/eu/all", "s3://lake/sales/widened"]
    one = tables["s3://lake/sales/eu/all"]
    # As its two files are: 5,205 and 4,407 bytes.
    assert (one["version"], one["files"], one["bytes"]) == (2, 2, 9612)
