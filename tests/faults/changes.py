"""Every command that writes, each with a table that it changes: one row a command."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from in_process import say
from small_tables import commit_info, field, metadata, protocol, write_log

GOLDEN = Path(__file__).parent.parent / "golden"
TABLE, FILE = "TABLE", "FILE"

Make = Callable[[Path], object]


class Change(NamedTuple):
    """A command line that makes one commit on the table that `make` lays out.

    TABLE and FILE stand for paths. FILE holds `text`, or the plan that the command line `saved`
    makes with --plan-out. `again` is the exit code of the same words once it is done.
    """

    words: str
    make: Make
    text: str | None = None
    saved: str | None = None
    again: int = 0

    def arguments(self, folder: Path) -> list[str]:
        """The command line on what `prepare` laid out in `folder`."""
        return [*_filled(self.words, folder), "--yes", "-o", "json"]


def golden(name: str) -> Make:
    return lambda table: shutil.copytree(GOLDEN / name / "delta", table)


def floats(table: Path) -> None:
    """A table with one float column, whose statistics Spark reads as doubles once it is widened."""
    table.mkdir()
    features = protocol(reader=["typeWidening"], writer=["invariants", "appendOnly"])
    created = [commit_info(), features, metadata(field("f", "float"), enableTypeWidening="true")]
    bounds = {"numRecords": 2, "minValues": {"f": 0.1}, "maxValues": {"f": 1.1}}
    add = {
        "path": "a.parquet",
        "partitionValues": {},
        "size": 700,
        "modificationTime": 1767322800000,
        "dataChange": True,
        "stats": json.dumps({**bounds, "nullCount": {"f": 0}}),
    }
    write_log(table, [created, [commit_info(), {"add": add}]])


def noted(table: Path) -> None:
    """A table on which an application keeps a domain."""
    table.mkdir()
    features = protocol(writer=["domainMetadata", "invariants", "appendOnly"])
    domain = {"domain": "app.notes", "configuration": "{}", "removed": False}
    heads = [features, metadata(field("id", "integer")), {"domainMetadata": domain}]
    write_log(table, [[commit_info(), *heads]])


CHANGES: Mapping[str, Change] = {
    "widen": Change("widen TABLE id long", golden("tw_integers_floats")),
    "widen --enable": Change("widen TABLE id long --enable", golden("crc_good")),
    "widen --fix-stats": Change("widen TABLE f double --fix-stats", floats),
    "column add": Change("column add TABLE extra int", golden("crc_good")),
    "column add --default": Change("column add TABLE n int --default 7 --enable", golden("cdf")),
    "column drop": Change("column drop TABLE gone", golden("tw_colmap_id"), again=3),
    "column drop --enable": Change("column drop TABLE v --enable", golden("empty_table"), again=3),
    "column rename": Change("column rename TABLE gone back", golden("tw_colmap_id"), again=3),
    "column comment": Change("column comment TABLE id key", golden("crc_good")),
    "column set-default": Change("column set-default TABLE n 9", golden("column_defaults")),
    "column drop-default": Change("column drop-default TABLE s", golden("column_defaults")),
    "column set-not-null": Change("column set-not-null TABLE id", golden("crc_good")),
    "column drop-not-null": Change(
        "column drop-not-null TABLE s.x", golden("check_constraints_invariants")
    ),
    "column apply": Change(
        "column apply TABLE FILE",
        golden("tw_colmap_id"),
        text="add late int\nrename gone back\n",
        again=3,
    ),
    "table comment": Change("table comment TABLE kept", golden("crc_good")),
    "table set-name": Change("table set-name TABLE orders", golden("crc_good")),
    "property set": Change("property set TABLE delta.appendOnly=true", golden("crc_good")),
    "property unset": Change("property unset TABLE my.prop", golden("unicode_schema"), again=3),
    "constraint add": Change("constraint add TABLE low id<1000000", golden("log_compaction")),
    "constraint drop": Change(
        "constraint drop TABLE positive", golden("check_constraints_invariants"), again=3
    ),
    "domain set": Change("domain set TABLE app.notes {}", golden("clustering")),
    "domain unset": Change("domain unset TABLE app.notes", noted, again=3),
    "protocol enable": Change("protocol enable TABLE columnMapping", golden("crc_good")),
    "protocol enable rowTracking": Change("protocol enable TABLE rowTracking", golden("crc_good")),
    "protocol enable inCommitTimestamp": Change(
        "protocol enable TABLE inCommitTimestamp", golden("crc_good")
    ),
    "protocol upgrade": Change("protocol upgrade TABLE --writer 4", golden("crc_good")),
    "protocol drop": Change("protocol drop TABLE rowTracking", golden("row_tracking")),
    "prune-type-changes": Change("prune-type-changes TABLE", golden("tw_rowtracking_prunable")),
    "apply": Change("apply FILE", golden("tw_integers_floats"), saved="widen TABLE id long"),
}


def prepare(change: Change, folder: Path) -> Path:
    """Lay out in `folder` what the change finds; the path of the table."""
    table, file = folder / "table", folder / "file"
    folder.mkdir(parents=True)
    change.make(table)
    if change.text is not None:
        file.write_text(change.text)
    if change.saved is not None:
        words = _filled(change.saved, folder)
        assert say([*words, "--plan-out", str(file), "-o", "json"]).exit_code == 0
    return table


def _filled(words: str, folder: Path) -> list[str]:
    places = {TABLE: str(folder / "table"), FILE: str(folder / "file")}
    return [places.get(word, word) for word in words.split()]
