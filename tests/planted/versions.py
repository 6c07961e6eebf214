"""Faults of versions: what each must begin with, the draft's marks, checkpoints upon each other."""

import shutil
from typing import Any

from in_process import say

from planted.plant import Fault, Plant

PLAIN, HISTORY, TRACKED, KITCHEN = "crc_good", "many_ops_history", "row_tracking", "tw_kitchen_sink"
TENTH = "00000000000000000010.checkpoint.parquet"


def without_first(kind: str) -> Any:
    return lambda p: p.write(0, [action for action in p.actions(0) if kind not in action])


def of_the_draft(p: Plant) -> None:
    """The mark of row ids as the draft had it, an action of its own, and too low."""
    for version in range(1, 6):
        p.write(version, [
            {"rowIdHighWaterMark": {"highWaterMark": 0}} if "domainMetadata" in action else action
            for action in p.actions(version)
        ])  # fmt: skip


def domain_of_the_draft(p: Plant) -> None:
    p.edit(1, "domainMetadata", lambda b: b.update(configuration={"rowIdHighWaterMark": 2}))


def other_than_before(p: Plant) -> None:
    """A checkpoint whose version nothing gives but an older checkpoint, and commits upon that."""
    assert say(["checkpoint", str(p.root), "--at", "5", "-o", "json"]).exit_code == 0
    for version in range(6):
        p.commit(version).unlink()

    def change(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        next(row["add"] for row in rows if row["add"]).update(size=1)
        return rows

    p.edit_checkpoint(TENTH, change)
    (p.log / "_last_checkpoint").unlink()


def above_commits(version: int) -> Any:
    """A checkpoint of a version whose commit is not there, nor any after the sixteenth."""
    return lambda p: shutil.copy(p.log / TENTH, p.log / f"{version:020d}.checkpoint.parquet")


def part_of_another_version(p: Plant) -> None:
    for version in (3, 4):
        words = ("--kind", "multipart", "--parts", "2", "--at", str(version))
        assert say(["checkpoint", str(p.root), *words, "-o", "json"]).exit_code == 0
    (p.log / "_last_checkpoint").unlink()
    one, other = (p.only(f"_delta_log/{v:020d}.checkpoint.*1.*2.parquet") for v in (3, 4))
    shutil.copyfile(one, other)


VERSIONS = [
    Fault("no-protocol", PLAIN, without_first("protocol"), {"NO_PROTOCOL": "version 4"}),
    Fault("no-metadata", PLAIN, without_first("metaData"), {"NO_METADATA": "version 4"}),
    Fault("mark-of-the-draft-too-low", TRACKED, of_the_draft,
          {"DRAFT_ACTION": "1.json", "ROW_ID_MARK_TOO_LOW": "5.json, line"}),
    Fault("domain-of-the-draft", TRACKED, domain_of_the_draft,
          {"DRAFT_DOMAIN_CONFIGURATION": "1.json, line 3"}),
    Fault("checkpoint-not-as-before", HISTORY, other_than_before,
          {"CHECKPOINT_FILE_DIFFERS": TENTH}),
    *(Fault(f"checkpoint-{name}", HISTORY, above_commits(version),
            {"CHECKPOINT_ABOVE_COMMITS": f"{version}.checkpoint.parquet"})
      for name, version in (("above-commits", 17), ("far-above-commits", 40))),
    Fault("part-of-another-version", PLAIN, part_of_another_version,
          {"CHECKPOINT_HAS_DEAD_FILES": "4.checkpoint",
           "CHECKPOINT_LACKS_TOMBSTONES": "4.checkpoint"}),
    Fault("crc-deleted-rows", KITCHEN,
          lambda p: p.edit_json(p.checksum(9), lambda v: v.update(numDeletedRecordsOpt=77)),
          {"CHECKSUM_WRONG": "9.crc: numDeletedRecordsOpt"}, keeps_checksums=True),
    Fault("crc-deleted-rows-by-file", KITCHEN,
          lambda p: p.edit_json(p.checksum(9), lambda v: v["deletedRecordCountsHistogramOpt"][
              "deletedRecordCounts"].__setitem__(0, 99)),
          {"CHECKSUM_WRONG": "9.crc: deletedRecordCountsHistogramOpt"}, keeps_checksums=True),
]  # fmt: skip
