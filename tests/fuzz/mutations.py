"""Ways to damage a log, all of them chosen by one generator: the same seed, the same damage."""

import json
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tables import Files

Mutation = Callable[[Files, random.Random], str]

DEEP = 3000
# Blanks to Python, and not to JSON; and JSON's own.
BLANKS = ["\u2028", "\u00a0", "\u0085", "\u3000", "\x0b", "\x0c", "\x1c", "\ufeff", " ", "\t", "\r"]
SPECIAL = ["folder", "fifo", "broken link", "link to itself"]
ODD_VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 1e308, -(2**63), 2**31, 2**63, 2**70, "", "x", "0", "-1", "NaN",
    [], {}, [None], [[]], {"": None}, {"type": "struct"}, [{"name": "a"}], "a%00b", "%FF", "../x",
    "file:///x", "\x1b[31mred", "[bold]", "\u202egnp", "é" * 300, "\U0001f600", "a.`b", "9" * 400,
]  # fmt: skip
# Text that no value of Python's turns into.
ODD_TEXTS = [
    "NaN", "-Infinity", "1e999", "9" * 5000, "1" + "0" * 400, '"\\ud800"', '"\\udc00"', "01", "+1",
    "'x'", "[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "", "nul", '"\t"', '"\\x"',
    '"' + "x" * 200_000 + '"', '{"a":1,"a":2}',
]  # fmt: skip
ODD_NAMES = [
    "00000000000000000099.json", "5.json", "-1.json", "99999999999999999999.json",
    "_last_checkpoint", "00000000000000000001.checkpoint.parquet",
    "00000000000000000002.00000000000000000001.compacted.json",
    "00000000000000000000.00000000000000000003.compacted.json", "00000000000000000001.json.tmp",
    "00000000000000000001.checkpoint.0000000001.9999999999.parquet", "00000000000000000001.crc",
    "00000000000000000001.checkpoint.0000000000.0000000000.parquet", "_sidecars/x.parquet",
    "00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", "\x1b[31m.json",
    "00000000000000000001.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.parquet", "\udcff.json",
    ".00000000000000000001.json.crc", "00000000000000000001.json/00000000000000000002.json",
    "00000000000000000002.checkpoint.parquet/x", "_staged_commits/00000000000000000009.x.json",
]  # fmt: skip


def mutate(files: Files, rng: random.Random) -> list[str]:
    """Damage the files in one to three ways, and say how."""
    return [rng.choice(MUTATIONS)(files, rng) for _ in range(rng.choice([1, 1, 2, 3]))]


def _any(files: Files, rng: random.Random, *endings: str) -> str | None:
    """The name of a file, which is no special one."""
    names = sorted(
        name
        for name, content in files.items()
        if isinstance(content, bytes) and (not endings or name.endswith(endings))
    )
    return rng.choice(names) if names else None


def _bytes(files: Files, name: str) -> bytes:
    content = files[name]
    assert isinstance(content, bytes)
    return content


def flip_bytes(files: Files, rng: random.Random) -> str:
    name = _any(files, rng)
    if name is None or not _bytes(files, name):
        return "nothing"
    data = bytearray(_bytes(files, name))
    places = sorted(rng.randrange(len(data)) for _ in range(rng.choice([1, 1, 8, 64])))
    for place in places:
        data[place] = rng.choice([data[place] ^ (1 << rng.randrange(8)), rng.randrange(256), 0, 34])
    files[name] = bytes(data)
    return f"bytes {places[:5]} of {name} flipped"


def cut_bytes(files: Files, rng: random.Random) -> str:
    name = _any(files, rng)
    if name is None:
        return "nothing"
    data = _bytes(files, name)
    start, end = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    middle = rng.choice([b"", b"", data[start:end] * 2, bytes(end - start), rng.randbytes(20)])
    rest = rng.choice([data[end:], b""])
    files[name] = data[:start] + middle + rest
    return f"bytes {start} to {end} of {name} replaced by {len(middle)}, {len(rest)} behind them"


def move_lines(files: Files, rng: random.Random) -> str:
    name = _any(files, rng, ".json")
    if name is None:
        return "nothing"
    lines = _bytes(files, name).splitlines()
    if not lines:
        return "nothing"
    kind = rng.choice(
        ["shuffled", "dropped", "doubled", "taken from elsewhere", "spaced", "marked", "blanked"]
    )
    place = rng.randrange(len(lines))
    match kind:
        case "shuffled":
            rng.shuffle(lines)
        case "dropped":
            del lines[place]
        case "doubled":
            lines.insert(place, lines[place])
        case "taken from elsewhere":
            other = _any(files, rng, ".json")
            lines += _bytes(files, other).splitlines() if other else []
        case "spaced":
            lines.insert(place, rng.choice([b"", b"  ", b"\r", b"\0"]))
        case "marked":
            lines[0] = b"\xef\xbb\xbf" + lines[0]
        case "blanked":
            blank = rng.choice(BLANKS).encode()
            lines[place] = rng.choice([blank + lines[place], lines[place] + blank, blank])
    files[name] = rng.choice([b"\n", b"\n", b"\r\n", b"\n\n"]).join(lines)
    return f"lines of {name} {kind} at {place}"


def change_json(files: Files, rng: random.Random) -> str:
    """Change a value, or a key, somewhere in a line, also inside the JSON that text holds."""
    name = _any(files, rng, ".json", ".crc", "_last_checkpoint")
    if name is None:
        return "nothing"
    lines = _bytes(files, name).split(b"\n")
    # Protocol and metadata are in few lines, and most depends on them.
    heads = [i for i, line in enumerate(lines) if b'"metaData"' in line or b'"protocol"' in line]
    place = rng.choice(heads) if heads and rng.random() < 0.6 else rng.randrange(len(lines))
    try:
        value = json.loads(lines[place])
    except (ValueError, RecursionError):
        return "nothing"
    value, said = _changed(value, rng)
    lines[place] = _odd_text(json.dumps(value), rng).encode("utf-8", "surrogatepass")
    files[name] = b"\n".join(lines)
    return f"{name}, line {place + 1}: {said}"


def _changed(value: Any, rng: random.Random) -> tuple[Any, str]:
    """The value with one change somewhere in it."""
    if isinstance(value, str) and value.startswith(("{", "[")) and rng.random() < 0.8:
        try:
            inner, said = _changed(json.loads(value), rng)
        except (ValueError, RecursionError):
            return rng.choice(ODD_VALUES), "value"
        return _odd_text(json.dumps(inner), rng), f"in text: {said}"
    if isinstance(value, dict | list) and value and rng.random() < 0.85:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        if rng.random() < 0.15:
            return _without(value, key, rng), f"{key} renamed or removed"
        child, said = _changed(value[key], rng)
        copy = value.copy()
        copy[key] = child
        return copy, f"{key}: {said}"
    if rng.random() < 0.3:
        return f"ODD{rng.randrange(len(ODD_TEXTS))}ODD", "odd text"
    return rng.choice(ODD_VALUES), "value"


def _without(value: Any, key: Any, rng: random.Random) -> Any:
    if isinstance(value, list):
        return [*value[:key], *value[key + 1 :]] if rng.random() < 0.5 else [*value, value[key]]
    other = rng.choice([None, "", key.upper(), key[:-1], "type", "path", "x"])
    return {
        **({} if other is None else {other: value[key]}),
        **{k: v for k, v in value.items() if k != key},
    }


def _odd_text(text: str, rng: random.Random) -> str:
    for number, odd in enumerate(ODD_TEXTS):
        text = text.replace(f'"ODD{number}ODD"', odd)
    if rng.random() < 0.1 and (keys := text.split('"')[1::2]):
        doubled = json.dumps(rng.choice(keys))[1:-1]
        text = text.replace("{", f'{{"{doubled}":{rng.choice(["1", "null", "{}"])},', 1)
    return text


def change_parquet(files: Files, rng: random.Random) -> str:
    """Rewrite a checkpoint with a column that is gone, of another type, or of other rows."""
    name = _any(files, rng, ".parquet")
    if name is None:
        return "nothing"
    try:
        table = pq.read_table(pa.BufferReader(_bytes(files, name)))
        column = rng.choice(table.schema.names)
        kind = rng.choice(["dropped", "retyped", "nulled", "doubled", "cut", "unnested", "renamed"])
        changed = _table(table, column, kind, rng)
        sink = pa.BufferOutputStream()
        pq.write_table(changed, sink, row_group_size=rng.choice([1, 7, 10_000]))
    except (pa.ArrowException, OSError, ValueError):
        return "nothing"
    files[name] = sink.getvalue().to_pybytes()
    return f"column {column} of {name} {kind}"


def _table(table: pa.Table, column: str, kind: str, rng: random.Random) -> pa.Table:
    at, rows = table.schema.get_field_index(column), table.num_rows
    if rng.random() < 0.5 and pa.types.is_struct(table.schema.field(at).type):
        return table.set_column(at, column, _field_changed(table.column(at), kind, rng))
    match kind:
        case "dropped":
            return table.drop_columns([column])
        case "retyped":
            return table.set_column(at, column, _odd_column(rows, rng))
        case "nulled":
            return table.set_column(at, column, pa.nulls(rows, table.schema.field(at).type))
        case "doubled":
            return pa.concat_tables([table, table])
        case "cut":
            return table.slice(rng.randrange(rows + 1))
        case "unnested":
            return table.flatten()
        case _:
            names = [
                rng.choice(table.schema.names) if n == column else n for n in table.schema.names
            ]
            return table.rename_columns(names)


def _field_changed(column: pa.ChunkedArray, kind: str, rng: random.Random) -> pa.Array:
    """A struct with one of its fields gone or of another type."""
    array = column.combine_chunks()
    array = array.chunk(0) if isinstance(array, pa.ChunkedArray) else array
    fields = [array.type.field(i) for i in range(array.type.num_fields)]
    children, place = array.flatten(), rng.randrange(len(fields))
    if kind == "dropped" and len(fields) > 1:
        del fields[place], children[place]
    else:
        children[place] = _odd_column(len(array), rng)
        fields[place] = pa.field(fields[place].name, children[place].type)
    return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())


def _odd_column(rows: int, rng: random.Random) -> pa.Array:
    text = pa.array(["\u00e9[bold]"] * rows, pa.string())
    broken = pa.array([b"\xff\xfe"] * rows, pa.binary()).view(pa.string())
    numbers = pa.array([rng.choice([-1, 2**62, 7])] * rows, pa.int64())
    lists = pa.array([[None, "x"]] * rows, pa.list_(pa.string()))
    odd: pa.Array = rng.choice(
        [text, broken, numbers, lists, pa.array([1.5] * rows), pa.nulls(rows)]
    )
    return odd


def move_files(files: Files, rng: random.Random) -> str:
    name = _any(files, rng)
    if name is None:
        return "nothing"
    other = rng.choice([_any(files, rng) or name, rng.choice(ODD_NAMES)])
    kind = rng.choice(["removed", "renamed", "copied", "swapped", "emptied", "made"])
    match kind:
        case "removed":
            del files[name]
        case "renamed":
            files[other] = files.pop(name)
        case "copied":
            files[other] = files[name]
        case "swapped":
            files[name], files[other] = files.get(other, b""), files[name]
        case "emptied":
            files[name] = b""
        case "made":
            made = rng.choice([b"", b"{}", _bytes(files, name), rng.randbytes(99)])
            files[rng.choice(ODD_NAMES)] = made
    return f"{name!r} {kind} ({other!r})"


def change_cells(files: Files, rng: random.Random) -> str:
    """Rewrite a checkpoint with one value, at any depth, that is another one of its type."""
    name = _any(files, rng, ".parquet")
    if name is None:
        return "nothing"
    try:
        table = pq.read_table(pa.BufferReader(_bytes(files, name)))
        rows = table.to_pylist()
        row = rng.choice(rows)
        said = _changed_cell(row, rng)
        changed = pa.Table.from_pylist(rows, schema=table.schema)
        sink = pa.BufferOutputStream()
        pq.write_table(changed, sink)
    except (pa.ArrowException, OSError, ValueError, TypeError, IndexError, OverflowError):
        return "nothing"
    files[name] = sink.getvalue().to_pybytes()
    return f"{name}, a row: {said}"


def _changed_cell(value: dict[str, Any], rng: random.Random) -> str:
    """Change one member of an object, or of one in it."""
    keys = [key for key, inner in value.items() if inner is not None] or list(value)
    key = rng.choice(keys)
    inner = value[key]
    if isinstance(inner, dict) and inner and rng.random() < 0.85:
        return f"{key}: {_changed_cell(inner, rng)}"
    match inner:
        case bool():
            value[key] = rng.choice([None, not inner])
        case int():
            value[key] = rng.choice([None, 0, -1, inner + 1, 2**31, 2**62, -(2**63)])
        case str() if inner.startswith(("{", "[")):
            try:
                changed, _ = _changed(json.loads(inner), rng)
                value[key] = _odd_text(json.dumps(changed), rng)
            except (ValueError, RecursionError):
                value[key] = None
        case str():
            texts = [odd for odd in ODD_VALUES if isinstance(odd, str)]
            value[key] = rng.choice([None, *texts, inner.upper(), inner[:-1]])
        case list() if inner:
            value[key] = rng.choice([None, [], inner + inner, inner[:-1]])
        case _:
            value[key] = None
    return f"{key} changed"


def make_special(files: Files, rng: random.Random) -> str:
    """Have something else there than a file, under the name of one or a new one."""
    name = rng.choice([_any(files, rng) or ODD_NAMES[0], rng.choice(ODD_NAMES)])
    files[name] = rng.choice(SPECIAL)
    return f"{name!r} is a {files[name]!r}"


MUTATIONS: list[Mutation] = [
    flip_bytes, cut_bytes, move_lines, change_json, change_json, change_json, change_json,
    change_parquet, change_parquet, change_cells, change_cells, move_files, make_special,
]  # fmt: skip
