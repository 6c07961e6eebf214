"""The rows of a table against what the log says of them, and against their rules."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from deltactl.spark.frames.tables import literal, rows_of, snapshot_at
from deltactl.text.identifiers import backticked

# It reads files that are chosen, under a schema in which every column may be null: to Spark a
# column that is NOT NULL has no nulls, whatever files hold.
NEEDS_JVM = True

SUSPECT = "SUSPECT"
_SETTINGS = {
    # What is missing or broken has too few rows, and does not keep the rest from being read.
    "spark.sql.files.ignoreMissingFiles": "true",
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.readSideCharPadding": "false",
}
_VIEW, _FILE = "deltactl_rows", "deltactl_file"
# The parts of an add, and the place of its size.
_PARTS_OF_ADD, _SIZE = 13, 3
_SCHEME = "^[a-zA-Z][a-zA-Z0-9+.-]*:/+"


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Look for faults, and return at most `limit` of each kind with how many there are of it.

    A fault is [code, path, place in the file, expected, found]. Rows are read, file by file: their
    number, nulls, least and greatest values of `columns`, and the conditions of `rules`. A file
    that has other rows than the log says is a SUSPECT, of which nothing is said but which rules its
    rows break. Last come the values of `identities`, over the whole table. Files `left_out` are not
    looked at; `sizes` are those of files of which the log says others.
    """
    before = {key: spark.conf.get(key, None) for key in _SETTINGS}
    for key, value in _SETTINGS.items():
        spark.conf.set(key, value)
    try:
        return _verified(spark, params)
    finally:
        spark.catalog.dropTempView(_VIEW)
        for key, old in before.items():
            if old is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, old)


def _verified(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    snapshot = snapshot_at(spark, params["table"], params["version"])
    frame = type(spark.range(0))
    left_out = ", ".join(literal(path) for path in params["left_out"])
    wanted = f"path NOT IN ({left_out})" if left_out else "TRUE"
    adds = frame(snapshot.withStats(), spark).where(wanted)
    chosen = snapshot.allFiles().where(wanted).collectAsList()
    for number in range(chosen.size() if params["sizes"] else 0):
        add = chosen.get(number)
        if (size := params["sizes"].get(add.path())) is not None:
            chosen.set(number, _of_size(add, size))
    table = frame(rows_of(spark, _with_nulls(spark, snapshot), chosen), spark)
    table.selectExpr(f"{_decoded('_metadata.file_path')} AS {_FILE}", "*").createOrReplaceTempView(
        _VIEW
    )
    held = json.loads(adds.select("stats").schema.json())
    columns = [c for c in params["columns"] if _is_in(held, ["stats", "nullCount", *c["physical"]])]
    # Delta has this field in statistics of tables that may have deletion vectors, and no others.
    can_be_loose = _is_in(held, ["stats", "tightBounds"])
    rules = params["rules"]
    measures = ", ".join(_measures(columns, rules))
    measured = spark.sql(f"SELECT {_FILE}, {measures} FROM {_VIEW} GROUP BY {_FILE}")
    root = _bare_root(params["table"])
    looked_at = (
        adds.selectExpr("*", f"{_place_of_add(root)} AS {_FILE}")
        .join(measured, _FILE, "left")
        .selectExpr("coalesce(n, 0) AS live", f"{_faults(columns, rules, can_be_loose)} AS faults")
        .persist()
    )
    try:
        totals = (
            "count(*) AS files",
            "coalesce(sum(live), 0) AS rows",
            "coalesce(sum(size(faults)), 0) AS faults",
        )
        [total] = looked_at.selectExpr(*totals).collect()
        counted = looked_at.selectExpr("explode(faults) AS fault").selectExpr(
            "fault.*",
            "count(*) OVER (PARTITION BY fault.code) AS total",
            "row_number() OVER (PARTITION BY fault.code ORDER BY fault.path) AS number",
        )
        few = counted.where(f"number <= {int(params['limit'])}").orderBy("path")
        faults = few.collect() if total["faults"] else []
    finally:
        looked_at.unpersist()
    return {
        "files": total["files"],
        "rows": total["rows"],
        "faults": [[f["code"], f["path"], f["place"], f["expected"], f["found"]] for f in faults],
        "counts": {fault["code"]: fault["total"] for fault in faults},
        "identities": [_identity(spark, identity) for identity in params["identities"]],
    }


def _with_nulls(spark: Any, snapshot: Any) -> Any:
    """Return the snapshot as it would be if every column could be null."""
    jvm, old = spark._jvm, snapshot.metadata()
    schema = json.dumps(_nullable(json.loads(old.schemaString())))
    metadata = old.copy(
        old.id(),
        old.name(),
        old.description(),
        old.format(),
        schema,
        old.partitionColumns(),
        old.configuration(),
        old.createdTime(),
    )
    log, option = snapshot.deltaLog(), jvm.scala.Option
    protocol = option.apply(snapshot.protocol())
    return jvm.org.apache.spark.sql.delta.DummySnapshot(
        log.logPath(), log, metadata, option.empty(), protocol
    )


def _nullable(part: Any) -> Any:
    """Return a type of Delta's JSON in which nothing must have a value."""
    if not isinstance(part, dict):
        return part
    if part.get("type") == "struct":
        fields = [
            {**field, "nullable": True, "type": _nullable(field["type"])}
            for field in part["fields"]
        ]
        return {**part, "fields": fields}
    inner = {key: _nullable(part[key]) for key in _INNER if key in part}
    may = {key: True for key in ("containsNull", "valueContainsNull") if key in part}
    return {**part, **inner, **may}


_INNER = ("elementType", "keyType", "valueType")


def _of_size(add: Any, size: int) -> Any:
    """Return the add as it would be if the file had that size."""
    parts = {
        place: getattr(add, f"copy$default${place}")() for place in range(1, _PARTS_OF_ADD + 1)
    }
    return add.copy(*{**parts, _SIZE: size}.values())


def _measures(
    columns: Sequence[Mapping[str, Any]], rules: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    yield "count(*) AS n"
    for number, column in enumerate(columns):
        sql = column["sql"]
        yield f"count_if({sql} IS NULL) AS nulls{number}"
        if column["bounds"]:
            # NaN is above all numbers to Spark, and in no bounds.
            known = f"CASE WHEN NOT isnan({sql}) THEN {sql} END" if column["floating"] else sql
            yield f"min({known}) AS low{number}"
            yield f"max({known}) AS high{number}"
    for number, rule in enumerate(rules):
        yield f"count_if(NOT (({rule['condition']}) <=> TRUE)) AS wrong{number}"


def _faults(
    columns: Sequence[Mapping[str, Any]], rules: Sequence[Mapping[str, Any]], can_be_loose: bool
) -> str:
    """Return an expression for all that is wrong with one file."""
    # With deleted rows a count that is not tight says something at its lower end only.
    no_vector = "deletionVector IS NULL"
    tight = f"coalesce(stats.tightBounds, {no_vector})" if can_be_loose else no_vector
    rows = "stats.numRecords - coalesce(deletionVector.cardinality, 0)"
    is_suspect = f"NOT ({rows} <=> coalesce(n, 0)) AND stats.numRecords IS NOT NULL"
    suspect = _fault(SUSPECT, "TRUE", "''", f"CAST({rows} AS STRING)", "CAST(n AS STRING)")
    wrong = [fault for number, c in enumerate(columns) for fault in _of_column(number, c, tight)]
    broken = [_of_rule(number, rule) for number, rule in enumerate(rules)]
    of_rows = f"CASE WHEN {is_suspect} THEN array({suspect}) ELSE {_array(wrong)} END"
    found = f"concat({of_rows}, {_array(broken)})"
    return f"filter({found}, fault -> fault IS NOT NULL)"


def _array(faults: Sequence[str]) -> str:
    return f"array({', '.join(faults) if faults else _fault('', 'FALSE')})"


def _of_column(number: int, column: Mapping[str, Any], tight: str) -> Iterator[str]:
    place, nulls = literal(column["name"]), f"nulls{number}"
    said = _said("nullCount", column)
    yield _fault(
        "STATISTICS_WRONG",
        f"n > 0 AND (({tight} AND {said} <> {nulls}) OR ({said} = 0 AND {nulls} > 0))",
        place,
        f"concat({nulls}, ' nulls')",
        f"concat({said}, ' in nullCount')",
    )
    if not column["bounds"]:
        return
    for bound, actual, word, cuts in (
        ("minValues", f"low{number}", "at most", "{actual} < {said}"),
        ("maxValues", f"high{number}", "at least", "{actual} > {said}"),
    ):
        said = _said(bound, column)
        reach = said
        if column["instant"] and bound == "maxValues":
            reach = f"({said} + INTERVAL '0.000999' SECOND)"  # It is cut to the millisecond.
        broken = cuts.format(actual=actual, said=reach)
        if column["floating"]:
            broken += f" AND NOT isnan({said})"
        if column["double"]:
            hazard = f"CAST(CAST({said} AS FLOAT) AS DOUBLE) = {actual}"
            code = f"CASE WHEN {hazard} THEN 'FLOAT_STATISTICS' ELSE 'STATISTICS_WRONG' END"
        else:
            code = "'STATISTICS_WRONG'"
        yield _fault(
            code,
            broken,
            f"concat({place}, ', {bound}')",
            f"concat('{word} ', CAST({actual} AS STRING))",
            f"CAST({said} AS STRING)",
        )


def _of_rule(number: int, rule: Mapping[str, Any]) -> str:
    wrong = f"wrong{number}"
    return _fault(
        rule["code"],
        f"{wrong} > 0",
        literal(rule["name"]),
        literal(rule["condition"]),
        f"concat({wrong}, ' of ', n, ' rows do not satisfy it')",
    )


def _fault(
    code: str, condition: str, place: str = "''", expected: str = "''", found: str = "''"
) -> str:
    """Return a struct if the condition holds, else null; a bare code is taken as a text."""
    told = code if code.startswith(("'", "CASE")) else literal(code)
    fields = f"'code', {told}, 'path', path, 'place', {place}"
    return (
        f"CASE WHEN {condition} THEN named_struct({fields}, 'expected', {expected}, "
        f"'found', {found}) END"
    )


def _said(kind: str, column: Mapping[str, Any]) -> str:
    return ".".join(["stats", kind, *map(backticked, column["physical"])])


def _is_in(schema: Any, path: Sequence[str]) -> bool:
    """Return whether a struct has a field at the path."""
    for name in path:
        fields = schema.get("fields", ()) if isinstance(schema, dict) else ()
        found = [field["type"] for field in fields if field["name"] == name]
        if not found:
            return False
        schema = found[0]
    return True


def _identity(spark: Any, identity: Mapping[str, Any]) -> list[Any]:
    """Return the least and the greatest value, how many there are, and how many different ones."""
    sql = identity["sql"]
    [found] = spark.sql(
        f"SELECT min({sql}) AS low, max({sql}) AS high, count({sql}) AS number, "
        f"count(DISTINCT {sql}) AS different FROM {_VIEW}"
    ).collect()
    return [found["low"], found["high"], found["number"], found["different"]]


def _bare_root(table: str) -> str:
    scheme, colon, rest = table.partition("://")
    return "/" + (rest if colon else scheme).strip("/")


def _place_of_add(root: str) -> str:
    """Return the place of an add's file, without the scheme of its URL."""
    decoded = "url_decode(replace(path, '+', '%2B'))"
    below = f"concat({literal(root)}, '/', {decoded})"
    is_whole = f"path RLIKE {literal(_SCHEME)} OR startswith(path, '/')"
    return f"CASE WHEN {is_whole} THEN {_bare(decoded)} ELSE {below} END"


def _decoded(sql: str) -> str:
    return _bare(f"url_decode(replace({sql}, '+', '%2B'))")


def _bare(sql: str) -> str:
    """Return a place without the scheme of a URL."""
    return f"regexp_replace({sql}, {literal(_SCHEME)}, '/')"
