"""`deltactl checkpoint`, as people type it."""

import json
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import spark_parts
from small_tables import Action, commit_info, field, metadata, protocol, write_log

CLASSIC = "00000000000000000002.checkpoint.parquet"
DAY = 86_400_000
STATS = (
    '{"numRecords":3,"minValues":{"id":1,"at":"2024-01-01T00:00:00.000Z","x":"NaN"},'
    '"maxValues":{"id":9,"at":"2024-01-02T00:00:00.000Z","x":2.5},"nullCount":{"id":0,"x":1}}'
)


def add(path: str, **more: Any) -> Action:
    fields = {"path": path, "partitionValues": {"day": "2024-01-01"}, "size": 100}
    return {"add": {**fields, "modificationTime": 7, "dataChange": True, **more}}


def remove(path: str, time: int, **more: Any) -> Action:
    fields = {"path": path, "deletionTimestamp": time, "dataChange": True}
    return {"remove": {**fields, **more}}


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table at version 2 with every kind of action that a checkpoint keeps, or leaves out."""
    now = int(time.time() * 1000)
    heads = protocol(reader=["deletionVectors"], writer=["domainMetadata", "rowTracking"])
    columns = [field("id", "long"), field("at", "timestamp"), field("x", "double")]
    head = metadata(*columns, field("day", "date"))
    head["metaData"]["partitionColumns"] = ["day"]
    vector = {
        "storageType": "u", "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^", "offset": 4,
        "sizeInBytes": 40, "cardinality": 2,
    }  # fmt: skip
    kept = {"tags": {"k": "v"}, "baseRowId": 0, "defaultRowCommitVersion": 1, "stats": STATS}
    commits = [
        [commit_info(), heads, head, {"txn": {"appId": "a", "version": 1, "lastUpdated": 5}}],
        [
            commit_info(),
            add("a%20b.parquet", clusteringProvider="liquid", **kept),
            add("b.parquet", stats="no statistics"),
            add("c.parquet"),
            {"domainMetadata": {"domain": "d", "configuration": "{}", "removed": False}},
            {"domainMetadata": {"domain": "gone", "configuration": "{}", "removed": False}},
        ],
        [
            commit_info(),
            remove("b.parquet", now - DAY, size=100, extendedFileMetadata=True, tags={"k": "v"}),
            remove("c.parquet", now - 8 * DAY),
            remove("a%20b.parquet", now - 9 * DAY),
            add("a%20b.parquet", **{**kept, "deletionVector": vector}),
            {"domainMetadata": {"domain": "gone", "configuration": "{}", "removed": True}},
            {"txn": {"appId": "a", "version": 2}},
        ],
    ]
    return write_log(tmp_path, commits)


def rows(file: Path) -> list[tuple[str, dict[str, Any]]]:
    """The actions of a parquet file without their nulls."""
    found = pq.read_table(file).to_pylist(maps_as_pydicts="strict")
    return [(kind, _held(body)) for row in found for kind, body in row.items() if body is not None]


def _held(body: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _held(value) if isinstance(value, dict) else value
        for key, value in body.items()
        if value is not None
    }


def log(table: str) -> Path:
    return Path(table, "_delta_log")


def names(table: str) -> Iterator[str]:
    yield from sorted(path.name for path in log(table).iterdir() if path.suffix != ".json")


def test_a_classic_checkpoint_word_for_word(run, table) -> None:
    result = run("checkpoint", table)
    assert (result.exit_code, result.stderr) == (0, "")
    lines = [line.rstrip() for line in result.stdout.splitlines()]
    assert lines[:5] == [
        f"{table}  version 2  CHECKPOINT",
        "",
        f"  write    {CLASSIC}  classic checkpoint of version 2",
        "  replace  _last_checkpoint  leads to the checkpoint of version 2",
        "",
    ]
    assert lines[5].startswith(
        "Written and read back: classic checkpoint of version 2, 6 actions in 1 file, "
    )
    found = rows(log(table) / CLASSIC)
    tombstone = found[-1][1].pop("deletionTimestamp")
    assert tombstone > time.time() * 1000 - 2 * DAY
    bounds = {"id": 1, "at": datetime(2024, 1, 1, tzinfo=UTC)}
    added = found[4][1]["stats_parsed"]["minValues"].pop("x")
    assert added != added, "NaN"
    assert found == [
        (
            "protocol",
            {
                "minReaderVersion": 3,
                "minWriterVersion": 7,
                "readerFeatures": ["deletionVectors"],
                "writerFeatures": ["deletionVectors", "domainMetadata", "rowTracking"],
            },
        ),
        (
            "metaData",
            {
                "id": "5f3c3f0e-2f6b-4d0e-9a57-6f1f7c1d0001",
                "format": {"provider": "parquet", "options": {}},
                "schemaString": found[1][1]["schemaString"],
                "partitionColumns": ["day"],
                "configuration": {},
            },
        ),
        ("txn", {"appId": "a", "version": 2}),
        ("domainMetadata", {"domain": "d", "configuration": "{}", "removed": False}),
        (
            "add",
            {
                "path": "a%20b.parquet",
                "partitionValues": {"day": "2024-01-01"},
                "size": 100,
                "modificationTime": 7,
                "dataChange": False,
                "tags": {"k": "v"},
                "deletionVector": {
                    "storageType": "u",
                    "pathOrInlineDv": "ab^-aqEH.-t@S}K{vb[*k^",
                    "offset": 4,
                    "sizeInBytes": 40,
                    "cardinality": 2,
                },
                "baseRowId": 0,
                "defaultRowCommitVersion": 1,
                "stats": STATS,
                "partitionValues_parsed": {"day": date(2024, 1, 1)},
                "stats_parsed": {
                    "numRecords": 3,
                    "minValues": bounds,
                    "maxValues": {"id": 9, "at": datetime(2024, 1, 2, tzinfo=UTC), "x": 2.5},
                    "nullCount": {"id": 0, "x": 1},
                },
            },
        ),
        (
            "remove",
            {
                "path": "b.parquet",
                "dataChange": False,
                "extendedFileMetadata": True,
                "size": 100,
            },
        ),
    ]
    hint = json.loads((log(table) / "_last_checkpoint").read_text())
    size = (log(table) / CLASSIC).stat().st_size
    assert {**hint, "checksum": len(hint["checksum"])} == {
        "version": 2,
        "size": 6,
        "sizeInBytes": size,
        "numOfAddFiles": 1,
        "checksum": 32,
    }


def test_columns_stand_in_spark_s_order(run, table) -> None:
    assert run("checkpoint", table).exit_code == 0
    schema = pq.read_schema(log(table) / CLASSIC)
    assert schema.names == ["txn", "add", "remove", "metaData", "protocol", "domainMetadata"]
    assert [f.name for f in schema.field("add").type] == [
        "path", "partitionValues", "size", "modificationTime", "dataChange", "tags",
        "deletionVector", "baseRowId", "defaultRowCommitVersion", "clusteringProvider", "stats",
        "partitionValues_parsed", "stats_parsed",
    ]  # fmt: skip
    assert [f.name for f in schema.field("remove").type] == [
        "path", "deletionTimestamp", "dataChange", "extendedFileMetadata", "partitionValues",
        "size", "deletionVector", "baseRowId", "defaultRowCommitVersion",
    ]  # fmt: skip
    parsed = schema.field("add").type.field("stats_parsed").type
    assert [f.name for f in parsed] == [
        "numRecords", "minValues", "maxValues", "nullCount", "tightBounds",
    ]  # fmt: skip


def test_again_is_nothing_to_do(run, table) -> None:
    first = run("checkpoint", table, "-o", "json").document
    assert first["plan"]["files"][0]["how"] == "put-if-absent"
    again = run("checkpoint", table, "-o", "json").document
    assert (again["plan"]["files"], again["checkpoint"]) == ([], first["checkpoint"])
    assert run("checkpoint", table).stdout == (
        "Nothing to do: version 2 has a whole classic checkpoint.\n"
    )
    assert run("checkpoint", table, "--dry-run", "--exit-code").exit_code == 0


def test_a_dry_run_writes_nothing(run, table) -> None:
    before = list(names(table))
    result = run("checkpoint", table, "--dry-run", "--exit-code")
    assert (result.exit_code, list(names(table))) == (5, before)
    assert result.stdout.endswith("\nDry run: nothing was written.\n")


def test_exit_code_alone_would_write(run, table) -> None:
    assert run("checkpoint", table, "--exit-code").exit_code == 2
    assert not list(Path(table, "_delta_log").glob("*.checkpoint.parquet"))


def test_an_older_version_keeps_the_hint(run, table) -> None:
    assert run("checkpoint", table).exit_code == 0
    hint = (log(table) / "_last_checkpoint").read_bytes()
    document = run("checkpoint", table, "--at", "1", "-o", "json").document
    assert document["checkpoint"]["version"] == 1
    assert [file["path"] for file in document["plan"]["files"]] == [
        "_delta_log/00000000000000000001.checkpoint.parquet"
    ]
    assert (log(table) / "_last_checkpoint").read_bytes() == hint


def test_parts_have_the_specifications_names_and_no_row_twice(run, table) -> None:
    result = run("checkpoint", table, "--kind", "multipart", "--parts", "3", "-o", "json")
    parts = result.document["checkpoint"]["parts"]
    assert [part["path"] for part in parts] == [
        f"_delta_log/00000000000000000002.checkpoint.000000000{n}.0000000003.parquet"
        for n in (1, 2, 3)
    ]
    assert sum(part["rows"] for part in parts) == 6
    assert json.loads((log(table) / "_last_checkpoint").read_text())["parts"] == 3
    shown = run("show", table, "-o", "json").document
    assert shown["checkpoint"] == {"version": 2, "kind": "multipart", "parts": 3}
    assert (shown["files"]["count"], shown["warnings"]) == (1, [])


@pytest.mark.parametrize("top", ["json", "parquet"])
def test_v2_names_its_sidecars(run, table, top) -> None:
    assert run("protocol", "enable", table, "v2Checkpoint", "--yes").exit_code == 0
    result = run("checkpoint", table, "--kind", "v2", "--top", top, "-o", "json")
    *sidecars, own = result.document["checkpoint"]["parts"]
    assert own["path"].endswith(f".{top}")
    assert [s["rows"] for s in sidecars] == [2]
    shown = run("show", table, "-o", "json").document
    assert shown["checkpoint"] == {"version": 3, "kind": "v2", "parts": 1}
    assert (shown["files"]["count"], shown["warnings"]) == (1, [])
    assert "parts" not in json.loads((log(table) / "_last_checkpoint").read_text())


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--kind", "v2"], "V2_CHECKPOINT_UNSUPPORTED"),
        (["--kind", "classic", "--parts", "2"], "CLASSIC_HAS_ONE_PART"),
    ],
)
def test_what_the_table_does_not_allow(run, table, words, code) -> None:
    before = list(names(table))
    document = run("checkpoint", table, *words, "-o", "json").document
    assert (document["error"]["code"], document["error"]["exit"]) == (code, 4)
    assert list(names(table)) == before


@pytest.mark.parametrize(
    ("version", "words", "instead"),
    [
        ("2", ["--kind", "v2"], "--kind classic --at 2"),
        ("2", ["--kind", "v2", "--parts", "3"], "--kind multipart --parts 3 --at 2"),
        ("2", ["--kind", "classic", "--parts", "3"], "--kind multipart --parts 3 --at 2"),
        ("3", ["--kind", "classic", "--parts", "3"], "--kind v2 --parts 3"),
        ("3", ["--kind", "multipart", "--parts", "3"], "--kind v2 --parts 3"),
        ("3", ["--kind", "multipart"], "--kind v2"),
    ],
)
def test_the_kind_that_is_hinted_is_one_that_the_version_can_have(
    run, table, version, words, instead
) -> None:
    assert run("protocol", "enable", table, "v2Checkpoint", "--yes").exit_code == 0
    refused = run("checkpoint", table, *words, "--at", version)
    assert refused.exit_code == 4
    assert f"hint: deltactl checkpoint {table} {instead}\n" in refused.stderr
    assert run("checkpoint", table, *instead.split()).exit_code == 0


@pytest.mark.parametrize("name", [CLASSIC.rpartition("/")[2], "_last_checkpoint"])
@pytest.mark.parametrize("options", [[], ["--repair"]])
def test_a_folder_in_the_place_of_a_file_is_named(run, table, name, options) -> None:
    (log(table) / name).mkdir()
    assert run("show", table).exit_code == 0
    before = list(names(table))
    refused = run("checkpoint", table, *options)
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert f"error: _delta_log/{name} is a folder" in refused.stderr
    assert f"hint: move _delta_log/{name} out of the log\n" in refused.stderr
    assert list(names(table)) == before
    (log(table) / name).rmdir()
    assert run("checkpoint", table).exit_code == 0


def test_a_folder_in_the_place_of_a_checksum_harms_nobody(run, table) -> None:
    (log(table) / "00000000000000000002.crc").mkdir()
    assert run("show", table).exit_code == 0
    assert run("checkpoint", table).exit_code == 0


def test_a_hint_above_the_newest_version_is_replaced(run, table) -> None:
    (log(table) / "_last_checkpoint").write_text('{"version":99,"size":3}')
    assert run("checkpoint", table).exit_code == 0
    assert json.loads((log(table) / "_last_checkpoint").read_text())["version"] == 2
    (log(table) / "_last_checkpoint").write_text('{"version":99,"size":3}')
    assert run("checkpoint", table).exit_code == 0
    assert json.loads((log(table) / "_last_checkpoint").read_text())["version"] == 2


def test_multipart_on_a_v2_table_is_refused(run, golden) -> None:
    result = run("checkpoint", golden("v2_checkpoint_parquet_sidecars"), "--kind", "multipart")
    assert (result.exit_code, result.stdout) == (4, "")
    assert "[MULTIPART_FORBIDDEN]" in result.stderr


def test_a_refused_older_version_is_not_called_the_table_s(run, table) -> None:
    result = run("checkpoint", table, "--kind", "v2", "--at", "0")
    assert result.exit_code == 4
    assert result.stderr.endswith("note: nothing was written\n")


def test_a_version_that_is_not_expected(run, table) -> None:
    assert run("checkpoint", table, "--expect-version", "1").exit_code == 6
    assert CLASSIC not in names(table)


def test_no_statistics_are_kept_where_the_properties_say_so(run, tmp_path) -> None:
    settings = {"checkpoint.writeStatsAsJson": "false", "checkpoint.writeStatsAsStruct": "false"}
    head = metadata(field("id", "long"), **settings)
    uri = write_log(tmp_path, [[commit_info(), protocol(writer=["invariants"]), head]])
    result = run("checkpoint", uri)
    assert result.exit_code == 0
    assert "[STATISTICS_NOT_KEPT]" in result.stderr
    add = pq.read_schema(log(uri) / "00000000000000000000.checkpoint.parquet").field("add").type
    assert {"stats", "stats_parsed"}.isdisjoint(f.name for f in add)


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def flip(file: Path) -> None:
    """One bit of the last value of the statistics, which no reader of paths would notice."""
    metadata = pq.read_metadata(file)
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    chunks = [group.column(place) for group in groups for place in range(group.num_columns)]
    stats = [c for c in chunks if c.path_in_schema == "add.stats" and c.statistics.min]
    end = stats[0].data_page_offset + stats[0].total_compressed_size
    data = bytearray(file.read_bytes())
    data[end - 3] ^= 1
    file.write_bytes(bytes(data))


def another(file: Path) -> None:
    """A sound file that says something else."""
    table = pq.read_table(file)
    pq.write_table(table.slice(0, len(table) - 2), file)


@pytest.mark.parametrize("damage", [cut, empty, flip, another])
def test_a_damaged_checkpoint_is_moved_aside_when_that_is_asked_for(run, table, damage) -> None:
    assert run("checkpoint", table).exit_code == 0
    good = rows(log(table) / CLASSIC)
    damage(log(table) / CLASSIC)
    bad = (log(table) / CLASSIC).read_bytes()

    refused = run("checkpoint", table)
    assert (refused.exit_code, refused.stdout) == (4, "")
    assert "[CHECKPOINT_DAMAGED]" in refused.stderr
    assert f"hint: deltactl checkpoint {table} --repair" in refused.stderr
    assert (log(table) / CLASSIC).read_bytes() == bad

    repaired = run("checkpoint", table, "--repair", "-o", "json").document
    moved, put, _ = repaired["plan"]["files"]
    assert (moved["how"], put["how"]) == ("move-aside", "put-if-absent")
    assert (Path(table) / moved["target"]).read_bytes() == bad
    assert repr(rows(log(table) / CLASSIC)) == repr(good)
    assert run("checkpoint", table).stdout.startswith("Nothing to do: ")


@pytest.mark.parametrize("options", [(), ("--repair",)])
def test_another_schema_than_that_of_the_commits_is_damage(run, tmp_path, options) -> None:
    # The table is read from the checkpoint: only the commits below it tell that it is wrong.
    heads = [commit_info(), protocol()]
    paths = []
    for column in ("a", "b"):
        (tmp_path / column).mkdir()
        paths.append(write_log(tmp_path / column, [[*heads, metadata(field(column, "long"))]]))
    assert run("checkpoint", paths[1]).exit_code == 0
    name = f"{0:020d}.checkpoint.parquet"
    shutil.copy(log(paths[1]) / name, log(paths[0]))
    [refusal] = run("checkpoint", paths[0], *options, "-o", "json").document["plan"]["refusals"]
    assert refusal["message"] == f"{name} is damaged: the metadata is another one"
    assert refusal["hint"] == f"deltactl verify-checksum {paths[0]} --repair"
    assert run("verify-checksum", paths[0], "--repair", "--yes").exit_code == 0
    assert run("checkpoint", paths[0], *options).exit_code == 0
    [column] = run("schema", "show", paths[0], "-o", "json").document["schema"]["fields"]
    assert column["name"] == "a"


def test_a_bit_in_the_head_of_a_page_without_values_is_damage_too(run, tmp_path) -> None:
    # Arrow alone ends the row group there, without a word.
    path = write_log(tmp_path, [[commit_info(), protocol(), metadata(field("a", "long"))]])
    assert run("checkpoint", path).exit_code == 0
    checkpoint = log(path) / f"{0:020d}.checkpoint.parquet"
    data = bytearray(checkpoint.read_bytes())
    assert pq.read_metadata(checkpoint).row_group(0).column(0).path_in_schema == "txn.appId"
    data[5] ^= 16
    checkpoint.write_bytes(data)
    assert "[CHECKPOINT_DAMAGED]" in run("checkpoint", path).stderr
    assert run("checkpoint", path, "--repair").exit_code == 0
    assert run("verify-checksum", path).exit_code == 0


@pytest.mark.parametrize("options", [(), ("--repair",)])
def test_a_part_that_is_missing_is_no_damage(run, table, options) -> None:
    assert run("checkpoint", table, "--parts", "2").exit_code == 0
    next(log(table).glob("*.0000000001.0000000002.parquet")).unlink()
    other = next(log(table).glob("*.0000000002.0000000002.parquet"))
    assert run("checkpoint", table, *options).exit_code == 0
    assert run("show", table, "-o", "json").document["checkpoint"]["kind"] == "classic"
    assert other.exists() == (not options)


def test_a_hint_that_is_behind_is_put_right(run, table) -> None:
    assert run("checkpoint", table).exit_code == 0
    hint = log(table) / "_last_checkpoint"
    good = hint.read_bytes()
    hint.unlink()
    result = run("checkpoint", table)
    assert result.stdout.endswith("\nPut right: version 2 has a whole classic checkpoint.\n")
    assert hint.read_bytes() == good


def test_readers_need_no_older_commit(run, table) -> None:
    before = run("files", table, "-o", "json").document["files"]
    assert run("checkpoint", table).exit_code == 0
    for version in (0, 1):
        (log(table) / f"{version:020d}.json").unlink()
    assert run("files", table, "-o", "json").document["files"] == before


def test_the_next_one_is_made_of_the_last_one(run, table, tmp_path) -> None:
    assert run("checkpoint", table).exit_code == 0
    copy = str(tmp_path / "copy")
    shutil.copytree(table, copy, ignore=lambda *_: ["copy", "work", "home"])
    assert run("table", "comment", copy, "again").exit_code == 0
    for version in (0, 1):
        (log(copy) / f"{version:020d}.json").unlink()
    assert run("checkpoint", copy).exit_code == 0
    old, new = rows(log(table) / CLASSIC), rows(log(copy) / CLASSIC.replace("2.ch", "3.ch"))
    old[1][1]["description"] = "again"
    assert texts(old) == texts(new)


def texts(actions: list[tuple[str, dict[str, Any]]]) -> list[str]:
    """The actions in any order; NaN is not even equal to itself."""
    return sorted(json.dumps(action, default=str, sort_keys=True) for action in actions)


def test_statistics_that_were_structs_only_are_made_the_json_they_came_from(run, table) -> None:
    for words in (
        ["set", table, "delta.checkpoint.writeStatsAsJson=false"],
        ["unset", table, "delta.checkpoint.writeStatsAsJson"],
    ):
        assert run("property", *words).exit_code == 0
        assert run("checkpoint", table).exit_code == 0
    first, second = (rows(log(table) / f"{v:020d}.checkpoint.parquet")[4][1] for v in (3, 4))
    assert "stats" not in first
    assert second["stats"] == STATS


def test_quietly_only_the_outcome_is_said(run, table) -> None:
    said = run("checkpoint", table, "-q").stdout
    assert said.startswith("Written and read back: classic checkpoint of version ")
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("master", "code"),
    [
        (["--master", "local[2]"], "JARS_MISSING"),
        (["--master", "spark://127.0.0.1:1", "--jars", "jars"], "MASTER_UNREACHABLE"),
    ],
)
def test_what_spark_lacks_is_told_before_a_checkpoint_is_planned(
    run, table, monkeypatch, tmp_path, master, code
) -> None:
    spark_parts.install(monkeypatch, tmp_path)
    spark_parts.install_jars(monkeypatch, Path("jars"))
    words = ["checkpoint", table, "--engine", "spark", *master, "-o", "json"]
    result = run(*words)
    assert (result.exit_code, result.document["error"]["code"]) == (9, code)
    assert [refusal["code"] for refusal in result.document["plan"]["refusals"]] == [code]
    assert list(names(table)) == []
    result = run(*words, "--dry-run")
    [warning] = [w for w in result.document["plan"]["warnings"] if w["code"] == code]
    assert (result.exit_code, len(result.document["plan"]["files"])) == (0, 2)
    assert warning["message"].startswith("this machine cannot carry the plan out: ")
    # An existing checkpoint needs no Spark.
    assert run("checkpoint", table).exit_code == 0
    assert run(*words).exit_code == 0
