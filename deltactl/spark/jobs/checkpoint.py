"""Write the files of a checkpoint, from an older one and commits, where no reader lists them."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from deltactl.errors import BrokenLogError
from deltactl.log.arrow.spark_types import Shape
from deltactl.spark.frames import log_frames as frames
from deltactl.spark.settings.properties import properties
from deltactl.text.hints import Command

NEEDS_JVM = False

_SETTINGS: dict[str, str | None] = {
    "spark.sql.session.timeZone": "UTC",
    # A text that is not a value of its type is null where that is asked for, and nowhere else.
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.variable.substitute": "false",
    "spark.sql.json.enablePartialResults": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.files.maxRecordsPerFile": "0",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}
_SAID = {
    "ACTION_MALFORMED": "its deletion vector lacks sizeInBytes or cardinality",
    "ADD_AND_REMOVE_IN_ONE_COMMIT": "one commit adds it and removes it",
    "ADD_INCOMPLETE": "its add lacks size, modificationTime, dataChange or partitionValues",
    "PATH_NOT_ENCODED": "the path is not URI-encoded",
}
_PART = re.compile(r"part-([0-9]{5,})-.*\.parquet")


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Write the state of a version to the folder `target`, in `parts` files or fewer.

    It is put together of `commits`, pairs of a file and its version, `compacted` ones likewise, a
    `top` of JSON, and the parquet files `base` of an older checkpoint. `schema` is what each row
    has: if it has metadata, the `small` actions, those of the older checkpoint beside files, are
    written too, overlaid by those of commits. Tombstones up to `expired` are left out.

    Returns `parts`, triples of a number from 0 on, a name and its rows; the `small` actions; and
    what there should be, `expected`, beside what was read back, `found`: for each kind its files,
    bytes, deletion vectors and digest.

    Raises:
        BrokenLogError: a commit has a line that is not an action, or one that says too little.
    """
    with properties(spark, _SETTINGS), _views(spark) as view:
        schema = params["schema"]
        view("commits", frames.commits(spark, params))
        _check_lines(spark.sql(view.sql(frames.BROKEN)))
        small = _overlaid(spark, view, params["small"])
        newest = spark.sql(view.sql(frames.NEWEST)).persist()
        try:
            view("newest", newest)
            _check_files(spark.sql(view.sql(frames.FAULTS)))
            view("files", spark.sql(_files(spark, view, params)))
            expected = _digests(spark.sql(view.sql(frames.DIGEST)))
            rows = spark.sql(view.sql(frames.rows(schema, params["parts"])))
            if "metaData" in schema:
                lines = [(json.dumps({kind: body}),) for kind, body in _actions(small)]
                view("small", spark.createDataFrame(lines, "line string"))
                rows = rows.unionAll(spark.sql(view.sql(frames.small_rows(schema))))
            _write(rows, params)
        finally:
            newest.unpersist()
        # Every page is checked against its sum.
        view("files", frames.parquet(spark, [params["target"]]).selectExpr("*", frames.FILE_NAME))
        found = _digests(spark.sql(view.sql(frames.DIGEST)))
        counted = spark.sql(view.sql(frames.ROWS_BY_FILE)).collect()
    parts = sorted([_number(row["file"]), row["file"], row["rows"]] for row in counted)
    return {"parts": parts, "small": small, "expected": expected, "found": found}


class _Views:
    """Frames that SQL finds by names in braces."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def __call__(self, name: str, frame: Any) -> None:
        self.names[name] = f"deltactl_{name}_{uuid4().hex}"
        frame.createOrReplaceTempView(self.names[name])

    def sql(self, text: str) -> str:
        for name, view in self.names.items():
            text = text.replace(f"{{{name}}}", view)
        return text


@contextmanager
def _views(spark: Any) -> Iterator[_Views]:
    views = _Views()
    try:
        yield views
    finally:
        for name in views.names.values():
            spark.catalog.dropTempView(name)


def _check_lines(broken: Any) -> None:
    """Raise BrokenLogError for the first line that is not an action as the protocol has it."""
    found = broken.collect()
    if not found:
        return
    [row] = found
    text = row["text"]
    said = f": {text[:80]}" if text else ""
    raise BrokenLogError(
        "COMMIT_UNREADABLE_ON_SPARK",
        f"{row['file']} has a line that is not an action of the protocol{said}; nothing was "
        "written",
        hint=Command("checkpoint", "--engine", "local")
        + " says which line, and what is wrong with it",
        details={"file": row["file"]},
    )


def _check_files(faults: Any) -> None:
    """Raise BrokenLogError for a file that no rule says how to write down."""
    for row in faults.collect():
        raise BrokenLogError(
            row["code"],
            f"{row['path']}: {_SAID[row['code']]}; a checkpoint would hide it",
            hint=Command("verify-checksum", "--all")
            + " tells of everything that is wrong with the log",
            details={"path": row["path"]},
        )


def _overlaid(spark: Any, view: _Views, older: Mapping[str, Any]) -> dict[str, Any]:
    """Return the small actions, with what commits say of applications and domains."""
    small = {**older, "txn": dict(older["txn"]), "domainMetadata": dict(older["domainMetadata"])}
    for kind, key in (("txn", "appId"), ("domainMetadata", "domain")):
        for row in spark.sql(view.sql(frames.newest_small(kind, key))).collect():
            body = {k: v for k, v in row["action"].asDict().items() if v is not None}
            small[kind][body[key]] = body
    since = older["transactionsSince"]
    small["txn"] = {
        app: body
        for app, body in sorted(small["txn"].items())
        if since is None or body.get("lastUpdated", since) > since
    }
    small["domainMetadata"] = {
        name: {**body, "removed": False}
        for name, body in sorted(small["domainMetadata"].items())
        if not body.get("removed")
    }
    return small


def _actions(small: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield "protocol", small["protocol"]
    yield "metaData", small["metaData"]
    for kind in ("txn", "domainMetadata"):
        for body in small[kind].values():
            yield kind, body


def _files(spark: Any, view: _Views, params: Mapping[str, Any]) -> str:
    """Return the statement for the file actions of the version."""
    schema: Mapping[str, Mapping[str, Shape]] = params["schema"]
    expired = int(params["expired"])
    selects = frames.of_commits(schema, expired)
    if params["base"]:
        base = frames.parquet(spark, params["base"])
        view("base", base)
        selects += frames.of_base(schema, frames.fields_of(base), expired)
    if not selects:
        raise AssertionError("a checkpoint has adds and removes")
    return view.sql(" UNION ALL ".join(selects))


def _write(rows: Any, params: Mapping[str, Any]) -> None:
    """Write each bucket to a file of its own; one that is empty has none."""
    spread = rows.repartitionById(params["parts"], rows["bucket"]).drop("bucket")
    writer = spread.write.option("compression", "snappy")
    writer.option("parquet.block.row.count.limit", params["group"]).parquet(params["target"])


def _digests(frame: Any) -> dict[str, Any]:
    kinds = {row["kind"]: row.asDict() for row in frame.collect()}
    nothing = {"files": 0, "bytes": 0, "vectors": 0, "vectorOf": None, "mark": "0"}
    return {
        kind: {name: kinds.get(kind, nothing)[name] for name in nothing}
        for kind in ("add", "remove")
    }


def _number(file: str) -> int:
    found = _PART.fullmatch(file)
    assert found is not None, file
    return int(found[1])
