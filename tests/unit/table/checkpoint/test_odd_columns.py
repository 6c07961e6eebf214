"""Checkpoints whose columns are not those of a checkpoint: no file of theirs gets lost."""

from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from checkpoints import UUID, parquet
from in_process import say
from small_tables import LEGACY, Action, commit_info, field, metadata, protocol, write_log

METADATA = metadata(field("a", "integer"))
ADD: Action = {
    "path": "a.parquet",
    "partitionValues": {},
    "size": 500,
    "modificationTime": 1,
    "dataChange": True,
    "stats": '{"numRecords":4}',
}
DOMAIN: Action = {"domainMetadata": {"domain": "d", "configuration": "{}", "removed": False}}
ADDS: list[Action] = [{"add": ADD}, {"add": {**ADD, "path": "b.parquet"}}]
ACTIONS = [LEGACY, METADATA, DOMAIN, *ADDS]
NAME = f"{1:020d}.checkpoint.parquet"
NAMED_BY_LISTS = pa.array(
    [None, None, {"domain": ["d"], "configuration": "{}", "removed": False}, None, None],
    pa.struct(
        [("domain", pa.list_(pa.string())), ("configuration", pa.string()), ("removed", pa.bool_())]
    ),
)
COMMANDS = ["show", "files", "checkpoint", "protocol enable TABLE rowTracking --yes"]


def changed(content: bytes, column: str, name: str, values: pa.Array | None = None) -> bytes:
    """The checkpoint with another name, and other values, of a column."""
    table, sink = pq.read_table(BytesIO(content)), BytesIO()
    place = table.column_names.index(column)
    arrays = [array.combine_chunks() for array in table.columns]
    arrays[place] = arrays[place] if values is None else values
    names = [*table.column_names[:place], name, *table.column_names[place + 1 :]]
    pq.write_table(pa.Table.from_arrays(arrays, names), sink)
    return sink.getvalue()


def without_path(content: bytes, kind: pa.DataType) -> pa.Array:
    """The adds, whose first one has no path."""
    adds = pq.read_table(BytesIO(content)).column("add").combine_chunks()
    names = [member.name for member in adds.type]
    arrays = [adds.field(name) for name in names]
    paths = [None if path == "a.parquet" else path for path in arrays[0].to_pylist()]
    arrays[0] = pa.nulls(len(adds)) if pa.types.is_null(kind) else pa.array(paths, kind)
    return pa.StructArray.from_arrays(arrays, names, mask=adds.is_null())


def only_checkpoint(root: Path, content: bytes) -> str:
    commits = [[commit_info(), LEGACY, METADATA], [commit_info()], [commit_info()]]
    path = write_log(root, commits, others={NAME: content})
    (root / "_delta_log" / f"{0:020d}.json").unlink()
    return path


def refused(command: str, path: str) -> str:
    """What a command says that cannot read the checkpoint."""
    words = command.replace("TABLE", path).split()
    said = say([*(words if path in words else [*words, path]), "-o", "json"])
    assert (said.exit_code, said.committed) == (5, None)
    message: str = said.error["message"]
    return message


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", [pa.string(), pa.null()], ids=str)
def test_an_add_without_a_path(command: str, kind: pa.DataType, tmp_path: Path) -> None:
    whole = parquet(ACTIONS)
    content = changed(whole, "add", "add", without_path(whole, kind))
    said = refused(command, only_checkpoint(tmp_path, content))
    assert f"{NAME} cannot be read: an add has no path" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_adds_whose_size_is_required(command: str, tmp_path: Path) -> None:
    """Delta wrote such columns for years: `size: long not null` in an add that may be null."""
    whole = parquet(ACTIONS)
    adds = pq.read_table(BytesIO(whole)).column("add").combine_chunks()
    fields = [member.with_nullable(member.name != "size") for member in adds.type]
    arrays = [adds.field(member.name) for member in fields]
    arrays[[member.name for member in fields].index("size")] = adds.field("size").fill_null(0)
    required = pa.StructArray.from_arrays(arrays, fields=fields, mask=adds.is_null())
    path = only_checkpoint(tmp_path, changed(whole, "add", "add", required))
    words = command.replace("TABLE", path).split()
    said = say([*(words if path in words else [*words, path]), "-o", "json"])
    assert said.exit_code == 0, said.document


@pytest.mark.parametrize("command", COMMANDS)
def test_two_columns_of_one_name(command: str, tmp_path: Path) -> None:
    content = changed(parquet(ACTIONS), "remove", "add")
    said = refused(command, only_checkpoint(tmp_path, content))
    assert f"{NAME} cannot be read: it has the column add.path twice" in said


def test_another_column_under_the_name_of_adds(tmp_path: Path) -> None:
    content = changed(parquet(ACTIONS), "domainMetadata", "add")
    said = refused(COMMANDS[3], only_checkpoint(tmp_path, content))
    assert f"{NAME} cannot be read: two of its columns have the same name" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_adds_that_are_lists(command: str, tmp_path: Path) -> None:
    whole = parquet(ACTIONS)
    adds = pq.read_table(BytesIO(whole)).column("add").combine_chunks()
    rows = [None if row is None else [row] for row in adds.to_pylist()]
    lists = pa.array(rows, pa.list_(adds.type))
    said = refused(command, only_checkpoint(tmp_path, changed(whole, "add", "add", lists)))
    assert f"{NAME} cannot be read" in said


def test_sidecars_under_the_name_of_removes(tmp_path: Path) -> None:
    """The files of the table are in the second column of that name."""
    head = protocol(reader=["v2Checkpoint"])
    pointer = {"sidecar": {"path": f"{UUID}.parquet", "sizeInBytes": 5}}
    name = f"{1:020d}.checkpoint.{UUID}.parquet"
    others = {
        name: changed(parquet([head, METADATA, pointer]), "remove", "sidecar"),
        f"_sidecars/{UUID}.parquet": parquet([{"add": ADD}]),
    }
    commits = [[commit_info(), head, METADATA], [commit_info()]]
    path = write_log(tmp_path, commits, others=others)
    (tmp_path / "_delta_log" / f"{0:020d}.json").unlink()
    assert f"{name} cannot be read: it has the column sidecar.path twice" in refused("files", path)


@pytest.mark.parametrize("command", COMMANDS)
def test_adds_that_are_lists_with_as_many_nulls_as_rows(command: str, tmp_path: Path) -> None:
    """By its footer no row has an add."""
    whole = parquet(ACTIONS)
    lists = pa.array([[None, "x"]] * len(ACTIONS), pa.list_(pa.string()))
    said = refused(command, only_checkpoint(tmp_path, changed(whole, "add", "add", lists)))
    assert f"{NAME} cannot be read: its column add is not a struct" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_columns_that_only_look_like_members(command: str, tmp_path: Path) -> None:
    table = pq.read_table(BytesIO(parquet(ACTIONS))).flatten()
    content = BytesIO()
    pq.write_table(table, content)
    said = refused(command, only_checkpoint(tmp_path, content.getvalue()))
    assert f"{NAME} cannot be read: its column " in said
    assert "is not in a struct" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_deletion_vectors_that_are_texts(command: str, tmp_path: Path) -> None:
    """Read as none, they would bring deleted rows back."""
    whole = parquet(ACTIONS)
    adds = pq.read_table(BytesIO(whole)).column("add").combine_chunks()
    names = [member.name for member in adds.type]
    arrays = [
        pa.array(["u"] * len(adds)) if name == "deletionVector" else adds.field(name)
        for name in names
    ]
    texts = pa.StructArray.from_arrays(arrays, names, mask=adds.is_null())
    said = refused(command, only_checkpoint(tmp_path, changed(whole, "add", "add", texts)))
    assert f"{NAME} cannot be read: its column add.deletionVector is string" in said


@pytest.mark.parametrize("command", ["domain list", "domain set TABLE d {} --yes"])
def test_domains_whose_names_are_lists(command: str, tmp_path: Path) -> None:
    content = changed(parquet(ACTIONS), "domainMetadata", "domainMetadata", NAMED_BY_LISTS)
    said = refused(command, only_checkpoint(tmp_path, content))
    assert f"{NAME} cannot be read: its column domainMetadata.domain is list" in said


def test_a_domain_whose_name_is_a_list_in_a_commit(tmp_path: Path) -> None:
    odd = {"domainMetadata": {**DOMAIN["domainMetadata"], "domain": ["d"]}}
    path = write_log(tmp_path, [[commit_info(), LEGACY, METADATA], [commit_info(), odd]])
    said = refused("domain list", path)
    assert said == "domainMetadata: domain must be text, found ['d']"


@pytest.mark.parametrize("command", ["show", "files"])
def test_an_older_checkpoint_that_lost_its_protocol(command: str, tmp_path: Path) -> None:
    """Protocol and metaData come from the newer one, whose sidecar is missing."""
    head = protocol(reader=["v2Checkpoint"])
    pointer = {"sidecar": {"path": f"{UUID}.parquet", "sizeInBytes": 5}}
    others = {
        f"{0:020d}.checkpoint.parquet": parquet([METADATA]),
        f"{1:020d}.checkpoint.{UUID}.parquet": parquet([head, METADATA, pointer]),
    }
    commits = [[commit_info(), head, METADATA, {"add": ADD}], [commit_info()]]
    path = write_log(tmp_path, commits, others=others)
    said = say([command, path, "-o", "json"])
    assert said.exit_code == 0
    files = said.document["files"]
    assert (files["count"] if command == "show" else len(files)) == 1
    warned = [warning["code"] for warning in said.document["warnings"]]
    assert warned == ["SIDECAR_MISSING", "CHECKPOINT_UNREADABLE"]


def with_member(content: bytes, name: str, values: pa.Array) -> bytes:
    """The checkpoint with another member of its adds, or one more."""
    adds = pq.read_table(BytesIO(content)).column("add").combine_chunks()
    members = {member.name: adds.field(member.name) for member in adds.type} | {name: values}
    made = pa.StructArray.from_arrays([*members.values()], [*members], mask=adds.is_null())
    return changed(content, "add", "add", made)


@pytest.mark.parametrize("stats", [True, False], ids=["stats", "no stats"])
@pytest.mark.parametrize("command", COMMANDS)
def test_statistics_as_text_are_none(command: str, stats: bool, tmp_path: Path) -> None:
    whole = parquet(ACTIONS)
    if not stats:
        whole = with_member(whole, "stats", pa.nulls(len(ACTIONS), pa.string()))
    content = with_member(whole, "stats_parsed", pa.array(["x"] * len(ACTIONS)))
    path = only_checkpoint(tmp_path, content)
    words = command.replace("TABLE", path).split()
    said = say([*(words if path in words else [*words, path]), "-o", "json"])
    if stats or "rowTracking" not in command:
        assert said.exit_code == 0, said.document
    else:
        assert said.error["code"] == "ROW_COUNT_UNKNOWN"


def test_an_add_with_a_key_twice(tmp_path: Path) -> None:
    values = pa.array(
        [None] * 3 + [[("p", "1"), ("p", "2")]] * 2, pa.map_(pa.string(), pa.string())
    )
    path = only_checkpoint(tmp_path, with_member(parquet(ACTIONS), "tags", values))
    said = refused(COMMANDS[3], path)
    assert said == "add: partitionValues or tags have a key twice"
