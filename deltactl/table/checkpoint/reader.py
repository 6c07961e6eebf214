"""Reading a checkpoint of any kind: its few small actions, and its files in Arrow batches."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from deltactl.errors import BrokenLogError, UnreadableCheckpointError
from deltactl.log.commit import commit_lines
from deltactl.log.filenames import LOG, SIDECARS, LogFile
from deltactl.log.paths import canonical, is_absolute
from deltactl.log.segment import Checkpoint
from deltactl.spec.actions.action import Sidecar
from deltactl.storage.base import Storage

if TYPE_CHECKING:
    import pyarrow

    from deltactl.table.parquet.column_chunks import ColumnChunks
    from deltactl.table.parquet.parquet_file import ParquetFile

# Rows of a batch: more of them no longer help, but take memory.
ROWS = 16_384
# Rows of a batch of whole actions, several of which are worked on at the same time.
WHOLE_ROWS = 8_192

# Rows of a row group from which on an action that it holds once is sought by itself.
LARGE = 1 << 16

# The leaf of each kind of action that is never null where the action is.
_KEYS = {
    "protocol": "protocol.minReaderVersion",
    "metaData": "metaData.id",
    "txn": "txn.appId",
    "domainMetadata": "domainMetadata.domain",
    "sidecar": "sidecar.path",
    "checkpointMetadata": "checkpointMetadata.version",
    "add": "add.path",
    "remove": "remove.path",
}

_LEAVES_OF_KEYS = frozenset(_KEYS.values())
_NO_PATH = "an add has no path"

EVERY_ACTION = tuple(_KEYS)

Action = tuple[str, dict[str, Any]]


class CheckpointReader:
    """One checkpoint: classic, multi-part or V2, with its sidecars.

    Every method raises UnreadableCheckpointError if a file of it cannot be read.
    """

    def __init__(self, storage: Storage, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint
        self._storage = storage
        self._chunks: dict[str, ColumnChunks] = {}

    def actions(self, kinds: Sequence[str], enough: Callable[[], bool]) -> Iterator[Action]:
        """Yield the actions of these kinds, without file actions; stop once `enough` says so."""
        for file in self.checkpoint.files:
            for action in self._actions_of(file, kinds):
                yield action
                if enough():
                    return

    def file_batches(
        self, leaves: Sequence[str], *, even_without_path: bool = False
    ) -> Iterator["pyarrow.StructArray | list[dict[str, Any]]"]:
        """Yield the adds: Arrow structs with those of `leaves` that the file has, or JSON bodies.

        A checkpoint is damaged if an add has no path, for its file would be lost; with
        `even_without_path` such adds pass, for a reader that names each.
        """
        for file in self.checkpoint.files:
            if file.name.endswith(".json"):
                yield [body for kind, body in self._lines(file) if kind == "add"]
            else:
                yield from self._adds(f"{LOG}/{file.name}", leaves, even_without_path)
        for sidecar in self.sidecars:
            yield from self._adds(self.sidecar_path(sidecar), leaves, even_without_path)

    def batches(
        self, columns: Callable[["ParquetFile"], Sequence[str]]
    ) -> Iterator[tuple["pyarrow.RecordBatch", "ParquetFile"] | list[Action]]:
        """Yield every row: Arrow batches with their files, or the actions of a JSON file.

        `columns` chooses, for each file, leaves and structs. A batch has no column that is null
        throughout its row group.
        """
        for file in self.checkpoint.files:
            if file.name.endswith(".json"):
                yield list(self._lines(file))
            else:
                yield from self._batches_of(f"{LOG}/{file.name}", columns)
        for sidecar in self.sidecars:
            yield from self._batches_of(self.sidecar_path(sidecar), columns)

    def leaf_batches(
        self, names: Collection[str] | None = None
    ) -> Iterator["pyarrow.RecordBatch | list[Action]"]:
        """Yield every row: JSON files whole, parquet files in batches of leaves.

        They are those of these names, or all, whatever footers say. Each page of theirs is decoded,
        and fits its sum if it has one.
        """
        for file in self.checkpoint.files:
            if file.name.endswith(".json"):
                yield list(self._lines(file))
        for path in self._parquet_files():
            with self._readable(path) as parquet:
                for group in parquet.groups:
                    yield from parquet.all_of(group, names, ROWS)

    def scanned(self, without: Collection[str]) -> Iterator[str]:
        """Decode all leaves but these, and make nothing of them; the name of each that is done.

        With `leaf_batches` of the others every page is read.
        """
        for path in self._parquet_files():
            with self._readable(path) as parquet:
                for leaf in parquet.leaves:
                    if leaf not in without:
                        parquet.scan(leaf)
                        yield leaf

    def parts(self) -> Iterator[tuple[str, int, int]]:
        """Yield the path, the bytes and the rows of each file, sidecars first."""
        paths = [self.sidecar_path(sidecar) for sidecar in self.sidecars]
        for path in (*paths, *(f"{LOG}/{file.name}" for file in self.checkpoint.files)):
            size = self._storage.head(path).size
            if path.endswith(".json"):
                yield path, size, sum(1 for _ in self._lines(self.checkpoint.files[0]))
                continue
            with self._readable(path) as parquet:
                yield path, size, parquet.metadata.num_rows

    def schemas(self) -> Iterator["pyarrow.Schema"]:
        """Yield the schema of each of its parquet files, by the footer."""
        for path in self._parquet_files():
            with self._readable(path) as parquet:
                yield parquet.schema_arrow

    def rows(self) -> int:
        """Return how many rows its parquet files have, by their footers."""
        total = 0
        for path in self._files_with_adds():
            with self._readable(path) as parquet:
                total += parquet.metadata.num_rows
        return total

    def _batches_of(
        self, path: str, columns: Callable[["ParquetFile"], Sequence[str]]
    ) -> Iterator[tuple["pyarrow.RecordBatch", "ParquetFile"]]:
        with self._readable(path) as parquet:
            names = columns(parquet)
            for group in parquet.groups:
                _holds_adds(parquet, group)
                for batch in parquet.rows_of(group, names, WHOLE_ROWS):
                    if "add" in batch.schema.names:
                        _check_paths(batch.column("add"))
                    yield batch, parquet

    @property
    def size(self) -> int:
        """The bytes of the checkpoint with its sidecars, as far as they are said."""
        return self.checkpoint.size + sum(sidecar.size_in_bytes or 0 for sidecar in self.sidecars)

    def open_all(self) -> None:
        """Open every file once: damage to a footer, and a missing sidecar, come out here."""
        for path in self._files_with_adds():
            self._leaves(path)

    def add_fields(self) -> frozenset[str]:
        """Return the names of the fields that its parquet files have for an add."""
        paths = (leaf for file in self._files_with_adds() for leaf in self._leaves(file))
        return frozenset(path.split(".")[1] for path in paths if path.startswith("add."))

    def has_leaf(self, leaf: str) -> bool:
        """Return whether a parquet file of the checkpoint that holds adds has this column."""
        return any(leaf in self._leaves(path) for path in self._files_with_adds()[:1])

    def is_complete(self, leaf: str) -> bool:
        """Return whether no add has a null there, by the footers alone."""
        return all(self._is_complete(path, leaf) for path in self._files_with_adds())

    @cached_property
    def sidecars(self) -> tuple[Sidecar, ...]:
        """The files that a V2 checkpoint keeps its file actions in."""
        found = list(self.actions(("sidecar",), enough=lambda: False))
        try:
            return tuple(Sidecar.from_json(body) for _, body in found)
        except BrokenLogError as error:
            raise _unreadable(self.checkpoint.files[0].name, str(error)) from error

    def _actions_of(self, file: LogFile, kinds: Sequence[str]) -> Iterator[Action]:
        if file.name.endswith(".json"):
            yield from (action for action in self._lines(file) if action[0] in kinds)
            return
        path = f"{LOG}/{file.name}"
        with self._readable(path) as parquet:
            names = [leaf.split(".") for leaf in parquet.leaves]
            for group in parquet.groups:
                present = [kind for kind in kinds if _may_hold(parquet, group, kind)]
                lone = self._lone_actions(path, parquet, group, present)
                yield from ((kind, _body(row)) for kind, row in lone.items())
                left = [kind for kind in present if kind not in lone]
                fields = dict.fromkeys(".".join(name[:2]) for name in names if name[0] in left)
                for batch in parquet.rows_of(group, list(fields), ROWS) if left else ():
                    for kind in left:
                        for row in _valid_rows(batch.column(kind)):
                            yield kind, _body(row)

    def _lone_actions(
        self, path: str, parquet: "ParquetFile", group: int, kinds: Sequence[str]
    ) -> dict[str, dict[str, Any]]:
        """Return what a large row group holds only once: Arrow would decode all nulls around it."""
        rows = parquet.metadata.row_group(group).num_rows
        if rows < LARGE:
            return {}
        lone_action = import_module("deltactl.table.checkpoint.lone_action").lone_action
        lone = [kind for kind in kinds if parquet.nulls(group, _KEYS[kind]) == rows - 1]
        # In the order of the file what comes over the network for one has the next one, too.
        placed = sorted(lone, key=lambda kind: parquet.leaves.index(_KEYS[kind]))
        # What comes over the network keeps what came with the footer.
        read = getattr(parquet.source, "read_range", None) or partial(self._storage.read, path)
        found = {kind: lone_action(parquet, group, kind, read) for kind in placed}
        return {kind: row for kind in lone if (row := found[kind]) is not None}

    def _adds(
        self, path: str, leaves: Sequence[str], even_without_path: bool
    ) -> Iterator["pyarrow.StructArray"]:
        with self._readable(path) as parquet:
            for group in parquet.groups:
                if even_without_path:
                    if not parquet.names_with_values(group, [_KEYS["add"]]):
                        continue
                elif not _holds_adds(parquet, group):
                    continue
                for batch in parquet.rows_of(group, [*leaves, "add.size"], ROWS):
                    if not even_without_path:
                        _check_paths(batch.column("add"))
                    yield batch.column("add")

    def has_file_actions(self, path: str) -> bool:
        """Return whether the parquet file has the columns of adds or of removes."""
        return not self._leaves(path).isdisjoint((_KEYS["add"], _KEYS["remove"]))

    def _parquet_files(self) -> list[str]:
        names = [file.name for file in self.checkpoint.files]
        own = [f"{LOG}/{name}" for name in names if not name.endswith(".json")]
        return own + [self.sidecar_path(sidecar) for sidecar in self.sidecars]

    def _files_with_adds(self) -> list[str]:
        if self.sidecars:
            return [self.sidecar_path(sidecar) for sidecar in self.sidecars]
        names = [file.name for file in self.checkpoint.files]
        return [f"{LOG}/{name}" for name in names if name.endswith(".parquet")]

    def _is_complete(self, path: str, leaf: str) -> bool:
        with self._readable(path) as parquet:
            return _KEYS["add"] not in parquet.leaves or parquet.is_complete(leaf)

    def _leaves(self, path: str) -> set[str]:
        with self._readable(path) as parquet:
            return set(parquet.leaves)

    def _lines(self, file: LogFile) -> Iterator[Action]:
        try:
            block = self._storage.read(f"{LOG}/{file.name}")
            for _, kind, body in commit_lines.actions(block, file.name):
                yield kind, body
        except (FileNotFoundError, BrokenLogError) as error:
            raise _unreadable(file.name, str(error)) from error

    def sidecar_path(self, sidecar: Sidecar) -> str:
        """Return where the sidecar lies, from the table's root on."""
        path = canonical(sidecar.path)
        return path if is_absolute(sidecar.path) else f"{LOG}/{SIDECARS}/{path}"

    @contextmanager
    def _readable(self, path: str) -> Iterator["ParquetFile"]:
        # Most commands never read a checkpoint's parquet and should not pay for loading pyarrow.
        import pyarrow

        parquet_file = import_module("deltactl.table.parquet.parquet_file").ParquetFile
        name = path.removeprefix(f"{LOG}/")
        try:
            source = self._storage.source(path)
        except FileNotFoundError as error:
            raise UnreadableCheckpointError(
                "SIDECAR_MISSING" if name.startswith(SIDECARS) else "CHECKPOINT_UNREADABLE",
                f"{name}, part of the checkpoint of version {self.checkpoint.version}, is missing",
                details={"file": name},
            ) from error
        try:
            with parquet_file(source, self._chunks.get(path)) as parquet:
                self._chunks[path] = parquet.chunks
                _check_columns(parquet.schema_arrow)
                keys = Counter(leaf for leaf in parquet.leaves if leaf in _LEAVES_OF_KEYS)
                if twice := [leaf for leaf, times in keys.items() if times > 1]:
                    raise ValueError(f"it has the column {twice[0]} twice")
                yield parquet
        except (pyarrow.ArrowException, OSError, KeyError, ValueError) as error:
            why = str(error).splitlines()[0][:200].removesuffix(".")
            raise _unreadable(name, why) from error


def _check_columns(schema: "pyarrow.Schema") -> None:
    """Raise ValueError if a kind of action is not a struct, or if its key column is one.

    A deletion vector that is no struct would be read as none, and deleted rows would be back.
    """
    import pyarrow

    for column in schema:
        kind, dot, _ = column.name.partition(".")
        if kind in _KEYS and dot:
            # By its leaves it looks like a struct's member, and whole actions would be missed.
            raise ValueError(f"its column {column.name!s:.80} is not in a struct")
        if column.name not in _KEYS:
            continue
        # The footer of another form may count nulls as if there were none of these actions.
        if not isinstance(column.type, pyarrow.StructType):
            raise ValueError(f"its column {column.name} is not a struct")
        key = _KEYS[column.name]
        for member in column.type:
            if f"{column.name}.{member.name}" == key and member.type.num_fields:
                raise ValueError(f"its column {key} is {member.type!s:.80}")
            if member.name == "deletionVector" and not member.type.num_fields:
                raise ValueError(f"its column {column.name}.{member.name} is {member.type!s:.80}")


def _may_hold(parquet: "ParquetFile", group: int, kind: str) -> bool:
    """Return whether a row group may have actions of the kind, by the footer."""
    leaves = [_KEYS[kind]]
    if kind == "sidecar":
        # One that lost its path must not pass for none: all its files would be lost.
        leaves = [leaf for leaf in parquet.leaves if leaf.startswith("sidecar.")]
    return bool(parquet.names_with_values(group, leaves))


def _holds_adds(parquet: "ParquetFile", group: int) -> bool:
    """Return whether a row group may have adds, by the footer.

    Raises:
        ValueError: it has some without a path.
    """
    if parquet.names_with_values(group, [_KEYS["add"]]):
        return True
    rows = parquet.metadata.row_group(group).num_rows
    for leaf in parquet.leaves:
        is_of_adds = leaf.startswith("add.") and not leaf.startswith("add.stats_parsed.")
        if is_of_adds and parquet.nulls(group, leaf) not in (None, rows):
            raise ValueError(_NO_PATH)
    return False


def _check_paths(adds: "pyarrow.Array") -> None:
    """Raise ValueError if a file has a size and no path: it would be lost."""
    import pyarrow

    if not isinstance(adds, pyarrow.StructArray):
        raise ValueError(f"an add is {adds.type} instead of a struct")
    names = [field.name for field in adds.type]
    if "size" in names:
        # A member that is required has no nulls of its own, not even in rows of other actions.
        members = dict(zip(names, adds.flatten(), strict=True))
        paths = members["path"].null_count if "path" in names else len(adds)
        if paths > members["size"].null_count:
            raise ValueError(_NO_PATH)


def _unreadable(name: str, why: str) -> UnreadableCheckpointError:
    return UnreadableCheckpointError(
        "CHECKPOINT_UNREADABLE",
        f"checkpoint {name} cannot be read: {why}",
        details={"file": name},
    )


def _valid_rows(column: "pyarrow.StructArray") -> Iterator[dict[str, Any]]:
    """Yield the existing rows. Arrow's own filter would first load its compute functions."""
    if column.null_count == len(column):
        return
    valid = (1 << len(column)) - 1
    if column.null_count:
        valid &= int.from_bytes(column.buffers()[0], "little") >> column.offset
    while valid:
        row = column[(valid & -valid).bit_length() - 1].as_py(maps_as_pydicts="strict")
        if not isinstance(row, dict):
            raise ValueError(f"an action is {row!r:.40} instead of a struct")
        yield row
        valid &= valid - 1


def _body(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as the JSON body of its action, which leaves out what is null."""
    held = ((key, value) for key, value in row.items() if value is not None)
    return {key: _body(value) if isinstance(value, dict) else value for key, value in held}
