"""Which columns and types the checkpoints of a table have."""

import pyarrow as pa
import pytest
from small_tables import array, field, mapped, mapping, schema, struct

from deltactl.log.checkpoint.checkpoint_schema import CheckpointSchema, checkpoint_schema


def made(*fields: dict[str, object], **more: str) -> CheckpointSchema:
    configuration = {f"delta.{key}": value for key, value in more.items()}
    return checkpoint_schema(schema(*fields), ["p"], configuration, ["deletionVectors"])


P = field("p", "date")


def test_statistics_of_every_type() -> None:
    inner = struct(field("x", "timestamp"), field("flag", "boolean"))
    found = made(
        field("b", "byte"), field("d", "decimal(10,2)"), field("raw", "binary"), P,
        field("s", inner), field("ar", array("long")), field("m", mapping("string", "long")),
        field("n", "timestamp_ntz"), field("v", "variant"),
    )  # fmt: skip
    bounds = pa.struct(
        {
            "b": pa.int8(),
            "d": pa.decimal128(10, 2),
            "s": pa.struct({"x": pa.timestamp("us", "UTC")}),
            "n": pa.timestamp("us"),
        }
    )
    long = pa.int64()
    nulls = pa.struct(
        {
            "b": long, "d": long, "raw": long, "s": pa.struct({"x": long, "flag": long}),
            "ar": long, "m": long, "n": long, "v": long,
        }
    )  # fmt: skip
    assert found.stats == pa.struct(
        {
            "numRecords": long,
            "minValues": bounds,
            "maxValues": bounds,
            "nullCount": nulls,
            "tightBounds": pa.bool_(),
        }
    )
    assert found.partition_values == pa.struct({"p": pa.date32()})


def test_names_are_physical() -> None:
    inner = struct(mapped("x", 2, "col-x", "long"))
    found = checkpoint_schema(
        schema(mapped("s", 1, "col-s", inner), mapped("p", 3, "col-p", "integer")), ["P"], {}, []
    )
    assert found.partition_values == pa.struct({"col-p": pa.int32()})
    assert found.stats is not None
    assert found.stats.field("minValues").type == pa.struct(
        {"col-s": pa.struct({"col-x": "int64"})}
    )


@pytest.mark.parametrize(
    ("settings", "columns"),
    [
        ({}, ["a", "s", "z"]),
        ({"dataSkippingNumIndexedCols": "2"}, ["a", "s"]),
        ({"dataSkippingNumIndexedCols": "0"}, []),
        ({"dataSkippingNumIndexedCols": "-1"}, ["a", "s", "z"]),
        ({"dataSkippingStatsColumns": "Z,s.Y"}, ["s", "z"]),
    ],
)
def test_only_indexed_columns_have_statistics(settings, columns) -> None:
    inner = struct(field("x", "long"), field("y", "long"))
    found = made(P, field("a", "long"), field("s", inner), field("z", "string"), **settings)
    assert found.stats is not None
    place = found.stats.get_field_index("nullCount")
    assert [f.name for f in (found.stats.field(place).type if place >= 0 else [])] == columns


@pytest.mark.parametrize(
    ("as_json", "as_struct", "columns"),
    [
        ("true", "true", ["stats", "partitionValues_parsed", "stats_parsed"]),
        ("true", "false", ["stats"]),
        ("false", "true", ["partitionValues_parsed", "stats_parsed"]),
        ("false", "false", []),
    ],
)
def test_the_forms_that_the_properties_ask_for(as_json, as_struct, columns) -> None:
    settings = {
        "checkpoint.writeStatsAsJson": as_json,
        "checkpoint.writeStatsAsStruct": as_struct,
    }
    add = made(P, field("a", "long"), **settings).add
    assert [f.name for f in add][10:] == columns
