"""The sound and broken tables that the fuzzer begins with: all forms that a log can have."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from in_process import say
from small_tables import commit_info, field, metadata, protocol, write_log

GOLDEN = Path(__file__).parent.parent / "golden"
LOG = "_delta_log"
# What checkpoints are made of some tables, besides those that they have.
CHECKPOINTED = {
    "crc_good": [("--kind", "classic"), ("--kind", "multipart", "--parts", "2")],
    "many_ops_history": [("--kind", "multipart", "--parts", "3")],
    "tw_nested": [("--kind", "classic")],
    "cdf": [("--kind", "classic", "--at", "2")],
    "row_tracking": [("--kind", "classic")],
    "v2_checkpoint_parquet_sidecars": [("--kind", "v2"), ("--kind", "v2", "--top", "parquet")],
    "clustering": [("--kind", "classic")],
}
# The examples of the protocol: six deleted rows, in the log and in a file.
INLINE = "wi5b=000010000siXQKl0rr91000f55c8Xg0@@D72lkbi5=-{L"
IN_A_FILE = "ab^-aqEH.-t@S}K{vb[*k^"

Special = str
"""What is there instead of a file: `folder`, `fifo`, `broken link`, `link to itself`."""

Files = dict[str, bytes | Special]


class Base(NamedTuple):
    """The files of a log, by their names below it, and the folder with the data files."""

    files: Mapping[str, bytes]
    data: Path | None


def bases() -> dict[str, Base]:
    """Every table, by its name: golden ones, with further checkpoints, and some made here."""
    found = {
        log.parent.parent.name: Base(read(log), log.parent)
        for log in sorted(GOLDEN.glob("*/delta/_delta_log"))
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, kinds in CHECKPOINTED.items():
            for number, kind in enumerate(kinds):
                table = Path(folder, f"{name}-{number}")
                shutil.copytree(GOLDEN / name / "delta", table)
                said = say(["checkpoint", str(table), *kind, "-o", "json"])
                if said.exit_code:
                    raise RuntimeError(f"{name} {kind}: {said.document}")
                found[f"{name} {' '.join(kind)}"] = Base(read(table / LOG), GOLDEN / name / "delta")
        vectors = Path(folder, "vectors")
        _with_vectors(vectors)
        found["deletion vectors"] = Base(read(vectors / LOG), None)
    for name in ("crc_good", "many_ops_history --kind multipart --parts 3"):
        # What a copy by Hadoop leaves beside each file.
        side = {f".{file}.crc": b"crc\0\0\0\2\0" + bytes(4) for file in found[name].files}
        found[f"{name} side files"] = Base({**found[name].files, **side}, found[name].data)
    return found


def _with_vectors(table: Path) -> None:
    def add(path: str, vector: Mapping[str, object] | None) -> dict[str, object]:
        body = {
            "path": path,
            "partitionValues": {},
            "size": 700,
            "modificationTime": 1767322800000,
            "dataChange": True,
            "stats": json.dumps({"numRecords": 100}),
        }
        return {"add": {**body, **({} if vector is None else {"deletionVector": vector})}}

    inline = {"storageType": "i", "pathOrInlineDv": INLINE, "sizeInBytes": 40, "cardinality": 6}
    stored = {**inline, "storageType": "u", "pathOrInlineDv": IN_A_FILE, "offset": 4}
    absolute = {**stored, "storageType": "p", "pathOrInlineDv": "file:///nowhere/dv.bin"}
    features = protocol(reader=["deletionVectors"], writer=["invariants", "appendOnly"])
    heads = [commit_info(), features, metadata(field("id", "long"), enableDeletionVectors="true")]
    gone = {"path": "a.parquet", "deletionTimestamp": 1767322800000, "dataChange": True}
    table.mkdir()
    write_log(
        table,
        [
            [*heads, add("a.parquet", None), add("b.parquet", None), add("c.parquet", absolute)],
            [commit_info(), {"remove": gone}, add("a.parquet", inline)],
            [
                commit_info(),
                {"remove": {**gone, "deletionVector": inline}},
                add("a.parquet", stored),
                add("d.parquet", inline),
            ],
        ],
    )


def read(log: Path) -> dict[str, bytes]:
    """All files below the folder of a log."""
    paths = (path for path in sorted(log.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(log)): path.read_bytes() for path in paths}


def _can_hold(path: Path) -> bool:
    """Whether a folder is there, or can be made: in the place of a broken link none can."""
    return path.is_dir() or not os.path.lexists(path)


def write(files: Mapping[str, bytes | Special], data: Path | None, table: Path) -> None:
    """Lay out the files that can be there together, and links to the data files."""
    log = table / LOG
    log.mkdir(parents=True)
    for entry in sorted(data.iterdir()) if data is not None else ():
        if entry.name != LOG:
            (table / entry.name).symlink_to(entry)
    for name, content in files.items():
        path = log / name
        if os.path.lexists(path) or not all(map(_can_hold, path.parents)):
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        match content:
            case bytes():
                path.write_bytes(content)
            case "folder":
                path.mkdir()
            case "fifo":
                os.mkfifo(path)
            case "broken link":
                path.symlink_to("nowhere")
            case "link to itself":
                path.symlink_to(path.name)
