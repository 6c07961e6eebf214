"""The real tables, each in a copy that can be read from a checkpoint of deltactl only."""

import shutil
from collections.abc import Mapping
from pathlib import Path

import shared_tables
from in_process import say

KINDS = {
    "classic": ["--kind", "classic"],
    "multipart": ["--kind", "multipart", "--parts", "3"],
    "v2 with JSON": ["--kind", "v2", "--parts", "2"],
    "v2 with parquet": ["--kind", "v2", "--top", "parquet"],
}
# What forbids a kind: the table has the feature v2Checkpoint, or does not have it.
FORBIDDEN = {"MULTIPART_FORBIDDEN", "V2_CHECKPOINT_UNSUPPORTED"}

# Tables that no checkpoint is made of, by what is said then. The first four may be read: two by
# anyone, and two whose schema no reader needs as long as they have no rows. The others are broken.
REFUSED: Mapping[str, set[str]] = {
    "UNSUPPORTED_WRITER_FEATURE": {
        "delta-rs__table_with_liquid_clustering", "generated__unknown_writer_feature",
        "golden__collations-preview-table", "golden__collations-table",
    },
    "SCHEMA_MISSING": {
        "golden__canonicalized-paths-normal-a", "golden__canonicalized-paths-special-a",
        "golden__canonicalized-paths-special-b", "golden__update-deleted-directory",
    },
    "UNSUPPORTED_READER_FEATURE": {
        "delta-rs-err__table_d", "delta-rs-err__table_f", "delta-rs-err__table_i",
        "generated__inv_unknown_reader_feature", "kernel-bench__basic_catalog_managed",
        "kernel-defaults__catalog-owned-preview", "kernel-rs__table-with-geo",
    },
    "UNSUPPORTED_PROTOCOL_VERSION": {
        "delta-rs__simple_table_features", "golden__deltalog-invalid-protocol-version",
    },
    "CHECKPOINT_INCOMPLETE": {"generated__inv_multipart_part_missing"},
    "COMMIT_NOT_JSON": {"generated__inv_corrupt_json"},
    "FEATURES_ON_OLD_PROTOCOL": {"generated__inv_features_on_old_protocol"},
    "NOT_A_TABLE": {"generated__inv_empty_log_dir", "generated__inv_not_a_table"},
    "NO_METADATA": {
        "generated__inv_no_metadata",
        "golden__deltalog-state-reconstruction-from-checkpoint-missing-metadata",
        "golden__deltalog-state-reconstruction-without-metadata",
    },
    "NO_PROTOCOL": {
        "generated__inv_no_protocol",
        "golden__deltalog-state-reconstruction-from-checkpoint-missing-protocol",
    },
    "READER_FEATURE_NOT_IN_WRITER": {"generated__inv_reader_feature_not_in_writer"},
    "SCHEMA_NOT_JSON": {"generated__inv_bad_schema_json"},
    "SIDECAR_MISSING": {"generated__inv_sidecar_missing"},
    "VERSIONS_NOT_CONTIGUOUS": {
        "delta-rs-err__table_c", "generated__inv_gap_in_log", "golden__versions-not-contiguous",
    },
}  # fmt: skip
LEFT_OUT = {name: code for code, names in REFUSED.items() for name in names}
NAMES = [name for name in shared_tables.names() if name not in LEFT_OUT]


def original(table: Path, target: Path, *, with_data: bool = False) -> Path:
    """A copy of the table, or of its log only, without checksums, some of which are wrong.

    Where a checkpoint of its newest version is there a commit is put on top, for ours to be made.
    """
    below = "." if with_data else "_delta_log"
    shutil.copytree(table / below, target / below)
    for path in (target / "_delta_log").glob("*.crc"):
        path.unlink()
    shown = say(["show", str(target), "-o", "json"]).document
    if shown["checkpoint"] is not None and shown["checkpoint"]["version"] == shown["version"]:
        done = say(["table", "comment", str(target), "one more version", "-o", "json"])
        assert done.exit_code == 0, done.document
    return target


def checkpointed(table: Path, kind: str, target: Path) -> Path | None:
    """A copy of the table that has its newest commit and a new checkpoint of that version only.

    None where the table may have none of the kind.
    """
    shutil.copytree(table, target)
    said = say(["checkpoint", str(target), *KINDS[kind], "-o", "json"])
    if said.exit_code and said.document["error"]["code"] in FORBIDDEN:
        return None
    assert said.exit_code == 0, said.document
    assert said.document["plan"]["files"], "one was there"
    checkpoint = said.document["checkpoint"]
    own = {Path(part["path"]).name for part in checkpoint["parts"]}
    own |= {f"{checkpoint['version']:020d}.json", "_last_checkpoint"}
    for path in (target / "_delta_log").rglob("*"):
        if path.is_file() and path.name not in own:
            path.unlink()
    return target


def checkpointed_in_every_kind(table: Path, place: Path) -> Mapping[str, Path]:
    """Such a copy for each kind that the table may have."""
    made = {kind: checkpointed(table, kind, place / kind) for kind in KINDS}
    return {kind: copy for kind, copy in made.items() if copy is not None}


def checkpointed_in_one_kind(table: Path, place: Path, number: int) -> Mapping[str, Path]:
    """Such a copy of one kind that the table may have: `number` turns through the kinds."""
    kinds = [*KINDS]
    turn = number % len(kinds)
    for kind in kinds[turn:] + kinds[:turn]:
        copy = checkpointed(table, kind, place / kind)
        if copy is not None:
            return {kind: copy}
    return {}
