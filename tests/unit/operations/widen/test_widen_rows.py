"""The matrix of type widening, row by row: what Spark and the protocol do, deltactl plans."""

import functools
import json
from pathlib import Path
from typing import Any

import pytest
from small_tables import (
    LEGACY,
    Action,
    Field,
    array,
    field,
    mapped,
    mapping,
    metadata,
    protocol,
    struct,
    write_log,
)
from widened import change, codes, committed, fields, on, planned, spark_config

from deltactl.cli.render.consent_reasons import consent_reasons
from deltactl.operations.widen.widen import plan_widen
from deltactl.spec.actions.action import Protocol
from deltactl.table.table import open_table
from deltactl.text.hints import text_of

LEGACY_2_5 = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
PREVIEW = ("typeWidening-preview",)


def old(name: str, data_type: Any, *changes: dict[str, Any], **metadata: Any) -> Field:
    """A field as it is to be, with its entries."""
    return field(name, data_type, **{"delta.typeChanges": list(changes)}, **metadata)


def after(plan: Any) -> Protocol:
    assert plan.protocol is not None
    found = plan.protocol
    assert isinstance(found, Protocol)
    return found


@pytest.fixture
def widen(tmp_path: Path) -> Any:
    return functools.partial(planned, tmp_path)


def test_row_1_without_the_feature_it_is_refused_with_the_way_to_get_it(widen) -> None:
    plan = widen([LEGACY, metadata(field("a", "byte"))], "a short")
    assert codes(plan) == ["TYPE_WIDENING_NOT_SUPPORTED", "TYPE_WIDENING_NOT_ENABLED"]
    assert [text_of(refusal.hint) for refusal in plan.refusals] == [
        "add --enable, or first: deltactl protocol enable TABLE typeWidening"
    ] * 2


def test_row_2_and_64_enabling_a_legacy_table_in_the_same_commit(widen) -> None:
    plan = widen([LEGACY, metadata(field("a", "byte"))], "a short", enabling=True)
    assert codes(plan) == []
    assert after(plan).to_json() == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["typeWidening"],
        "writerFeatures": ["appendOnly", "invariants", "typeWidening"],
    }
    assert plan.metadata.configuration == {"delta.enableTypeWidening": "true"}
    assert fields(plan)["a"] == old("a", "short", change("byte", "short"))
    assert [kind for kind, _ in plan.actions()] == ["protocol", "metaData"]


def test_row_3_what_the_old_version_implied_is_written_out(widen) -> None:
    plan = widen([LEGACY_2_5, metadata(field("a", "byte"))], "a short", enabling=True)
    assert after(plan).to_json() == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["columnMapping", "typeWidening"],
        "writerFeatures": [
            "appendOnly", "changeDataFeed", "checkConstraints", "columnMapping",
            "generatedColumns", "invariants", "typeWidening",
        ],
    }  # fmt: skip


def test_row_4_a_table_with_the_preview_stays_with_it(widen) -> None:
    table = [protocol(reader=PREVIEW), metadata(field("a", "byte"))]
    plan = widen(table, "a short", enabling=True)
    assert (codes(plan), plan.protocol) == ([], None)
    assert plan.metadata.configuration == {"delta.enableTypeWidening": "true"}


def test_row_5_a_property_that_is_neither_true_nor_false(widen, tmp_path) -> None:
    table = on(field("a", "byte"), enableTypeWidening="bla")
    plan = widen(table, "a short")
    assert codes(plan) == ["TYPE_WIDENING_NOT_ENABLED"]
    assert plan.refusals[0].message == "a: the property delta.enableTypeWidening is bla"


def test_row_6_one_entry_a_commit_oldest_first(tmp_path) -> None:
    uri = write_log(tmp_path, [on(field("a", "byte"))])
    for version, name in enumerate(["smallint", "int32", "BIGINT"], 1):
        assert committed(uri, lambda d, n=name: plan_widen(d, spark_config(f"a {n}"))) == version
    schema = open_table(uri).snapshot().metadata.schema_string
    assert json.loads(schema)["fields"] == [
        old(
            "a",
            "long",
            change("byte", "short", version=1),
            change("short", "integer", version=2),
            change("integer", "long", version=3),
        )
    ]


@pytest.mark.parametrize("name", ["long", "BIGINT", "int64"])
def test_row_7_a_column_that_has_the_type_stays(widen, name) -> None:
    plan = widen(on(field("a", "long")), f"a {name}")
    assert (plan.is_empty, codes(plan), plan.warnings, plan.undo) == (True, [], (), None)


ALLOWED = [
    ("9", "integer", "double"),
    ("9", "integer", "decimal(10,0)"),
    ("9", "integer", "decimal(12,2)"),
    ("9", "byte", "decimal(10,0)"),
    ("9", "short", "decimal(10,0)"),
    ("11", "long", "decimal(20,0)"),
    ("12", "decimal(5,2)", "decimal(7,4)"),
    ("12", "decimal(7,4)", "decimal(8,5)"),
    ("14", "float", "double"),
]
FORBIDDEN = [
    ("8", "long", "integer"),
    ("10", "integer", "decimal(9,0)"),
    ("10", "integer", "decimal(10,2)"),
    ("10", "byte", "decimal(3,0)"),  # it would hold every byte
    ("11", "long", "decimal(19,0)"),
    ("11", "long", "double"),
    ("12", "decimal(7,4)", "decimal(6,3)"),
    ("13", "decimal(9,2)", "decimal(9,3)"),
    ("13", "decimal(9,2)", "decimal(10,4)"),
    ("13", "decimal(18,2)", "decimal(12,1)"),
    ("14", "integer", "float"),
    ("14", "double", "float"),
    ("17", "date", "timestamp"),
    ("17", "timestamp", "timestamp_ntz"),
    ("17", "timestamp_ntz", "timestamp"),
    ("17", "integer", "string"),
    ("17", "string", "varchar(9)"),
]


@pytest.mark.parametrize(("row", "before", "name"), ALLOWED)
def test_rows_9_to_14_allowed(widen, row, before, name) -> None:
    plan = widen(on(field("a", before)), f"a {name}")
    assert codes(plan) == []
    assert fields(plan)["a"] == old("a", name, change(before, name))


@pytest.mark.parametrize(("row", "before", "name"), FORBIDDEN)
def test_rows_8_to_17_forbidden(widen, row, before, name) -> None:
    plan = widen(on(field("a", before)), f"a {name}")
    assert codes(plan) == ["ILLEGAL_WIDENING"]
    expected = f"a is {before}, which cannot become {name} without rewriting data"
    assert plan.refusals[0].message == expected.replace("integer", "int")


def test_row_15_a_date_needs_the_feature_of_the_new_type(widen) -> None:
    plan = widen(on(field("d", "date")), "d timestamp_ntz")
    assert codes(plan) == ["TIMESTAMP_NTZ_NOT_SUPPORTED"]
    expected = "add --enable, or first: deltactl protocol enable TABLE timestampNtz"
    assert text_of(plan.refusals[0].hint) == expected


def test_row_15_enabling_adds_it(widen) -> None:
    plan = widen(on(field("d", "date")), "d timestamp_ntz", enabling=True)
    assert codes(plan) == []
    assert after(plan).to_json() == {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["typeWidening", "timestampNtz"],
        "writerFeatures": ["typeWidening", "timestampNtz"],
    }


def test_row_16_a_date_on_a_table_that_has_the_feature(widen) -> None:
    plan = widen(on(field("d", "date"), also=["timestampNtz"]), "d timestamp_ntz")
    assert (codes(plan), plan.protocol) == ([], None)
    assert fields(plan)["d"] == old("d", "timestamp_ntz", change("date", "timestamp_ntz"))


def test_row_18_below_structs_the_entry_goes_onto_the_field(widen) -> None:
    inner = field("l", array(struct(field("q", "integer"))))
    plan = widen(on(field("s", struct(field("x", "short"), inner))), "s.x long, s.l.element.q long")
    assert codes(plan) == []
    q = old("q", "long", change("integer", "long"))
    x = old("x", "long", change("short", "long"))
    assert fields(plan)["s"] == field("s", struct(x, field("l", array(struct(q)))))


def test_row_19_below_maps_and_arrays_it_goes_onto_the_column(widen) -> None:
    table = on(field("m", mapping("byte", array("short"))), field("ar", array("integer")))
    # As typed the value comes first; in the metadata the key does.
    plan = widen(table, "m.value.element long, m.key int, ar.element double")
    assert codes(plan) == []
    assert fields(plan) == {
        "m": old(
            "m",
            mapping("integer", array("long")),
            change("byte", "integer", "key"),
            change("short", "long", "value.element"),
        ),
        "ar": old("ar", array("double"), change("integer", "double", "element")),
    }


def test_row_20_a_map_in_an_array(widen) -> None:
    table = on(field("am", array(mapping("string", "decimal(6,2)"))))
    plan = widen(table, "am.element.value decimal(10,4)")
    assert fields(plan)["am"] == old(
        "am",
        array(mapping("string", "decimal(10,4)")),
        change("decimal(6,2)", "decimal(10,4)", "element.value"),
    )


def test_row_21_fields_with_the_names_of_parts(widen) -> None:
    names = ("element", "key", "value")
    plan = widen(
        on(field("s", struct(*(field(name, "byte") for name in names)))),
        ", ".join(f"s.{name} short" for name in names),
    )
    inside = [old(name, "short", change("byte", "short")) for name in names]
    assert fields(plan)["s"] == field("s", struct(*inside))


def test_row_22_what_has_parts_is_not_widened_as_a_whole(widen) -> None:
    table = on(
        field("ar", array("byte")),
        field("m", mapping("byte", "byte")),
        field("s", struct(field("x", "byte"))),
    )
    plan = widen(table, "ar long, m long, s long")
    assert codes(plan) == ["NOT_A_SINGLE_VALUE"] * 3
    assert [text_of(refusal.hint) for refusal in plan.refusals] == [
        "name what is inside: ar.element",
        "name what is inside: m.key or m.value",
        "name what is inside: s.FIELD",
    ]


def test_row_23_a_column_that_is_not_there(widen) -> None:
    plan = widen(on(field("amount", "integer")), "amuont long")
    assert codes(plan) == ["COLUMN_NOT_FOUND"]
    assert text_of(plan.refusals[0].hint) == "did you mean amount?"
    assert plan.error().exit_code == 3


def preview(*features: str) -> list[Action]:
    settings = {"enableTypeWidening": "true"}
    return [protocol(reader=[*PREVIEW, *features]), metadata(field("e", "short"), **settings)]


@pytest.mark.parametrize("features", [[], ["typeWidening"]], ids=["row 24", "row 25"])
def test_rows_24_and_25_each_entry_has_the_version_of_its_commit(tmp_path, features) -> None:
    uri = write_log(tmp_path, [preview(*features)])
    committed(uri, lambda draft: plan_widen(draft, spark_config("e int")))
    committed(uri, lambda draft: plan_widen(draft, spark_config("e long")))
    schema = json.loads(open_table(uri).snapshot().metadata.schema_string)
    entries = [change("short", "integer", version=1), change("integer", "long", version=2)]
    assert schema["fields"] == [old("e", "long", *entries)]


def test_row_26_after_a_lost_race_the_version_is_that_of_the_commit(tmp_path) -> None:
    uri = write_log(tmp_path, [preview()])

    def planner(draft: Any) -> Any:
        plan = plan_widen(draft, spark_config("e int"))
        if draft.version < 3:
            log = Path(uri, "_delta_log", f"{draft.version:020d}.json")
            log.write_text('{"commitInfo":{"operation":"WRITE","operationParameters":{}}}\n')
        return plan

    assert committed(uri, planner) == 3
    schema = json.loads(open_table(uri).snapshot().metadata.schema_string)
    assert schema["fields"] == [old("e", "integer", change("short", "integer", version=3))]


# With what is said of the readers that then cannot open the table.
PARTITIONS = [
    ("short", "integer", set()),
    ("date", "timestamp_ntz", {"PARTITION_DATE"}),
    ("decimal(5,2)", "decimal(7,2)", set()),
    ("decimal(5,2)", "decimal(7,4)", {"PARTITION_SCALE"}),
    ("integer", "decimal(10,0)", set()),
    ("integer", "decimal(12,2)", {"PARTITION_SCALE"}),
    ("float", "double", set()),
]


def by(column: str, table: list[Action]) -> list[Action]:
    table[1]["metaData"]["partitionColumns"] = [column]
    return table


@pytest.mark.parametrize(("before", "name", "said"), PARTITIONS)
def test_rows_27_and_28_partition_columns_are_widened_and_no_value_touched(
    widen, before, name, said
) -> None:
    plan = widen(by("p", on(field("p", before), also=["timestampNtz"])), f"p {name}")
    assert (codes(plan), plan.file_actions) == ([], None)
    assert fields(plan)["p"] == old("p", name, change(before, name))
    assert {notice.code for notice in plan.warnings} == {"STREAMS_RESTART"} | said


@pytest.mark.parametrize(
    ("check", "column", "refused"),
    [
        ("a > 0", "a", True),
        ("A > 0", "a", True),
        ("s.x > 0", "s.x", True),
        ("s.x > 0", "s.y", False),
        ("s IS NOT NULL", "s.y", True),
        ("size(ar) > 0", "ar.element", True),
        ("m[1] > 0", "m.key", True),
        ("size(ar) > 0", "a", False),
    ],
)
def test_row_29_check_constraints(widen, check, column, refused) -> None:
    table = on(
        field("a", "short"),
        field("s", struct(field("x", "short"), field("y", "short"))),
        field("ar", array("short")),
        field("m", mapping("short", "short")),
        writer=["checkConstraints"],
        **{"constraints.c": check},
    )
    plan = widen(table, f"{column} long")
    assert codes(plan) == (["CHECK_DEPENDS_ON_COLUMN"] if refused else [])


@pytest.mark.parametrize(
    ("column", "refused"), [("a", True), ("s.x", True), ("g", True), ("s.y", False)]
)
def test_row_30_generated_columns(widen, column, refused) -> None:
    table = on(
        field("a", "integer"),
        field("s", struct(field("x", "integer"), field("y", "integer"))),
        field("g", "integer", **{"delta.generationExpression": "a + s.x"}),
        writer=["generatedColumns"],
    )
    plan = widen(table, f"{column} long")
    assert codes(plan) == (["GENERATED_DEPENDS_ON_COLUMN"] if refused else [])


def test_row_31_not_null_default_and_comment_stay(widen) -> None:
    column = {
        **field("a", "integer", comment="how many", CURRENT_DEFAULT="7"),
        "nullable": False,
        "own": "kept",
    }
    plan = widen(on(column, writer=["allowColumnDefaults"]), "a long")
    assert codes(plan) == []
    assert fields(plan)["a"] == {
        "name": "a",
        "type": "long",
        "nullable": False,
        "metadata": {
            "comment": "how many",
            "CURRENT_DEFAULT": "7",
            "delta.typeChanges": [change("integer", "long")],
        },
        "own": "kept",
    }


def test_row_32_identity_columns(widen) -> None:
    keys = {"start": 1, "step": 1, "allowExplicitInsert": False}
    column = field("id", "long", **{f"delta.identity.{key}": value for key, value in keys.items()})
    table = on(column, field("a", "integer"), writer=["identityColumns"])
    plan = widen(table, "id decimal(20,0), a long")
    assert codes(plan) == ["IDENTITY_COLUMN"]


def test_row_33_clustering_columns(widen) -> None:
    domain = {
        "domainMetadata": {
            "domain": "delta.clustering",
            "configuration": '{"clusteringColumns":[["a"]],"domainName":"delta.clustering"}',
            "removed": False,
        }
    }
    table = [*on(field("a", "integer"), writer=["clustering", "domainMetadata"]), domain]
    plan = widen(table, "a long")
    assert (codes(plan), plan.domains) == ([], ())


def test_row_34_invariants(widen) -> None:
    rule = json.dumps({"expression": {"expression": "a > 0"}})
    table = on(field("a", "integer", **{"delta.invariants": rule}), writer=["invariants"])
    assert codes(widen(table, "a long")) == ["INVARIANT_DEPENDS_ON_COLUMN"]


LIMIT = "__CHAR_VARCHAR_TYPE_STRING"


@pytest.mark.parametrize(
    ("limit", "name", "left"),
    [
        ("varchar(5)", "varchar(9)", "varchar(9)"),
        ("varchar(5)", "string", None),
        ("char(3)", "varchar(4)", "varchar(4)"),
        ("char(3)", "string", None),
    ],
)
def test_row_35_lengths_grow_without_feature_or_entry(widen, limit, name, left) -> None:
    plan = widen([LEGACY, metadata(field("v", "string", **{LIMIT: limit}))], f"v {name}")
    assert codes(plan) == []
    assert fields(plan)["v"] == field("v", "string", **({LIMIT: left} if left else {}))
    assert plan.warnings == ()
    # Spark writes the length that is to be into the parameters, for it belongs to the type.
    assert json.loads(plan.parameters["column"]) == fields(plan)["v"]


@pytest.mark.parametrize(
    ("limit", "name"),
    [("varchar(5)", "varchar(4)"), ("varchar(5)", "char(9)"), ("char(3)", "char(4)")],
)
def test_row_35_and_do_not_shrink(widen, limit, name) -> None:
    plan = widen([LEGACY, metadata(field("v", "string", **{LIMIT: limit}))], f"v {name}")
    assert codes(plan) == ["ILLEGAL_WIDENING"]
    assert plan.refusals[0].message.startswith(f"v is {limit}, which cannot become {name} ")


@pytest.mark.parametrize("name", ["integer", "long", "string", "decimal(5,2)", "date"])
def test_row_36_a_column_of_no_type_gets_any(widen, name) -> None:
    plan = widen([LEGACY, metadata(field("v", "void"))], f"v {name}")
    assert (codes(plan), plan.protocol) == ([], None)
    assert fields(plan)["v"] == field("v", name)
    assert plan.warnings == ()


@pytest.mark.parametrize(
    ("name", "code", "feature"),
    [
        ("timestamp_ntz", "TIMESTAMP_NTZ_NOT_SUPPORTED", "timestampNtz"),
        ("variant", "VARIANT_NOT_SUPPORTED", "variantType"),
    ],
)
@pytest.mark.parametrize("enabling", [False, True])
def test_row_36_a_type_with_a_feature_needs_it(widen, name, code, feature, enabling) -> None:
    table = [LEGACY, metadata(field("v", "void"))]
    plan = widen(table, f"v {name}", enabling=enabling)
    assert codes(plan) == ([] if enabling else [code])
    assert (plan.protocol is not None) == enabling
    if enabling:
        assert after(plan).reader_features == (feature,)
        assert plan.metadata.configuration == {}


@pytest.mark.parametrize("mode", ["name", "id"])
def test_row_37_a_renamed_column_keeps_its_physical_name(widen, mode) -> None:
    earlier = {"fromType": "byte", "toType": "integer"}
    column = mapped("now", 1, "col-1", "integer", **{"delta.typeChanges": [earlier]})
    settings = {"columnMapping.mode": mode, "columnMapping.maxColumnId": "1"}
    plan = widen(on(column, also=["columnMapping"], **settings), "now long")
    changes = [earlier, change("integer", "long")]
    assert fields(plan)["now"] == mapped(
        "now", 1, "col-1", "long", **{"delta.typeChanges": changes}
    )


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        pytest.param(
            [{"fromType": "string", "toType": "long"}],
            "a: it has a change from string to long, which engines do not know",
            id="row 51",
        ),
        pytest.param(
            [{"fromType": "frob", "toType": "integer"}],
            "a: it has a change from frob to integer, which engines do not know",
            id="row 52",
        ),
        pytest.param([], "a: its delta.typeChanges is not a list of type changes: []", id="row 58"),
        pytest.param(
            [{"toType": "integer"}],
            "a: its delta.typeChanges is not a list of type changes: [{'toType': 'integer'}]",
            id="no fromType",
        ),
    ],
)
def test_rows_51_52_and_58_entries_with_which_spark_fails(widen, entries, said) -> None:
    table = on(field("a", "integer", **{"delta.typeChanges": entries}))
    plan = widen(table, "a long")
    assert codes(plan) == ["TYPE_CHANGES_UNREADABLE"]
    assert plan.refusals[0].message == said


@pytest.mark.parametrize(
    ("before", "name", "refused"),
    [
        ("integer", "double", True),
        ("integer", "decimal(10,0)", True),
        ("decimal(7,2)", "decimal(10,4)", True),
        ("date", "timestamp_ntz", True),
        ("integer", "long", False),
        ("decimal(5,2)", "decimal(7,2)", False),
        ("float", "double", False),
    ],
)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_row_53_iceberg(widen, before, name, refused, number) -> None:
    compat = f"icebergCompatV{number}"
    settings = {
        "columnMapping.mode": "name",
        "columnMapping.maxColumnId": "1",
        f"enableIcebergCompatV{number}": "true",
    }
    column = mapped("a", 1, "a", before)
    extra = ["rowTracking", "domainMetadata"] if number == 3 else []
    table = on(column, also=["columnMapping", "timestampNtz"], writer=[compat, *extra], **settings)
    plan = widen(table, f"a {name}")
    assert codes(plan) == (["ICEBERG_COMPAT"] if refused else [])


@pytest.mark.parametrize(
    ("column", "warned"),
    [
        (field("a", "float"), ["a"]),
        (field("a", struct(field("f", "float"))), ["a.f"]),
        (field("a", array("float")), []),  # nothing bounds what lists hold
        (field("a", "integer"), []),
    ],
)
def test_row_59_floats_are_warned_about_where_statistics_bound_them(widen, column, warned) -> None:
    path = {"float": "a", "integer": "a"}.get(str(column["type"]))
    path = path or ("a.f" if column["type"]["type"] == "struct" else "a.element")
    plan = widen(on(column), f"{path} double")
    said = [n.message.split()[3] for n in plan.warnings if n.code == "FLOAT_STATISTICS"]
    assert said == warned


def test_row_61_the_change_data_feed_cannot_be_read_across(widen) -> None:
    feed = {"enableChangeDataFeed": "true"}
    plan = widen(on(field("a", "integer"), writer=["changeDataFeed"], **feed), "a long")
    assert [n.message for n in plan.warnings if n.code == "CHANGE_FEED_RANGE"] == [
        "the change data feed can no longer be read from before version 1: read first what is "
        "still needed, and begin later ranges there"
    ]


def test_row_62_who_loses_the_table_is_said(widen) -> None:
    plan = widen([LEGACY, metadata(field("a", "byte"))], "a short", enabling=True)
    lost = {cost.client.name: cost.loses for cost in plan.clients_lost}
    assert lost["delta-rs (deltalake)"] == ("read", "write")
    assert consent_reasons(plan)
