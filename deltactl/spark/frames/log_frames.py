"""A log as frames: the statements by which commits and an older checkpoint become a newer one.

Names in braces are frames: `commits` are lines in their order, `newest` what they say last of each
file, `base` the older checkpoint, `files` the file actions of the version.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from deltactl.errors import UnreadableCheckpointError
from deltactl.log.arrow.spark_types import Fields, Shape, ddl, shape_of
from deltactl.log.checkpoint.checkpoint_schema import (
    ADD,
    DOMAIN,
    REMOVE,
    STATS,
    STATS_PARSED,
    TXN,
    VALUES_PARSED,
)
from deltactl.spark.frames.file_values import (
    holds,
    json_of,
    literal,
    of_text,
    parsed_stats,
    projected,
    struct,
)
from deltactl.text.identifiers import backticked

_BAD = "_bad"
FILE_NAME = "_metadata.file_name AS file"
_ADD: Fields = {**shape_of(ADD), STATS: "string"}
_REMOVE = shape_of(REMOVE)
_OF_CHECKPOINTS = (STATS, STATS_PARSED, VALUES_PARSED)
# What a line of a commit may hold that a checkpoint does.
_LINE: Fields = {
    "add": _ADD,
    "remove": _REMOVE,
    "txn": shape_of(TXN),
    "domainMetadata": shape_of(DOMAIN),
}
_FIELDS = ", ".join(f"{name} {ddl(shape)}" for name, shape in _LINE.items())
_ACTIONS = ", ".join(_LINE)
# In one commit the later line counts; in a compacted file the first one does.
_ORDER = "named_struct('version', {0}, 'block', {1}, 'line', {2}) AS place"


def _key(path: str) -> str:
    """Return the one spelling under which paths are compared, as `log.paths.canonical` has it."""
    plain = f"regexp_replace({path}, '^file:/+', '/')"
    decoded = f"try_url_decode(replace({plain}, '+', '%2B'))"
    # Octets that are not UTF-8 all become this one: two files would be one.
    is_text = f"NOT contains({decoded}, '\\uFFFD')"
    return f"IF(contains({plain}, '%') AND {is_text}, coalesce({decoded}, {plain}), {plain})"


def _vector_id(vector: str) -> str:
    """Return what tells two deletion vectors of one file apart; empty without one."""
    offset = f"coalesce(concat('@', {vector}.offset), '')"
    return f"coalesce(concat({vector}.storageType, {vector}.pathOrInlineDv, {offset}), '')"


_EITHER = "coalesce(add.path, remove.path)"
_VECTORS = _vector_id("add.deletionVector"), _vector_id("remove.deletionVector")
_EITHER_VECTOR = f"IF(add IS NULL, {_VECTORS[1]}, {_VECTORS[0]})"

BROKEN = f"""
    SELECT min(file) AS file, min_by({_BAD}, file) AS text FROM {{commits}}
    WHERE {_BAD} IS NOT NULL
        OR add IS NOT NULL AND coalesce(add.path, '') = ''
        OR remove IS NOT NULL AND coalesce(remove.path, '') = ''
        OR add IS NOT NULL AND remove IS NOT NULL
        OR txn IS NOT NULL AND (txn.appId IS NULL OR txn.version IS NULL)
        OR domainMetadata IS NOT NULL AND domainMetadata.domain IS NULL
    HAVING count(*) > 0
"""
NEWEST = f"""
    SELECT key, vector, max_by(action, place) AS action,
        max(IF(action.add IS NULL, NULL, place.version))
            <=> max(IF(action.remove IS NULL, NULL, place.version)) AS is_both
    FROM (
        SELECT {_key(_EITHER)} AS key, {_EITHER_VECTOR} AS vector, place,
            named_struct('add', add, 'remove', remove) AS action
        FROM {{commits}} WHERE add IS NOT NULL OR remove IS NOT NULL
    )
    GROUP BY key, vector
"""
# What is rewritten would hide these, as `verify.checkpoint.checkpoint_types` has it.
FAULTS = """
    SELECT code, min(path) AS path FROM (
        SELECT coalesce(action.add.path, action.remove.path) AS path, CASE
            WHEN is_both THEN 'ADD_AND_REMOVE_IN_ONE_COMMIT'
            WHEN vector IS NOT NULL AND (vector.sizeInBytes IS NULL OR vector.cardinality IS NULL)
                THEN 'ACTION_MALFORMED'
            WHEN action.add IS NULL THEN NULL
            WHEN action.add.size IS NULL OR action.add.modificationTime IS NULL
                OR action.add.dataChange IS NULL OR action.add.partitionValues IS NULL
                THEN 'ADD_INCOMPLETE'
            WHEN action.add.path RLIKE '[\\\\p{C}\\\\p{Z}]' THEN 'PATH_NOT_ENCODED'
        END AS code
        FROM (
            SELECT action, is_both,
                coalesce(action.add.deletionVector, action.remove.deletionVector) AS vector
            FROM {newest}
        )
    )
    WHERE code IS NOT NULL GROUP BY code ORDER BY code LIMIT 1
"""
# Sums do not depend on the order of what they sum up.
DIGEST = f"""
    SELECT kind, count(*) AS files, sum(coalesce(size, 0)) AS bytes,
        count_if(vector <> '') AS vectors, min(IF(vector <> '', path, NULL)) AS vectorOf,
        CAST(sum(CAST(hash AS decimal(38,0))) AS string) AS mark
    FROM (
        SELECT IF(add IS NULL, 'remove', 'add') AS kind, coalesce(add.size, remove.size) AS size,
            {_EITHER} AS path, {_EITHER_VECTOR} AS vector,
            xxhash64({_EITHER}, {_EITHER_VECTOR}, coalesce(add.size, remove.size),
                add.modificationTime, remove.deletionTimestamp,
                coalesce(add.baseRowId, remove.baseRowId),
                coalesce(add.defaultRowCommitVersion, remove.defaultRowCommitVersion),
                map_entries(coalesce(add.partitionValues, remove.partitionValues))) AS hash
        FROM {{files}} WHERE add IS NOT NULL OR remove IS NOT NULL
    )
    GROUP BY kind
"""
ROWS_BY_FILE = "SELECT file, count(*) AS rows FROM {files} GROUP BY file"


def commits(spark: Any, params: Mapping[str, Any]) -> Any:
    """Return the lines of all commits, and of what stands for commits, with their places."""
    found = []
    if params["commits"]:
        found.append(_lines(spark, params["commits"]))
    if params["top"] is not None:
        found.append(_lines(spark, [params["top"]], version="-1L"))
    if params["compacted"]:
        found.append(_compacted(spark, params["compacted"]))
    if not found:
        found.append(
            spark.createDataFrame(
                [],
                f"{_FIELDS}, {_BAD} string, file string, "
                "place struct<version:bigint,block:bigint,line:bigint>",
            )
        )
    lines = found[0]
    for more in found[1:]:
        lines = lines.unionAll(more)
    return lines


def newest_small(kind: str, key: str) -> str:
    """Return the statement for the newest actions of a kind, each with its own key."""
    return f"""
        SELECT max_by({kind}, place) AS action FROM {{commits}}
        WHERE {kind} IS NOT NULL GROUP BY {kind}.{key}
    """


def of_commits(schema: Mapping[str, Fields], expired: int) -> list[str]:
    """Return the statements for the file actions that commits have."""
    add = _made_add("a", _ADD, schema["add"])
    remove = _made("r", _REMOVE, _REMOVE)
    live = "(SELECT action.add AS a FROM {newest} WHERE action.add IS NOT NULL)"
    dead = "(SELECT action.remove AS r FROM {newest} WHERE action.remove IS NOT NULL)"
    return [
        _row(add, None, schema, live),
        _row(None, remove, schema, f"{dead} WHERE r.deletionTimestamp > {expired}"),
    ]


def of_base(schema: Mapping[str, Fields], held: Mapping[str, Any], expired: int) -> list[str]:
    """Return the statements for what an older checkpoint with these columns still says."""
    found = []
    for kind, name in (("add", "a"), ("remove", "r")):
        own = held.get(kind)
        if not isinstance(own, Mapping) or "path" not in own:
            continue
        vector = _vector_id(f"{kind}.deletionVector") if _has_vector(own) else "''"
        rows = f"""(
            SELECT {kind} AS {name} FROM {{base}} b LEFT ANTI JOIN {{newest}} n
            ON {_key(f"b.{kind}.path")} = n.key AND {vector} = n.vector
            WHERE b.{kind}.path IS NOT NULL
        )"""
        if kind == "add":
            found.append(_row(_made_add(name, own, schema["add"]), None, schema, rows))
        elif "deletionTimestamp" in own:
            made = _made(name, own, _REMOVE)
            kept = f"{rows} WHERE {name}.deletionTimestamp > {expired}"
            found.append(_row(None, made, schema, kept))
    return found


def rows(schema: Fields, parts: int) -> str:
    """Return the statement for whole rows of a checkpoint with the number of their file."""
    columns = ", ".join(
        name if name in ("add", "remove") else f"CAST(NULL AS {ddl(shape)}) AS {name}"
        for name, shape in schema.items()
    )
    bucket = f"CAST(crc32(CAST({_EITHER} AS binary)) % {parts} AS int)"
    return f"SELECT {columns}, {bucket} AS bucket FROM {{files}}"


def small_rows(schema: Fields) -> str:
    """Return the statement for the rows of small actions, which are in the first file."""
    fields = ", ".join(f"{name} {ddl(shape)}" for name, shape in schema.items())
    columns = ", ".join(f"r.{name}" for name in schema)
    read = f"from_json(line, {literal(fields)}, map('mode', 'FAILFAST')) AS r"
    return f"SELECT {columns}, 0 AS bucket FROM (SELECT {read} FROM {{small}})"


def parquet(spark: Any, paths: Sequence[str]) -> Any:
    """Return the rows of parquet files; several may differ in columns."""
    reader = spark.read.option("__globPaths__", "false").option("mergeSchema", "true")
    return reader.option("parquet.page.verify-checksum.enabled", "true").parquet(*paths)


def fields_of(frame: Any) -> Fields:
    """Return the shape of a frame."""
    return {field.name: _shape(field.dataType) for field in frame.schema.fields}


def _shape(kind: Any) -> Shape:
    if hasattr(kind, "fields"):
        return {field.name: _shape(field.dataType) for field in kind.fields}
    name: str = kind.simpleString()
    return name


def _lines(spark: Any, files: Sequence[str], version: str | None = None) -> Any:
    """Return the lines of files of JSON, each a commit, by the version of its name."""
    reader = spark.read.schema(f"{_FIELDS}, {_BAD} string").option("__globPaths__", "false")
    reader = reader.option("columnNameOfCorruptRecord", _BAD)
    place = _ORDER.format(
        version or "CAST(substr(_metadata.file_name, 1, 20) AS bigint)",
        "_metadata.file_block_start",
        "monotonically_increasing_id()",
    )
    return reader.json(list(files)).selectExpr(*_LINE, _BAD, FILE_NAME, place)


def _compacted(spark: Any, files: Sequence[str]) -> Any:
    """Return the lines of compacted files, each as of the last version that it covers."""
    whole = spark.read.option("__globPaths__", "false").text(list(files), wholetext=True)
    lines = whole.selectExpr(FILE_NAME, "posexplode(split(value, '\\n')) AS (number, line)")
    options = f"map('columnNameOfCorruptRecord', '{_BAD}')"
    fields = literal(f"{_FIELDS}, {_BAD} string")
    read = lines.where("trim(line) <> ''").selectExpr(
        "file", "number", f"from_json(line, {fields}, {options}) AS r"
    )
    place = _ORDER.format("CAST(substr(file, 22, 20) AS bigint)", "0L", "-CAST(number AS bigint)")
    return read.selectExpr(*(f"r.{name} AS {name}" for name in _LINE), f"r.{_BAD}", "file", place)


def _row(add: str | None, remove: str | None, schema: Fields, source: str) -> str:
    add = add or f"CAST(NULL AS {ddl(schema['add'])})"
    remove = remove or f"CAST(NULL AS {ddl(_REMOVE)})"
    return f"SELECT {add} AS add, {remove} AS remove FROM {source}"


def _made(action: str, own: Fields, wanted: Fields) -> str:
    return struct(_members(action, own, wanted))


def _members(action: str, own: Fields, wanted: Fields) -> dict[str, str]:
    """Return the fields that both a commit and a checkpoint have."""
    made = {}
    for name, kind in wanted.items():
        field = f"{action}.{backticked(name)}"
        if name == "dataChange":
            made[name] = "false"
        elif name not in own:
            made[name] = f"CAST(NULL AS {ddl(kind)})"
        elif name == "deletionVector":
            # Some writers have a struct of nulls where there is none.
            vector = struct(_members(field, _fields(own[name]), _fields(kind)))
            made[name] = f"IF({field}.storageType IS NULL, NULL, {vector})"
        else:
            made[name] = f"CAST({field} AS {ddl(kind)})"
    return made


def _fields(shape: Shape) -> Fields:
    if not isinstance(shape, Mapping):
        said = f"a checkpoint has deletion vectors of the type {shape}"
        raise UnreadableCheckpointError("CHECKPOINT_UNREADABLE", said)
    return shape


def _has_vector(own: Fields) -> bool:
    return isinstance(own.get("deletionVector"), Mapping)


def _made_add(action: str, own: Fields, wanted: Fields) -> str:
    made = _members(action, own, {n: k for n, k in wanted.items() if n not in _OF_CHECKPOINTS})
    values = f"coalesce({made['partitionValues']}, map())"
    made["partitionValues"] = f"CAST({values} AS map<string,string>)"
    stats = f"CAST({action}.stats AS string)" if STATS in own else "CAST(NULL AS string)"
    structs, held = f"{action}.stats_parsed", own.get(STATS_PARSED)
    if STATS in wanted:
        made[STATS] = stats
        if isinstance(held, Mapping):
            made[STATS] = f"coalesce({stats}, {json_of(structs, held)})"
    if isinstance(target := wanted.get(STATS_PARSED), Mapping):
        made[STATS_PARSED] = _structs(stats, structs, held, target)
    if isinstance(target := wanted.get(VALUES_PARSED), Mapping):
        texts = {n: f"try_element_at({action}.partitionValues, {literal(n)})" for n in target}
        made[VALUES_PARSED] = struct({n: of_text(texts[n], str(k)) for n, k in target.items()})
    return struct({name: made[name] for name in wanted})


def _structs(stats: str, structs: str, held: Shape | None, target: Fields) -> str:
    """Return the statistics as structs: those that exist if they are as good as the JSON."""
    parsed = parsed_stats(stats, target)
    if not isinstance(held, Mapping):
        return parsed
    both = [projected(structs, held, target), parsed]
    return f"coalesce({', '.join(both if holds(held, target) else reversed(both))})"
