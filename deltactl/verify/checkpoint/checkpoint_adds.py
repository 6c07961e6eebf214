"""The adds of a checkpoint by themselves: each must have what an add of a commit must have."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from deltactl.errors import UnreadableCheckpointError
from deltactl.findings import Finding, shown
from deltactl.log.arrow.file_table import check_struct
from deltactl.spec.actions import validation
from deltactl.spec.actions.fields import ACTIONS, DELETION_VECTOR, json_types
from deltactl.table.checkpoint.reader import Action
from deltactl.verify.log.commits import record_count_in

# What else a checkpoint must have of an add says nothing of the file.
_REQUIRED = tuple(json_types(ACTIONS["add"], required=True, without=("path", "dataChange")))
_OF_VECTOR = tuple(
    name for name, kind in json_types(DELETION_VECTOR, required=True).items() if kind is int
)
_OF_ENGINES = r'^\{"numRecords":[0-9]+[,}](?s:.*\}|)$'


def check(adds: pa.StructArray, name: str) -> Iterator[Finding]:
    """Yield what is wrong with a batch's column of adds; at most one finding a field.

    Raises:
        UnreadableCheckpointError: a column has a type that no checkpoint has.
    """
    try:
        check_struct(adds)
        yield from _check(adds, name)
    except (pa.ArrowException, KeyError) as error:
        said = str(error).splitlines()[0]
        raise UnreadableCheckpointError(
            "CHECKPOINT_UNREADABLE", f"the adds of a checkpoint cannot be read: {said:.200}"
        ) from error


def _check(adds: pa.StructArray, name: str) -> Iterator[Finding]:
    held = {field.name: pc.struct_field(adds, field.name) for field in adds.type}
    path, size = held["path"], held.get("size", pa.nulls(len(adds), pa.int64()))
    # Some writers leave the struct of every row valid: without either of the two a row has no add.
    without_path = pc.or_kleene(pc.and_(path.is_null(), size.is_valid()), pc.equal(path, ""))
    if first := _rows(without_path):
        yield _wrong("EMPTY_PATH", f"{name}: add.path", "a path", f"none in {first} adds")
    for field in _REQUIRED:
        values = held.get(field)
        missing = path.is_valid() if values is None else pc.and_(path.is_valid(), values.is_null())
        yield from _missing("ADD_INCOMPLETE", f"{name}: add.{field}", missing, path)
    negative = pc.less(size, 0) if pa.types.is_integer(size.type) else pa.array([], pa.bool_())
    if _rows(negative):
        row = pc.index(negative, True).as_py()
        found = f"{size[row].as_py()} for {path[row].as_py()}"
        yield _wrong("ACTION_MALFORMED", f"{name}: add.size", "0 or more", shown(found))
    vectors = held.get("deletionVector")
    if vectors is None or vectors.null_count == len(vectors):
        return
    has_one = pc.struct_field(vectors, "storageType").is_valid()
    for field in _OF_VECTOR:
        missing = has_one
        if vectors.type.get_field_index(field) >= 0:
            missing = pc.and_(has_one, pc.struct_field(vectors, field).is_null())
        subject = f"{name}: add.deletionVector.{field}"
        yield from _missing("ACTION_MALFORMED", subject, missing, path)


def check_statistics(batch: pa.RecordBatch, name: str) -> Iterator[Finding]:
    """Yield whether the statistics of a batch in the flat shape are JSON; at most one finding.

    Of texts that begin and end as engines write them nothing more is looked at.
    """
    texts = batch.column("stats").cast(pa.binary())
    is_odd = pc.invert(pc.match_substring_regex(texts, _OF_ENGINES))
    for row in pc.indices_nonzero(is_odd.fill_null(False)).to_pylist():
        text = texts[row].as_py().decode(errors="replace")
        if text and (wrong := record_count_in(text)[1]):
            found = shown(f"{wrong} for {batch.column('path')[row].as_py()}")
            yield _wrong("STATISTICS_NOT_JSON", f"{name}: add.stats", "a JSON object", found)
            return


def check_actions(actions: Sequence[Action], name: str) -> Iterator[Finding]:
    """Yield the same for a checkpoint in JSON."""
    told = set()
    for kind, body in actions:
        if kind != "add":
            continue
        for code, field, wanted, found in validation.add_errors(body):
            if field != "dataChange" and field not in told:
                told.add(field)
                said = shown(f"{found} for {body.get('path')}")
                yield _wrong(code, f"{name}: add.{field}", wanted, said)


def _missing(
    code: str, subject: str, missing: pa.BooleanArray, path: pa.StringArray
) -> Iterator[Finding]:
    if number := _rows(missing):
        first = path[pc.index(missing, True).as_py()].as_py()
        more = f" and {number - 1} more" if number > 1 else ""
        yield _wrong(code, subject, "a value for every add", shown(f"none for {first}{more}"))


def _rows(mask: pa.BooleanArray) -> int:
    return pc.sum(mask, min_count=0).as_py() or 0


def _wrong(code: str, subject: str, expected: str, found: str) -> Finding:
    return Finding(code, subject, expected, found, repairable=True)
