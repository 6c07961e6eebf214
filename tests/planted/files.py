"""Faults of the log's files: names, hints, checksums, checkpoints, compacted and side files."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from in_process import say

from planted.plant import Fault, Plant, flip

HINT = "_last_checkpoint"
SOUND, HISTORY, V2 = "crc_good", "many_ops_history", "v2_checkpoint_parquet_sidecars"
KITCHEN, COMPACTED = "tw_kitchen_sink", "log_compaction"
OTHER_BOUNDS = '{"numRecords":1,"minValues":{"id":77}}'
TENTH = "00000000000000000010.checkpoint.parquet"
LAST_SUM = "00000000000000000004.crc"


def crc(name: str, field: str, change: Any, subject: str | None = None) -> Fault:
    """A fault of a checksum's field."""

    def plant(p: Plant) -> None:
        p.edit_json(p.checksum(4), change)

    found = {"CHECKSUM_WRONG": f"{LAST_SUM}: {subject or field}"}
    return Fault(f"crc-{name}", SOUND, plant, found, keeps_checksums=True)


def many_digits(p: Plant) -> None:
    """A number that Python refuses to read, and engines too."""
    (p.log / HINT).write_text(f'{{"version":8,"size":{"9" * 5000}}}')


def hint(name: str, change: Any, subject: str) -> Fault:
    """A fault of the hint, whose own checksum is taken away."""

    def plant(p: Plant) -> None:
        def both(value: dict[str, Any]) -> None:
            value.pop("checksum")
            change(value)

        p.edit_json(p.log / HINT, both)

    found = {"LAST_CHECKPOINT_WRONG": f"{HINT}: {subject}"}
    return Fault(f"hint-{name}", HISTORY, plant, found)


def rows(name: str, change: Any, found: dict[str, str], *options: str) -> Fault:
    """A fault of a classic checkpoint; the hint, which would be wrong too, is taken away."""

    def plant(p: Plant) -> None:
        p.edit_checkpoint(TENTH, change)
        (p.log / HINT).unlink()

    return Fault(f"checkpoint-{name}", HISTORY, plant, found, options)


def other_vector(checksum: dict[str, Any]) -> None:
    """Another deletion vector of as many rows for a file that the checksum lists."""
    vectors = [f["deletionVector"] for f in checksum["allFiles"] if f.get("deletionVector")]
    vectors[0]["offset"] = 77


def as_folder(name: str) -> Any:
    """A folder in place of the file, if there is one."""

    def plant(p: Plant) -> None:
        (p.log / name).unlink(missing_ok=True)
        (p.log / name).mkdir()

    return plant


def adds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row["add"] for row in rows if row["add"] is not None]


def of_kind(rows: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(row[kind] for row in rows if row[kind] is not None)


def edited(kind: str, **fields: Any) -> Any:
    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        of_kind(rows, kind).update(fields)
        return rows

    return change


def without_an_add(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    first = next(number for number, row in enumerate(rows) if row["add"] is not None)
    return rows[:first] + rows[first + 1 :]


def with_a_dead_file(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    row = next(row for row in rows if row["add"] is not None)
    return [*rows, {**row, "add": {**row["add"], "path": "part-dead.parquet"}}]


def without_a_tombstone(p: Plant) -> None:
    """A checkpoint that was written right after its commit, and let a new tombstone go."""
    p.edit_checkpoint(TENTH, lambda rows: [*without("remove")(rows), *tombstones(rows)[1:]])
    deleted = max(row["remove"]["deletionTimestamp"] for row in p.rows(TENTH) if row["remove"])
    os.utime(p.log / TENTH, ns=(0, (deleted + 1) * 1_000_000))
    (p.log / HINT).unlink()


def tombstones(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["remove"] is not None]


def with_a_tombstone(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    row = tombstones(rows)[0]
    return [*rows, {**row, "remove": {**row["remove"], "path": "part-never.parquet"}}]


def uncounted_vector(p: Plant) -> None:
    """A file with a deletion vector of which the checkpoint does not tell the rows."""

    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for add in adds(rows):
            if add["deletionVector"] is not None:
                add.update(stats=None, stats_parsed=None)
        return rows

    for path in sorted((p.log / "_sidecars").iterdir()):
        p.edit_checkpoint(f"_sidecars/{path.name}", change)
    (p.log / HINT).unlink()


def without(kind: str) -> Any:
    return lambda rows: [row for row in rows if row[kind] is None]


def parsed_statistics_alone(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Another bound where no text contradicts it but that of the commit."""
    first = next(add for add in adds(rows) if add["stats_parsed"]["minValues"]["id"] is not None)
    first["stats"] = None
    return parsed_statistics(rows)


def parsed_statistics(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """By these Spark leaves out a file, whatever its text says."""
    first = next(add for add in adds(rows) if add["stats_parsed"]["minValues"]["id"] is not None)
    first["stats_parsed"]["minValues"]["id"] = 9999
    return rows


def twice(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [*rows, next(row for row in rows if row["add"] is not None)]


def double_key(p: Plant) -> None:
    text = (p.log / HINT).read_text()
    (p.log / HINT).write_text(text.replace("{", '{"version":3,', 1))


def bit_in_page_head(p: Plant) -> None:
    """The head of the first page, of a column without a value, tells of fewer rows."""
    assert say(["checkpoint", str(p.root), "-o", "json"]).exit_code == 0
    (p.log / HINT).unlink()
    path = p.only("_delta_log/*.checkpoint.parquet")
    data = bytearray(path.read_bytes())
    data[5] ^= 16
    path.write_bytes(data)


def wrong_digest(p: Plant) -> None:
    p.edit_json(p.log / HINT, lambda v: v.update(checksum="0" * 32))


def size_with_a_column_parts(p: Plant) -> None:
    """A hint of a classic checkpoint whose schema has a column of the name `parts`."""
    assert say(["checkpoint", str(p.root), "-o", "json"]).exit_code == 0
    schema = {"type": "struct", "fields": [{"name": "add", "type": {"type": "struct", "fields": [
        {"name": "parts", "type": "long", "nullable": True, "metadata": {}}]},
        "nullable": True, "metadata": {}}]}  # fmt: skip
    (p.log / HINT).write_text(json.dumps({"version": 4, "size": 77, "checkpointSchema": schema}))


def v2_of_another_name(p: Plant) -> None:
    """A hint that names another file than the version's checkpoint."""
    other = f"{2:020d}.checkpoint.00000000-0000-0000-0000-000000000000.parquet"

    def change(value: dict[str, Any]) -> None:
        value.pop("checksum")
        value["v2Checkpoint"]["path"] = other

    p.edit_json(p.log / HINT, change)


def foreign_sidecar(p: Plant) -> None:
    one, other = sorted((p.log / "_sidecars").iterdir())[:2]
    shutil.copy(one, other)


def in_parts(p: Plant) -> list[Path]:
    """The parts of a checkpoint of the newest version; the hint is taken away."""
    args = ("checkpoint", str(p.root), "--kind", "multipart", "--parts", "2")
    assert say([*args, "-o", "json"]).exit_code == 0
    (p.log / HINT).unlink()
    return sorted(p.log.glob("*.checkpoint.*.parquet"))


def part_missing(p: Plant) -> None:
    args = ("checkpoint", str(p.root), "--kind", "multipart", "--parts", "2")
    assert say([*args, "-o", "json"]).exit_code == 0
    min(p.log.glob("*.checkpoint.*.parquet")).unlink()


def made_before_its_commit(p: Plant) -> None:
    """A checkpoint that was made before its commit removed a file."""
    last = p.actions(4)
    p.write(4, last[:1])
    in_parts(p)
    p.write(4, last)


def forbidden_parts(p: Plant) -> None:
    """A multi-part checkpoint on a table that has the feature v2Checkpoint."""
    in_parts(p)
    features = ["v2Checkpoint"]
    both = {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": features,
            "writerFeatures": features}  # fmt: skip
    p.edit(0, "protocol", lambda b: b.update(both))
    for path in p.log.glob("*.checkpoint.*.parquet"):
        table = pq.read_table(path)
        rows = table.to_pylist()
        for row in rows:
            if row["protocol"] is not None:
                row["protocol"] = both
        pq.write_table(pa.Table.from_pylist(rows, table.schema), path)


def lying_compaction(p: Plant) -> None:
    path = p.only("_delta_log/*.compacted.json")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"add"' not in line))


def compaction_of_other_sizes(p: Plant) -> None:
    path = p.only("_delta_log/*.compacted.json")
    actions = [json.loads(line) for line in path.read_text().splitlines()]
    next(action["add"] for action in actions if "add" in action)["size"] = 1
    path.write_text("".join(f"{json.dumps(action)}\n" for action in actions))


def sidecar_without_path(p: Plant) -> None:
    top = p.only("_delta_log/*8.checkpoint.*.json")
    lines = top.read_text().splitlines()
    lines = ['{"sidecar":{"path":null}}' if "sidecar" in json.loads(x) else x for x in lines]
    top.write_text("\n".join(lines))


def beyond_the_newest(p: Plant) -> None:
    """A compacted file of versions that there are not."""
    compacted = p.only("_delta_log/*.compacted.json")
    compacted.rename(p.log / f"{50:020d}.{60:020d}.compacted.json")


def stale_side_file(p: Plant) -> None:
    side = p.side_file(p.commit(4))
    flip(side, -1)


FILES = [
    Fault("stray-name", SOUND, lambda p: shutil.copy(p.commit(4), p.log / "5.json"),
          {"NAME_NOT_CANONICAL": "5.json"}, keeps_checksums=True),
    Fault("gap", SOUND, lambda p: p.commit(2).unlink(),
          {"VERSIONS_NOT_CONTIGUOUS": "_delta_log"}, keeps_checksums=True),
    Fault("gap-below-checkpoint", HISTORY, lambda p: p.commit(4).unlink(),
          {"HISTORY_HAS_GAP": "00000000000000000004.json"}, ("--all",)),
    Fault("first-commit-missing", SOUND, lambda p: p.commit(0).unlink(),
          {"LOG_TRUNCATED": "_delta_log"}, keeps_checksums=True),
    Fault("empty-newest-commit", SOUND, lambda p: p.commit(4).write_bytes(b""),
          {"COMMIT_EMPTY": "4.json"}, keeps_checksums=True),
    Fault("empty-commit", SOUND, lambda p: p.commit(2).write_bytes(b""),
          {"COMMIT_EMPTY": "2.json"}),
    # _last_checkpoint
    Fault("hint-not-json", HISTORY, lambda p: (p.log / HINT).write_text("{"),
          {"LAST_CHECKPOINT_UNREADABLE": HINT}),
    Fault("hint-double-key", HISTORY, double_key, {"LAST_CHECKPOINT_DUPLICATE_KEY": HINT}),
    Fault("hint-wrong-digest", HISTORY, wrong_digest,
          {"LAST_CHECKPOINT_CHECKSUM_MISMATCH": HINT}),
    Fault("hint-of-nothing", HISTORY, lambda p: (p.log / HINT).write_text('{"version":7}'),
          {"LAST_CHECKPOINT_TARGET_MISSING": HINT}),
    Fault("hint-behind", KITCHEN, lambda p: (p.log / HINT).write_text('{"version":5}'),
          {"LAST_CHECKPOINT_BEHIND": HINT}, keeps_checksums=True),
    hint("size", lambda v: v.update(size=999), "size"),
    hint("bytes", lambda v: v.update(sizeInBytes=1), "sizeInBytes"),
    hint("adds", lambda v: v.update(numOfAddFiles=77), "numOfAddFiles"),
    hint("parts", lambda v: v.update(parts=2), "parts"),
    Fault("hint-many-digits", KITCHEN, many_digits,
          {"LAST_CHECKPOINT_WRONG": f"{HINT}: size"}, keeps_checksums=True),
    hint("schema", lambda v: v["checkpointSchema"]["fields"][0].update(name="zzz"),
         "checkpointSchema"),
    Fault("hint-size-with-column-parts", SOUND, size_with_a_column_parts,
          {"LAST_CHECKPOINT_WRONG": f"{HINT}: size"}),
    Fault("hint-of-other-v2", V2, v2_of_another_name,
          {"LAST_CHECKPOINT_TARGET_MISSING": f"{HINT}: v2Checkpoint.path"}),
    # .crc
    crc("files", "numFiles", lambda v: v.update(numFiles=78)),
    crc("bytes", "tableSizeBytes", lambda v: v.update(tableSizeBytes=1)),
    crc("protocol", "protocol", lambda v: v["protocol"].update(minWriterVersion=4)),
    crc("property", "metadata",
        lambda v: v["metadata"]["configuration"].update({"delta.appendOnly": "true"})),
    crc("schema", "metadata", lambda v: v["metadata"].update(
        schemaString=v["metadata"]["schemaString"].replace("integer", "long"))),
    crc("heads", "numMetadata", lambda v: v.update(numMetadata=2)),
    crc("transaction", "setTransactions",
        lambda v: v.update(setTransactions=[{"appId": "a", "version": 1}])),
    crc("domain", "domainMetadata", lambda v: v.update(
        domainMetadata=[{"domain": "d", "configuration": "{}", "removed": False}])),
    crc("transaction-without-version", "setTransactions",
        lambda v: v.update(setTransactions=[{"appId": "a"}])),
    crc("domain-without-configuration", "domainMetadata",
        lambda v: v.update(domainMetadata=[{"domain": "d"}])),
    crc("schema-with-null", "metadata", lambda v: v["metadata"].update(
        schemaString=v["metadata"]["schemaString"].replace("{", '{"x":null,', 1))),
    crc("histogram", "fileSizeHistogram.fileCounts",
        lambda v: v["fileSizeHistogram"]["fileCounts"].__setitem__(3, 9)),
    crc("histogram-bytes", "fileSizeHistogram.totalBytes",
        lambda v: v["fileSizeHistogram"]["totalBytes"].__setitem__(0, 907)),
    crc("all-files", "allFiles", lambda v: v["allFiles"].pop()),
    crc("all-files-twice", "allFiles", lambda v: v.update(allFiles=[v["allFiles"][0]] * 2)),
    crc("all-files-other", "allFiles", lambda v: v["allFiles"][0].update(path="part-other")),
    crc("all-files-sizes", "allFiles", lambda v: [
        file.update(size=size) for file, size in zip(v["allFiles"], (453, 455), strict=True)]),
    crc("all-files-time", "allFiles", lambda v: v["allFiles"][0].update(modificationTime=1)),
    crc("all-files-partition", "allFiles",
        lambda v: v["allFiles"][0].update(partitionValues={"p": "1"})),
    crc("all-files-no-path", "allFiles", lambda v: v["allFiles"][0].pop("path")),
    Fault("crc-all-files-vector", KITCHEN, lambda p: p.edit_json(p.checksum(9), other_vector),
          {"CHECKSUM_WRONG": "9.crc: allFiles"}, keeps_checksums=True),
    Fault("crc-not-json", SOUND, lambda p: p.checksum(4).write_text('{"numFiles":'),
          {"CHECKSUM_UNREADABLE": LAST_SUM}, keeps_checksums=True),
    Fault("crc-of-vectors", KITCHEN,
          lambda p: p.edit_json(p.checksum(9), lambda v: v.update(numDeletionVectorsOpt=5)),
          {"CHECKSUM_WRONG": "9.crc: numDeletionVectorsOpt"}, keeps_checksums=True),
    Fault("crc-of-time", KITCHEN,
          lambda p: p.edit_json(p.checksum(9), lambda v: v.update(inCommitTimestampOpt=5)),
          {"CHECKSUM_WRONG": "9.crc: inCommitTimestampOpt"}, keeps_checksums=True),
    Fault("old-crc", SOUND, lambda p: p.edit_json(p.checksum(2), lambda v: v.update(numFiles=9)),
          {"CHECKSUM_WRONG": "2.crc: numFiles"}, ("--all",), keeps_checksums=True),
    # checkpoints
    Fault("checkpoint-empty", HISTORY, lambda p: (p.log / TENTH).write_bytes(b""),
          {"CHECKPOINT_EMPTY": TENTH, "LAST_CHECKPOINT_TARGET_MISSING": HINT}),
    Fault("checkpoint-cut", HISTORY,
          lambda p: (p.log / TENTH).write_bytes((p.log / TENTH).read_bytes()[:-100]),
          {"CHECKPOINT_UNREADABLE": TENTH}),
    Fault("checkpoint-bit-in-page", HISTORY, lambda p: flip(p.log / TENTH, 40),
          {"CHECKPOINT_UNREADABLE": TENTH}),
    Fault("checkpoint-bit-in-page-head", SOUND, bit_in_page_head,
          {"CHECKPOINT_UNREADABLE": "4.checkpoint"}),
    rows("lacks-file", without_an_add, {"CHECKPOINT_LACKS_FILES": TENTH}),
    rows("dead-file", with_a_dead_file, {"CHECKPOINT_HAS_DEAD_FILES": TENTH}),
    rows("twice", twice, {"CHECKPOINT_FILE_TWICE": TENTH}),
    rows("other-size", edited("add", size=1), {"CHECKPOINT_FILE_DIFFERS": TENTH}),
    rows("other-time", edited("add", modificationTime=1), {"CHECKPOINT_FILE_DIFFERS": TENTH}),
    rows("other-statistics", parsed_statistics,
         {"CHECKPOINT_WRONG": f"{TENTH}: stats_parsed.minValues.id"}, "--all"),
    rows("add-without-path", edited("add", path=None),
         {"EMPTY_PATH": f"{TENTH}: add.path", "CHECKPOINT_LACKS_FILES": TENTH}),
    rows("add-with-empty-path", edited("add", path=""),
         {"EMPTY_PATH": f"{TENTH}: add.path", "CHECKPOINT_LACKS_FILES": TENTH,
          "CHECKPOINT_HAS_DEAD_FILES": TENTH}),
    *(rows(f"add-without-{field}", edited("add", **{field: None}),
           {"ADD_INCOMPLETE": f"{TENTH}: add.{field}", **more})
      for field, more in (
          ("size", {"CHECKPOINT_FILE_DIFFERS": TENTH}),
          ("modificationTime", {"CHECKPOINT_FILE_DIFFERS": TENTH}),
          ("partitionValues", {}))),
    rows("add-of-negative-size", edited("add", size=-1),
         {"ACTION_MALFORMED": f"{TENTH}: add.size", "CHECKPOINT_FILE_DIFFERS": TENTH}),
    rows("text-not-of-commit", edited("add", stats=OTHER_BOUNDS, stats_parsed=None),
         {"CHECKPOINT_WRONG": f"{TENTH}: stats.minValues.id"}, "--all"),
    rows("struct-not-of-commit", parsed_statistics_alone,
         {"CHECKPOINT_WRONG": f"{TENTH}: stats.minValues.id"}, "--all"),
    rows("other-tags", edited("add", tags=[("a", "b")]), {"CHECKPOINT_FILE_DIFFERS": TENTH}),
    Fault("checkpoint-lacks-tombstone", HISTORY, without_a_tombstone,
          {"CHECKPOINT_LACKS_TOMBSTONES": f"{TENTH}: remove"}),
    rows("other-tombstone", with_a_tombstone,
         {"CHECKPOINT_HAS_OTHER_TOMBSTONES": f"{TENTH}: remove"}),
    Fault("checkpoint-uncounted-vector", KITCHEN, uncounted_vector,
          {"VECTOR_WITHOUT_RECORDS": "part-", "SIDECAR_SIZE_WRONG": "8.checkpoint"}),
    rows("other-protocol", edited("protocol", minWriterVersion=4),
         {"CHECKPOINT_WRONG": f"{TENTH}: protocol"}),
    rows("other-table", edited("metaData", id="another"),
         {"CHECKPOINT_WRONG": f"{TENTH}: metaData"}),
    rows("no-metadata", without("metaData"),
         {"CHECKPOINT_WRONG": f"{TENTH}: metaData"}),
    *(Fault(f"folder-for-{name}", SOUND, as_folder(name), {"FOLDER_FOR_FILE": name},
            keeps_checksums=True)
      for name in (HINT, LAST_SUM, "00000000000000000004.checkpoint.parquet")),
    Fault("part-missing", SOUND, part_missing, {"LAST_CHECKPOINT_TARGET_MISSING": HINT}),
    Fault("parts-made-too-early", SOUND, made_before_its_commit,
          {"CHECKPOINT_HAS_DEAD_FILES": "4.checkpoint",
           "CHECKPOINT_LACKS_TOMBSTONES": "4.checkpoint"}),
    Fault("parts-forbidden", SOUND, forbidden_parts, {"MULTIPART_FORBIDDEN": "4.checkpoint"}),
    Fault("sidecar-missing", V2, lambda p: min((p.log / "_sidecars").iterdir()).unlink(),
          {"SIDECAR_MISSING": "2.checkpoint"}, keeps_checksums=True),
    Fault("sidecar-cut", V2,
          lambda p: (s := min((p.log / "_sidecars").iterdir())).write_bytes(s.read_bytes()[:-9]),
          {"CHECKPOINT_UNREADABLE": "2.checkpoint", "SIDECAR_SIZE_WRONG": "2.checkpoint"}),
    Fault("sidecar-of-another", V2, foreign_sidecar,
          {"CHECKPOINT_LACKS_FILES": "2.checkpoint", "CHECKPOINT_FILE_TWICE": "2.checkpoint",
           "SIDECAR_SIZE_WRONG": "2.checkpoint",
           "LAST_CHECKPOINT_WRONG": HINT}),
    Fault("sidecar-without-path", KITCHEN, sidecar_without_path,
          {"CHECKPOINT_UNREADABLE": "8.checkpoint"}, keeps_checksums=True),
    # compacted and side files
    Fault("compaction-beyond", COMPACTED, beyond_the_newest,
          {"VERSIONS_NOT_CONTIGUOUS": "_delta_log", "HISTORY_HAS_GAP": "6.json"}, ("--all",),
          keeps_checksums=True),
    Fault("compaction-lies", COMPACTED, lying_compaction, {"COMPACTION_WRONG": "compacted"},
          keeps_checksums=True),
    Fault("compaction-sizes", COMPACTED, compaction_of_other_sizes,
          {"COMPACTION_WRONG": "compacted"}, keeps_checksums=True),
    Fault("compaction-cut", COMPACTED,
          lambda p: (c := p.only("_delta_log/*.compacted.json")).write_bytes(c.read_bytes()[:-9]),
          {"COMPACTION_UNREADABLE": "compacted"}, keeps_checksums=True),
    Fault("side-file-stale", SOUND, stale_side_file,
          {"SIDE_FILE_STALE": ".00000000000000000004.json.crc"}, keeps_checksums=True),
    Fault("side-file-of-longer-file", SOUND,
          lambda p: (p.side_file(p.commit(4)), p.append(4, *[{"txn": {
              "appId": f"a{n}", "version": 1}} for n in range(20)])),
          {"SIDE_FILE_STALE": ".00000000000000000004.json.crc"}),
    Fault("side-file-garbage", SOUND, lambda p: p.side_file(p.commit(4)).write_bytes(b"nonsense"),
          {"SIDE_FILE_MALFORMED": ".00000000000000000004.json.crc"}, keeps_checksums=True),
]  # fmt: skip
