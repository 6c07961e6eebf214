import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from small_tables import (
    LEGACY,
    array,
    commit_info,
    field,
    mapped,
    mapping,
    metadata,
    protocol,
    struct,
    write_log,
)

import deltactl

INT_TO_LONG = {"fromType": "integer", "toType": "long"}
OLD = {"reader": ["typeWidening", "columnMapping"], "writer": ["appendOnly", "invariants"]}
MAPPING = {"columnMapping.mode": "name", "enableTypeWidening": "true"}
DOMAIN = {"domainMetadata": {"domain": "app", "configuration": "one", "removed": False}}

ORDERS = """\
orders   v0 → v4    2 widened · 1 renamed · 1 added · 1 dropped

    zone             string
    country          string
  - customer         string        values stay in the files
  ~ amount → amt     int → long    renamed; widened in v1
      typeChanges    + int → long
    items[]
  ~   .quantity      int → long    widened in v2
        typeChanges  + int → long
  + note             string        as it was typed

Protocol     3/7  + checkConstraints
Properties   + delta.appendOnly = true
Constraints  + positive: amt > 0
Table        + description = all of them
Domains      + app = one
Readers      open queries must refresh: customer, amt, items[].quantity

2 unchanged columns hidden (--all)
"""
NARROW = [
    "orders   v0 → v4    2 widened · 1 renamed · 1",
    "                  added · 1 dropped",
    "",
    "  - customer         string",
    "                       values stay in the files",
    "  ~ amount → amt     int → long",
    "                       renamed; widened in v1",
    "      typeChanges    + int → long",
    "    items[]",
    "  ~   .quantity      int → long",
    "                       widened in v2",
    "        typeChanges  + int → long",
    "  + note             string",
    "                       as it was typed",
    "",
    "Protocol     3/7  + checkConstraints",
    "Properties   + delta.appendOnly = true",
    "Constraints  + positive: amt > 0",
    "Table        + description = all of them",
    "Domains      + app = one",
    "Readers      open queries must refresh: customer,",
    "             amt, items[].quantity",
]
PATCH = """\
--- orders v0
+++ orders v4
@@ -3,18 +3,26 @@
 column zone string
 column country string
-column customer string
-column amount int
-column amount id 2, name in files 'c2'
+column amt long
+column amt typeChanges int → long
+column amt id 2, name in files 'c2'
 column items array
 column items.element struct
 column items.element.sku string
-column items.element.quantity int
+column items.element.quantity long
+column items.element.quantity typeChanges int → long
+column note string
+column note comment 'as it was typed'
 protocol 3/7
 feature appendOnly
+feature checkConstraints
 feature columnMapping
 feature domainMetadata
 feature invariants
 feature typeWidening
+property delta.appendOnly = true
 property delta.columnMapping.mode = name
 property delta.enableTypeWidening = true
+constraint positive: amt > 0
 name orders
+description all of them
+domain app = one
"""
MARKDOWN = """\
### `orders v0 → v4`

2 widened · 1 renamed · 1 added · 1 dropped

```diff
  zone             string
  country          string
- customer         string        values stay in the files
! amount → amt     int → long    renamed; widened in v1
+   typeChanges    + int → long
  items[]
!   .quantity      int → long    widened in v2
+     typeChanges  + int → long
+ note             string        as it was typed
```

- **Protocol** `3/7  + checkConstraints`
- **Properties** `+ delta.appendOnly = true`
- **Constraints** `+ positive: amt > 0`
- **Table** `+ description = all of them`
- **Domains** `+ app = one`
- **Readers** `open queries must refresh: customer, amt, items[].quantity`
"""
PATCHES = """\
v4  {time}  WRITE

  - customer      string  values stay in the files
  ~ amount → amt  long    renamed
  + note          string  as it was typed

Protocol     3/7  + checkConstraints
Properties   + delta.appendOnly = true
Constraints  + positive: amt > 0
Table        + description = all of them
Domains      + app = one

v3  {time}  WRITE

v2  {time}  WRITE

    items[]
  ~   .quantity      int → long    widened
        typeChanges  + int → long
"""


def items(quantity: dict) -> dict:
    return mapped("items", 5, "c5", array(struct(mapped("sku", 6, "c6", "string"), quantity)))


def named(action: dict, **more: str) -> dict:
    return {"metaData": {**action["metaData"], "name": "orders", **more}}


@pytest.fixture
def orders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    first = [mapped("id", 1, "c1", "long") | {"nullable": False}]
    first += [mapped(name, n, f"c{n}", "string") for n, name in enumerate(
        ("region", "zone", "country", "customer"), start=11)]  # fmt: skip
    amount, wide = mapped("amount", 2, "c2", "integer"), {"delta.typeChanges": [INT_TO_LONG]}
    widened = mapped("amount", 2, "c2", "long", **wide)
    old, new = mapped("quantity", 7, "c7", "integer"), mapped("quantity", 7, "c7", "long", **wide)
    note = mapped("note", 8, "c8", "string", comment="as it was typed")
    last = [*first[:-1], widened | {"name": "amt"}, items(new), note]
    properties = {**MAPPING, "constraints.positive": "amt > 0", "appendOnly": "true"}
    commits = [
        [protocol(**OLD), named(metadata(*first, amount, items(old), **MAPPING))],
        [named(metadata(*first, widened, items(old), **MAPPING))],
        [named(metadata(*first, widened, items(new), **MAPPING))],
        [],
        [
            protocol(**{**OLD, "writer": [*OLD["writer"], "checkConstraints", "domainMetadata"]}),
            named(metadata(*last, **properties), description="all of them"),
            DOMAIN,
        ],
    ]
    commits[0][0] = protocol(**{**OLD, "writer": [*OLD["writer"], "domainMetadata"]})
    folder = tmp_path / "orders"
    folder.mkdir()
    write_log(folder, [[commit_info(), *actions] for actions in commits])
    monkeypatch.chdir(tmp_path)
    return "orders"


def test_everything_that_differs(run, orders) -> None:
    result = run("diff", orders, "0")
    assert (result.exit_code, result.stdout, result.stderr) == (0, ORDERS, "")


def test_the_last_change_skips_commits_that_changed_rows(run, orders) -> None:
    head, *_ = run("diff", orders).stdout.splitlines()
    assert head == "orders   v3 → v4    1 renamed · 1 added · 1 dropped"
    head, *_ = run("diff", orders, "0", "3").stdout.splitlines()
    assert head == "orders   v0 → v3    2 widened"


@pytest.mark.parametrize(
    ("name", "args", "text"),
    [
        (
            "inv_tw_chain_broken",
            [],
            """\
inv_tw_chain_broken   v2 → v3    1 widened

    id             int
  ~ v              int → long     widened in v3
      typeChanges    short → int
                   ! int → int    is no widening; column is long

Readers  open queries must refresh: v
""",
        ),
        (
            "tw_dropped_checkpoint_protection",
            ["5", "6"],
            """\
tw_dropped_checkpoint_protection   v5 → v6    1 altered

    id             int
  ~ v              long
      typeChanges  - int → long

Readers  open queries continue
""",
        ),
        (
            "clustering",
            [],
            """\
clustering   v2 → v3

Clustered by  ~ k,id → s.x
Readers       open queries continue
""",
        ),
        (
            "unicode_schema",
            [],
            """\
unicode_schema   created as v0    4 added

  + 日本           int     コメント
  + `a.b`          string
  + `tick``s`      int
  + `UPPER lower`  struct
  +   .`x.y`       int

Protocol    2/7  + appendOnly  + columnMapping  + invariants
Properties  + delta.columnMapping.mode = name
            + my.prop = vålue
            + owner.team = data=plat,form
Table       + description = tablé "quoted"
""",
        ),
        (
            "tw_partitioned",
            ["0", "0"],
            "tw_partitioned   v0 → v0\n\nNo differences; rows are not compared.\n",
        ),
        (
            "check_constraints_invariants",
            ["0"],
            """\
check_constraints_invariants   v0 → v5    1 altered

  ~ id  int     nullable
    v   int
    s   struct

Protocol     1/2 → 1/3  + checkConstraints
Constraints  + positive: v > 0
Readers      open queries must refresh: id
""",
        ),
        (
            "many_ops_history",
            ["5", "5"],
            "many_ops_history   v5 → v5\n\nNo differences; rows are not compared.\n",
        ),
    ],
)
def test_of_tables_that_spark_wrote(run, golden, name, args, text) -> None:
    result = run("diff", golden(name), *args)
    assert (result.exit_code, result.stdout) == (0, text)


def test_a_log_that_no_longer_knows_the_last_change(run, golden) -> None:
    table = golden("vacuumed_log_only_checkpoint")
    result = run("diff", table)
    assert result.exit_code == 0
    head, _, said = result.stdout.splitlines()
    assert head == "vacuumed_log_only_checkpoint   v5 → v8"
    assert said == "No differences; rows are not compared."


def test_a_log_that_was_cleaned_up_to_between_two_checkpoints(run, orders) -> None:
    deltactl.open(orders).checkpoint()
    log = Path(orders, "_delta_log")
    deltactl.open(orders).properties.set({"k": "v"})
    for version in range(3):
        (log / f"{version:020}.json").unlink()
    result = run("diff", orders)
    assert result.exit_code == 0
    assert "v4 → v5" in result.stdout
    # What a version changed before the oldest that can be rebuilt is known to nobody.
    (log / f"{5:020}.json").unlink()
    result = run("diff", orders)
    assert (result.exit_code, result.stdout) == (
        0, "orders   v4 → v4\n\nNo differences; rows are not compared.\n"
    )  # fmt: skip
    assert "what version 4 changed is not known" in result.stderr
    assert "[CHANGE_NOT_KNOWN]" in result.stderr


@pytest.mark.parametrize(
    ("args", "versions"),
    [
        (["@prev"], "v3 → v4"),
        (["-4"], "v0 → v4"),
        (["--all", "-4", "-1"], "v0 → v3"),
        (["-4", "--context", "1", "@prev"], "v0 → v3"),
        (["--", "-2", "-0"], "v2 → v4"),
    ],
    ids=str,
)
def test_versions_counted_from_the_newest(run, orders, args, versions) -> None:
    result = run("diff", orders, *args)
    assert (result.exit_code, result.stdout.split("   ")[1]) == (0, versions)
    head, *_ = run("schema", "diff", orders, *args).stdout.split("    ")
    assert head == f"orders   {versions}"


def test_more_versions_back_than_there_are(run, orders) -> None:
    result = run("diff", orders, "-5")
    assert result.stderr == (
        "error: there are no 5 versions before the newest, 4 [VERSION_NOT_FOUND]\n"
        "hint: deltactl history orders lists the versions that there are\n"
    )


def test_two_tables(run, orders, golden) -> None:
    first = golden("crc_good")
    result = run("diff", first, "0", "orders")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:6] == [
        f"A  {Path(first).absolute()}  v0",
        f"B  {Path('orders').absolute()}  v4",
        "",
        "crc_good   A → B    1 widened · 6 added",
        "",
        "  ~ id           int → long     widened; not null",
    ]
    assert "Readers" not in result.stdout


def test_how_much_stands_around(run, orders) -> None:
    lines = run("diff", orders, "0", "--all").stdout.splitlines()
    assert lines[2:5] == [
        "    id               long not null",
        "    region           string",
        "    zone             string",
    ]
    assert "      .sku           string" in lines
    assert "hidden" not in lines[-1]
    lines = run("diff", orders, "0", "--context", "0").stdout.splitlines()
    assert lines[2] == "  - customer         string        values stay in the files"
    lines = run("diff", orders, "0", "--context", "3").stdout.splitlines()
    assert lines[-1] == "1 unchanged column hidden (--all)"


def test_a_narrow_terminal(run, orders, monkeypatch, on_terminal) -> None:
    wide = [line.rstrip() for line in ORDERS.splitlines()]
    assert on_terminal("diff", orders, "0") == wide
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", "50")
        patch.setattr("deltactl.cli.process.output.is_terminal", lambda stream: stream is not None)
        shown = run("diff", orders, "0", "--context", "0", "--no-color").stdout
    assert [line.rstrip() for line in shown.splitlines()] == NARROW


def test_colours(run, orders, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("deltactl.cli.process.output.is_terminal", lambda stream: True)
    shown = run("diff", orders, "0").stdout
    assert "\x1b[31m  - \x1b[0m\x1b[31mcustomer" in shown
    assert "\x1b[32m  + \x1b[0m\x1b[32mnote" in shown
    assert "\x1b[1" not in shown.partition("\n")[2], "nothing but the name of the table is bold"


def test_a_long_title_folds_before_its_numbers(run, orders, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(
        "deltactl.cli.process.output.is_terminal", lambda stream: stream is not None
    )
    shown = run("diff", orders, "0", "--no-color").stdout.splitlines()
    assert [line.rstrip() for line in shown[:4]] == [
        "orders   v0 → v4    2 widened · 1",
        "                  renamed · 1 added · 1",
        "                  dropped",
        "",
    ]
    shown = run("column", "rename", orders, "zone", "z", "--dry-run", "--no-color").stdout
    assert [line.rstrip() for line in shown.splitlines()[:2]] == [
        "orders   v4 → v5   RENAME COLUMN",
        "            1 renamed",
    ]


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ("items[].QUANTITY", 0, "items.element.quantity is long"),
        ("items[].nope", 3, "no column items[].nope: items.element has no nope"),
        ("items[][]", 3, "no column items[][]: items.element has no element"),
        ("note[]", 3, "no column note[]: note is string and has nothing below it"),
        ("[]", 3, "no column []"),
    ],
)
def test_a_path_can_be_typed_as_a_diff_writes_it(run, orders, typed, code, said) -> None:
    result = run("schema", "types", orders, typed)
    assert (result.exit_code, said in result.stdout + result.stderr) == (code, True)


def test_a_name_that_ends_with_brackets_is_a_name(run, tmp_path) -> None:
    columns = [field("a", array("integer")), field("a[]", "string")]
    write_log(tmp_path, [[commit_info(), LEGACY, metadata(*columns)]])
    result = run("schema", "types", str(tmp_path), "a[]")
    assert "a[] is string" in result.stdout + result.stderr


def test_a_plan_writes_a_path_in_one_way(run, orders) -> None:
    drop = run("column", "rename", orders, "items.element.quantity", "n", "--dry-run").stdout
    assert "    items[]\n  ~   .quantity → n  long  renamed\n" in drop
    assert "\nReaders     open queries must refresh: items[].n\n" in drop


def test_side_by_side_needs_room(run, orders, monkeypatch) -> None:
    shown = run("diff", orders, "0", "--side-by-side").stdout
    assert "VERSION 0 " in shown
    assert "\nReaders" not in shown, "each row says it"
    monkeypatch.setenv("COLUMNS", "119")
    monkeypatch.setattr("deltactl.cli.process.output.is_terminal", lambda stream: True)
    result = run("diff", orders, "0", "--side-by-side", "--no-color")
    assert "note: --side-by-side needs 120 columns; this terminal has 119\n" in result.stderr
    assert "VERSION 0 " not in result.stdout


def test_as_a_patch(run, orders) -> None:
    result = run("diff", orders, "0", "-o", "patch")
    assert (result.exit_code, result.stdout, result.stderr) == (0, PATCH, "")
    schema = run("schema", "diff", orders, "0", "-o", "patch").stdout
    assert "+column note string\n" in schema
    assert "property" not in schema


def test_as_markdown(run, orders) -> None:
    result = run("diff", orders, "0", "-o", "markdown")
    assert (result.exit_code, result.stdout, result.stderr) == (0, MARKDOWN, "")


def test_other_commands_have_no_such_format(run, orders) -> None:
    before = sorted(Path(orders, "_delta_log").iterdir())
    result = run("column", "drop", orders, "note", "--yes", "-o", "patch")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error: -o patch is for diff and schema diff, not for column drop "
        "[OUTPUT_NOT_OF_COMMAND]\nhint: choose one of text, json, ndjson\n"
    )
    assert sorted(Path(orders, "_delta_log").iterdir()) == before


def test_the_document(run, orders, valid_document) -> None:
    document = valid_document("diff", run("diff", orders, "0", "-o", "json").stdout)
    assert (document["from"]["version"], document["to"]["version"]) == (0, 4)
    changes = {(c["kind"], c["path"]): c["typeChanges"] for c in document["schemaChanges"]}
    change = {**INT_TO_LONG, "fieldPath": None, "tableVersion": None}
    assert changes["widened", "amt"] == {"before": [], "after": [change]}
    assert changes["renamed", "amt"] == {"before": [], "after": [change]}
    assert changes["added", "note"] == {"before": [], "after": []}
    assert document["propertyChanges"] == [
        {"key": "delta.constraints.positive", "before": None, "after": "amt > 0"},
        {"key": "delta.appendOnly", "before": None, "after": "true"},
    ]
    assert document["tableChanges"] == [
        {"path": "description", "before": None, "after": "all of them"}
    ]
    assert document["domainChanges"] == [{"domain": "app", "before": None, "after": "one"}]
    assert document["clusteringColumns"] is None
    assert "checkConstraints" in document["protocolChange"]["after"]["writerFeatures"]


def test_a_table_that_was_just_created(run, golden, valid_document) -> None:
    document = valid_document("diff", run("diff", golden("unicode_schema"), "-o", "json").stdout)
    assert (document["from"]["version"], document["to"]["version"]) == (None, 0)


@pytest.mark.parametrize(("args", "exit_code"), [(["0"], 5), (["4", "4"], 0), ([], 5)], ids=str)
def test_the_exit_code_tells(run, orders, args, exit_code) -> None:
    assert run("diff", orders, *args).exit_code == 0
    assert run("diff", orders, *args, "--exit-code").exit_code == exit_code


@pytest.mark.parametrize(
    ("args", "exit_code", "code"),
    [
        (["99"], 3, "VERSION_NOT_FOUND"),
        (["0", "99"], 3, "VERSION_NOT_FOUND"),
        (["-5"], 3, "VERSION_NOT_FOUND"),
        (["0", "-9999999999999999999999"], 2, "USAGE"),
        (["0", "-x"], 2, "USAGE"),
        (["2d"], 3, "TIMESTAMP_BEFORE_HISTORY"),
        (["0", "./nope"], 3, "TABLE_NOT_FOUND"),
        (["2026-13-01"], 2, "USAGE"),
        (["0", "--context", "-1"], 2, "USAGE"),
    ],
    ids=str,
)
def test_mistakes(run, orders, args, exit_code, code) -> None:
    result = run("diff", orders, *args, "-o", "json")
    assert (result.exit_code, result.document["error"]["code"]) == (exit_code, code)


def test_from_python(orders) -> None:
    reports = deltactl.open(orders).reports
    found = reports.last_change()
    assert (found.before.version, found.after.version) == (3, 4)
    assert [change.path for change in found.differences.schema_changes] == [
        "customer", "amt", "note",
    ]  # fmt: skip
    assert [change.name for change in reports.diff(0).differences.constraints] == ["positive"]
    assert [change.path for change in reports.schema_diff(3).changes] == ["customer", "amt", "note"]


def test_history_shows_it_for_each_commit(run, orders) -> None:
    result = run("history", orders, "--patch", "-n", "3")
    assert result.exit_code == 0
    shown = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z", "{time}", result.stdout)
    assert shown == PATCHES
    plain, patch = (run("history", orders, *more, "-o", "json").stdout for more in ([], ["-p"]))
    assert json.loads(plain) == json.loads(patch)


def test_a_column_deeper_than_pythons_stack(run, tmp_path) -> None:
    deep: object = "integer"
    wide: object = "long"
    for _ in range(100):
        deep, wide = struct(field("a", deep)), struct(field("a", wide))
    write_log(tmp_path, [
        [commit_info(), {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
         metadata(field("a", deep))],
        [commit_info(), metadata(field("a", wide))],
    ])  # fmt: skip
    result = run("diff", str(tmp_path))
    assert result.exit_code == 0
    assert "int → long" in result.stdout


def test_lengths_of_texts(run, tmp_path) -> None:
    texts = ("varchar(5)", "varchar(9)", "any → text → at all")
    columns = [field("v", "string", __CHAR_VARCHAR_TYPE_STRING=text) for text in texts]
    heads = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
    commits = [[commit_info(), metadata(column)] for column in columns]
    commits[0].append(heads)
    write_log(tmp_path, commits)
    assert "  ~ v  varchar(5) → varchar(9)\n" in run("diff", str(tmp_path), "0", "1").stdout
    lines = run("diff", str(tmp_path), "0", "1", "-o", "patch").stdout.splitlines()
    assert lines[3:5] == ["-column v varchar(5)", "+column v varchar(9)"]
    strange = run("diff", str(tmp_path), "1", "2")
    assert strange.exit_code == 0
    assert "  ~ v  varchar(9) → any → text → at all\n" in strange.stdout


def test_a_patch_of_many_columns_that_changed_here_and_there(run, tmp_path) -> None:
    names = [f"c{n}" for n in range(6000)]
    old = [field(name, "integer") for name in names]
    new = [field(name, "long" if n % 2 else "integer") for n, name in enumerate(names)]
    write_log(tmp_path, [[commit_info(), LEGACY, metadata(*old)], [commit_info(), metadata(*new)]])
    started = time.process_time()
    lines = run("diff", str(tmp_path), "0", "-o", "patch", "--context", "1").stdout.splitlines()
    assert time.process_time() - started < 30, "difflib's own search takes a minute and more"
    assert lines[2:7] == [
        "@@ -1,6001 +1,6001 @@",
        " column c0 int",
        "-column c1 int",
        "+column c1 long",
        " column c2 int",
    ]
    assert sum(line.startswith("+column") for line in lines) == 3000


def test_a_patch_tells_a_new_column_from_a_dropped_one_of_its_name(run, tmp_path) -> None:
    old = [mapped("a", 1, "c1", "string"), mapped("b", 2, "c2", "string")]
    new = [mapped("a", 3, "c3", "string"), old[1], mapped("d", 4, "c4", "string")]
    commits = [[protocol(**OLD), metadata(*old, **MAPPING)], [metadata(*new, **MAPPING)]]
    write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    lines = run("diff", str(tmp_path), "-o", "patch").stdout.splitlines()
    assert lines[3:8] == [
        " column a string",
        "-column a id 1, name in files 'c1'",
        "+column a id 3, name in files 'c3'",
        " column b string",
        "+column d string",
    ]


def many_columns(folder: Path, number: int) -> str:
    """Make a table of so many columns, all of which version 1 widened."""
    old = [field(f"c{n}", "integer") for n in range(number)]
    change = {"delta.typeChanges": [INT_TO_LONG]}
    new = [field(f"c{n}", "long", **change) for n in range(number)]
    settings = {"enableTypeWidening": "true"}
    head = protocol(reader=["typeWidening"], writer=["appendOnly"])
    commits = [[head, metadata(*old, **settings)], [metadata(*new, **settings)]]
    return write_log(folder, [[commit_info(), *actions] for actions in commits])


def program(*args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "deltactl", *args]
    return subprocess.Popen(command, stdout=-1, stderr=-1, text=True)


def test_a_long_diff_whose_reader_leaves(tmp_path) -> None:
    child = program("diff", many_columns(tmp_path, 3000))
    assert child.stdout is not None
    assert child.stderr is not None
    assert child.stdout.readline() == f"{tmp_path.name}   v0 → v1    3,000 widened\n"
    child.stdout.close()
    assert (child.wait(60), child.stderr.read()) == (141, "")
    child.stderr.close()


def test_a_long_diff_that_is_interrupted(tmp_path) -> None:
    child = program("diff", many_columns(tmp_path, 3000))
    assert child.stdout is not None
    assert child.stderr is not None
    assert child.stdout.readline()
    # The pipe is full, and the rest waits for its reader.
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said) == (130, "error: interrupted [INTERRUPTED]\n")


def test_a_plan_of_500_columns_names_a_few(run, tmp_path) -> None:
    columns = [field(f"c{n}", "integer") for n in range(500)]
    head = protocol(reader=["typeWidening"], writer=["appendOnly"])
    first = [commit_info(), head, metadata(*columns, enableTypeWidening="true")]
    wanted = [word for n in range(500) for word in (f"c{n}", "long")]
    result = run("widen", write_log(tmp_path, [first]), *wanted, "--dry-run")
    title, changed, more, facts, last = result.stdout.split("\n\n")
    assert title == f"{tmp_path}   v0 → v1   CHANGE COLUMNS    500 widened"
    assert changed.splitlines()[-2:] == [
        "  ~ c19            int → long    widened",
        "      typeChanges  + int → long",
    ]
    assert len(changed.splitlines()) == 40
    assert more == "and 480 more columns"
    readers = "open queries must refresh: " + ", ".join(f"c{n}" for n in range(20))
    assert f"Readers     {readers} and 480 more\n" in facts
    assert last == "Dry run: nothing was written; the table is at version 0.\n"


def test_a_patch_in_several_hunks(run, tmp_path) -> None:
    old = [field(name, "string") for name in "abcdefgh"]
    new = [field("x", "string"), *old[:5], *old[6:], field("f", "string")]
    write_log(tmp_path, [[commit_info(), LEGACY, metadata(*old)], [commit_info(), metadata(*new)]])
    shown = run("diff", str(tmp_path), "0", "-o", "patch", "--context", "1").stdout
    assert shown.partition("\n@@")[2] == (
        " -1 +1,2 @@\n+column x string\n column a string\n"
        "@@ -5,5 +6,5 @@\n column e string\n-column f string\n column g string\n"
        " column h string\n+column f string\n protocol 1/2\n"
    )


def test_a_patch_of_a_new_table_is_one_from_nothing(run, tmp_path) -> None:
    write_log(tmp_path, [[commit_info(), LEGACY, metadata(field("a", "string"))]])
    shown = run("diff", str(tmp_path), "-o", "patch").stdout.splitlines()
    assert shown[:4] == [
        "--- /dev/null",
        f"+++ {tmp_path.name} v0",
        "@@ -0,0 +1,4 @@",
        "+column a string",
    ]


def test_markdown_that_has_nothing_to_say_says_so(run, golden) -> None:
    table = golden("many_ops_history")
    shown = run("diff", table, "5", "5", "-o", "markdown").stdout
    assert shown == "### `many_ops_history v5 → v5`\n\nNo differences; rows are not compared.\n"
    shown = run("schema", "diff", table, "5", "5", "-o", "markdown").stdout
    assert shown == "### `many_ops_history v5 → v5`\n\nThe schemas are the same.\n"


def test_type_changes_that_came_without_a_change_of_type(run, tmp_path) -> None:
    recorded = field("a", "long", **{"delta.typeChanges": [INT_TO_LONG]})
    element = {**INT_TO_LONG, "fieldPath": "element"}
    items = [
        field("i", array("long")),
        field("i", array("long"), **{"delta.typeChanges": [element]}),
    ]
    broken = field("j", "long", **{"delta.typeChanges": "junk"})
    before = metadata(field("a", "long"), items[0], field("j", "long"))
    after = metadata(recorded, items[1], broken)
    write_log(tmp_path, [[commit_info(), LEGACY, before], [commit_info(), after]])
    result = run("diff", str(tmp_path), "0", "--exit-code")
    assert (result.exit_code, result.stdout.splitlines()[2:8]) == (
        5,
        [
            "  ~ a              long",
            "      typeChanges  + int → long",
            "  ~ i              array<long>",
            "    i[]",
            "      typeChanges  + int → long",
            "  ~ j              long          type changes recorded",
        ],
    )


def test_what_became_not_null_does_not_look_as_if_it_was(run, tmp_path) -> None:
    old, new = field("a", "integer"), field("a", "integer") | {"nullable": False}
    write_log(tmp_path, [[commit_info(), LEGACY, metadata(old)], [commit_info(), metadata(new)]])
    assert run("diff", str(tmp_path), "0").stdout.splitlines()[2] == "  ~ a  int  not null"


def test_side_by_side_says_that_column_mapping_came(run, tmp_path) -> None:
    old, new = field("a", "string"), mapped("a", 1, "a", "string")
    commits = [[LEGACY, metadata(old)], [protocol(**OLD), metadata(new, **MAPPING)]]
    write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    shown = run("diff", str(tmp_path), "0", "--side-by-side").stdout
    assert shown.splitlines()[2] == "Column mapping switched on (1 column gets an id)"


OFF = """\
{name}   v0 → v1    1 renamed

Column mapping switched off (2 columns lose their ids)

    a      string
  ~ c → b  string  renamed

Protocol    3/7 → 1/7  - columnMapping  - typeWidening
Properties  - delta.columnMapping.mode = name
            - delta.enableTypeWidening = true
Readers     open queries must refresh: b
"""


def test_column_mapping_that_was_switched_off_is_one_line(run, tmp_path) -> None:
    old = [mapped("a", 1, "a", "string"), mapped("c", 2, "b", "string")]
    new = [field("a", "string"), field("b", "string")]
    without = protocol(writer=OLD["writer"])
    commits = [[protocol(**OLD), metadata(*old, **MAPPING)], [without, metadata(*new)]]
    write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    assert run("diff", str(tmp_path)).stdout == OFF.format(name=tmp_path.name)
    beside = run("diff", str(tmp_path), "--side-by-side").stdout.splitlines()
    assert beside[2] == "Column mapping switched off (2 columns lose their ids)"
    line = run("history", str(tmp_path), "-n", "1").stdout.splitlines()[1]
    assert "  column mapping switched off (2 columns lose their ids); c renamed b; " in line


RETYPED = """\
  ~ s         struct → string         type replaced
  -   .a      int
  -   .b      array<struct>
  -     .x    string
  ~ t         string → struct         type replaced
  +   .a      int
  +   .b      array<struct>
  +     .x    string
  ~ u         array<struct> → struct  type replaced
  -   .x      string
  +   .y      string
  ~ m         map → string            type replaced
  -   .key    string
  -   .value  long
    k         long
"""


def test_a_struct_that_was_retyped_shows_its_fields(run, tmp_path) -> None:
    x, y = struct(field("x", "string")), struct(field("y", "string"))
    s, m = struct(field("a", "integer"), field("b", array(x))), mapping("string", "long")
    old = [field("s", s), field("t", "string"), field("u", array(x)), field("m", m)]
    new = [field("s", "string"), field("t", s), field("u", y), field("m", "string")]
    k = field("k", "long")
    commits = [[LEGACY, metadata(*old, k)], [metadata(*new, k)]]
    write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    title, columns, _ = run("diff", str(tmp_path)).stdout.split("\n\n")
    assert title == f"{tmp_path.name}   v0 → v1    4 retyped"
    assert f"{columns}\n" == RETYPED


def test_a_new_table_says_what_it_is_partitioned_by(run, tmp_path) -> None:
    first = metadata(field("a", "string"), field("p", "integer"))
    first["metaData"] |= {"partitionColumns": ["p", "a"], "description": "all", "name": "t"}
    second = {"metaData": {**first["metaData"], "partitionColumns": ["p"]}}
    write_log(tmp_path, [[commit_info(), LEGACY, first], [commit_info(), second]])
    created = json.loads(run("history", str(tmp_path), "-o", "ndjson").stdout.splitlines()[1])
    assert created["tableChanges"] == [
        {"path": "description", "before": None, "after": "all"},
        {"path": "partitionColumns", "before": None, "after": ["p", "a"]},
    ]
    lines = [line.rpartition("  ")[2] for line in run("history", str(tmp_path)).stdout.splitlines()]
    assert lines[1:] == [
        "partitioned by p, a → p",
        "created with 2 columns; protocol 1/2; description = all; partitioned by p, a",
    ]
    assert run("diff", str(tmp_path)).stdout.split("\n\n")[1] == (
        "Partitioned by  ~ p, a → p\nReaders         open queries continue\n"
    )
    Path(tmp_path, "_delta_log", f"{1:020}.json").unlink()
    assert (
        run("diff", str(tmp_path)).stdout
        == """\
t   created as v0    2 added

  + a  string
  + p  int

Protocol        1/2  + appendOnly  + invariants
Table           + description = all
Partitioned by  + p, a
"""
    )


def test_a_table_has_the_name_that_it_got(run, tmp_path) -> None:
    old, new = metadata(field("a", "string")), metadata(field("a", "string"))
    old["metaData"]["name"], new["metaData"]["name"] = "orders", "sales"
    write_log(tmp_path, [[commit_info(), LEGACY, old], [commit_info(), new]])
    lines = run("diff", str(tmp_path), "0").stdout.splitlines()
    assert (lines[0], lines[2]) == ("sales   v0 → v1", "Table    ~ name = orders → sales")
    document = run("diff", str(tmp_path), "0", "-o", "json").document
    assert document["table"]["name"] == "sales"
    shown = run("diff", str(tmp_path), "-o", "patch").stdout.splitlines()
    assert shown[:2] == ["--- orders v0", "+++ sales v1"]


def test_a_type_change_that_is_recorded_twice_is_no_difference(run, tmp_path) -> None:
    both = field("a", "long", **{"delta.typeChanges": [INT_TO_LONG, INT_TO_LONG]})
    added = field("b", "string")
    commits = [[LEGACY, metadata(both)], [metadata(both, added)]]
    write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    shown = run("diff", str(tmp_path), "0", "-o", "patch").stdout.splitlines()
    assert [line for line in shown[3:] if line[0] != " "] == ["+column b string"]


def test_type_changes_of_elements_that_were_pruned_are_named(run, tmp_path) -> None:
    element = {**INT_TO_LONG, "fieldPath": "element"}
    held = field("i", array("long"), **{"delta.typeChanges": [element]})
    commits = [[LEGACY, metadata(held)], [metadata(field("i", array("long")))]]
    write_log(tmp_path, [[commit_info(), *actions] for actions in commits])
    assert run("diff", str(tmp_path), "0").stdout.splitlines()[2:5] == [
        "  ~ i              array<long>",
        "    i[]",
        "      typeChanges  - int → long",
    ]
