"""Dropped columns: what follows them, and what holds them."""

import json
from pathlib import Path

import pytest
from column_plans import codes, fields, mapped_table, parameters, partitioned, plan, words
from drafts import back
from small_tables import LEGACY, array, field, mapped, mapping, metadata, struct

from deltactl.text.hints import text_of

STRUCT = struct(mapped("x", 4, "x", "integer"), mapped("y", 5, "p-y", "integer"))
TABLE = mapped_table(
    mapped("id", 1, "id", "integer"),
    mapped("b", 2, "p-b", "integer"),
    mapped("s", 3, "s", STRUCT),
    mapped(
        "ar", 6, "ar", array(struct(mapped("x", 7, "x", "string"), mapped("y", 8, "y", "date")))
    ),
    mapped("k", 9, "k", mapping(struct(mapped("x", 10, "x", "string")), "string")),
    last=10,
)


def with_settings(**settings: str) -> list[dict[str, object]]:
    return mapped_table(*json.loads(TABLE[1]["metaData"]["schemaString"])["fields"], **settings)


def test_several_at_every_depth(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "drop B s.x ar.element.y")
    assert [f["name"] for f in fields(made)] == ["id", "s", "ar", "k"]
    assert [f["name"] for f in fields(made)[1]["type"]["fields"]] == ["y"]
    assert [f["name"] for f in fields(made)[2]["type"]["elementType"]["fields"]] == ["x"]
    assert (made.operation, parameters(made)) == (
        "DROP COLUMNS",
        {"columns": ["b", "s.x", "ar.element.y"]},
    )
    assert back(made) == [
        "RESTORE TABLE ... TO VERSION AS OF 0",
        "Spark SQL only; also discards rows written after version 0",
    ]
    assert made.metadata is not None
    assert made.metadata.configuration["delta.columnMapping.maxColumnId"] == "10"
    assert [n.code for n in made.warnings] == ["STREAMS_STOP"]


def test_type_changes_go_with_the_field(tmp_path: Path) -> None:
    changes = {"delta.typeChanges": [{"fromType": "integer", "toType": "long"}]}
    table = mapped_table(mapped("id", 1, "id", "integer"), mapped("n", 2, "n", "long", **changes))
    table[0]["protocol"].update(
        minReaderVersion=3, readerFeatures=["columnMapping", "typeWidening"]
    )
    table[0]["protocol"]["writerFeatures"] = ["columnMapping", "typeWidening"]
    assert fields(plan(tmp_path, table, "drop n")) == [mapped("id", 1, "id", "integer")]


PLAIN = [LEGACY, metadata(field("id", "integer"), field("b", "integer"))]


class TestWithoutMapping:
    def test_it_is_needed(self, tmp_path: Path) -> None:
        made = plan(tmp_path, PLAIN, "drop b")
        assert [(r.code, text_of(r.hint)) for r in made.refusals] == [
            (
                "COLUMN_MAPPING_NEEDED",
                "add --enable, or first: deltactl protocol enable TABLE columnMapping",
            )
        ]

    def test_it_is_switched_on_in_the_same_commit(self, tmp_path: Path) -> None:
        made = plan(tmp_path, PLAIN, "drop b --enable")
        assert fields(made) == [mapped("id", 1, "id", "integer")]
        assert made.metadata is not None
        assert made.metadata.configuration == {
            "delta.columnMapping.mode": "name",
            "delta.columnMapping.maxColumnId": "2",
        }
        assert made.protocol is not None
        assert "columnMapping" in made.protocol.listed


class TestMissing:
    def test_it_is_not_found(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "drop nope idd")
        assert [(r.code, r.is_missing) for r in made.refusals] == [("COLUMN_NOT_FOUND", True)] * 2
        assert made.error().exit_code == 3

    def test_if_exists(self, tmp_path: Path) -> None:
        assert plan(tmp_path, TABLE, "drop nope s.nope --if-exists").is_empty

    def test_if_exists_leaves_out_only_what_is_missing(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "drop nope b --if-exists")
        assert parameters(made) == {"columns": ["b"]}


class TestRefused:
    def test_a_partition_column(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, partitioned(TABLE, "b"), "drop b")) == ["PARTITION_COLUMN"]

    def test_the_last_column_of_the_table(self, tmp_path: Path) -> None:
        table = mapped_table(mapped("id", 1, "id", "integer"))
        assert codes(plan(tmp_path, table, "drop id")) == ["LAST_COLUMN"]

    def test_the_last_column_of_a_struct(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, TABLE, "drop s.x s.y")) == ["LAST_COLUMN"]

    def test_the_last_column_that_files_hold(self, tmp_path: Path) -> None:
        table = mapped_table(mapped("id", 1, "id", "integer"), mapped("p", 2, "p", "integer"))
        assert codes(plan(tmp_path, partitioned(table, "p"), "drop id")) == ["LAST_COLUMN"]

    def test_one_named_twice(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, TABLE, "drop b B s s.x")) == ["COLUMN_NAMED_TWICE"] * 2

    @pytest.mark.parametrize("path", ["ar.element", "k.key", "k.value"])
    def test_what_has_no_name(self, tmp_path: Path, path: str) -> None:
        assert codes(plan(tmp_path, TABLE, f"drop {path}")) == ["NOT_A_FIELD"]

    def test_a_part_of_a_key(self, tmp_path: Path) -> None:
        table = mapped_table(
            mapped("k", 1, "k", mapping(struct(mapped("x", 2, "x", "string"),
                                               mapped("y", 3, "y", "string")), "string")),
        )  # fmt: skip
        assert codes(plan(tmp_path, table, "drop k.key.x")) == ["IN_MAP_KEY"]

    @pytest.mark.parametrize(
        ("expression", "column", "refused"),
        [
            ("b > 0", "b", True),
            ("B > 0", "b", True),
            ("s.x > 0", "s", True),
            ("s IS NOT NULL", "s.x", True),
            ("s.x > 0", "s.y", False),
            ("id > 0", "b", False),
            ("size(ar) > 0", "ar.element.y", True),
        ],
    )
    def test_a_check_constraint(
        self, tmp_path: Path, expression: str, column: str, refused: bool
    ) -> None:
        table = with_settings(**{"constraints.c": expression})
        table[0]["protocol"]["writerFeatures"].append("checkConstraints")
        found = codes(plan(tmp_path, table, f"drop {column}"))
        assert found == (["CHECK_DEPENDS_ON_COLUMN"] if refused else [])

    def test_what_a_generated_column_is_made_of(self, tmp_path: Path) -> None:
        generated = {"delta.generationExpression": "b + 1"}
        table = mapped_table(
            mapped("id", 1, "id", "integer"),
            mapped("b", 2, "b", "integer"),
            mapped("g", 3, "g", "integer", **generated),
        )
        for at, (line, expected) in enumerate(
            [
                ("drop b", ["GENERATED_DEPENDS_ON_COLUMN"]),
                ("drop g", []),
                ("drop b g", []),
            ]
        ):
            (tmp_path / str(at)).mkdir()
            assert codes(plan(tmp_path / str(at), table, line)) == expected, line

    def test_an_invariant_of_another_column(self, tmp_path: Path) -> None:
        invariant = {"delta.invariants": json.dumps({"expression": {"expression": "b > id"}})}
        table = mapped_table(
            mapped("id", 1, "id", "integer", **invariant),
            mapped("b", 2, "b", "integer"),
            mapped("c", 3, "c", "integer"),
        )
        assert codes(plan(tmp_path, table, "drop b")) == ["INVARIANT_DEPENDS_ON_COLUMN"]
        (tmp_path / "own").mkdir()
        assert codes(plan(tmp_path / "own", table, "drop id")) == []


class TestClustering:
    """The domain names physical columns."""

    @pytest.mark.parametrize(
        ("column", "refused"),
        [("b", True), ("s", True), ("s.y", True), ("s.x", False), ("id", False)],
    )
    def test_a_clustering_column(self, tmp_path: Path, column: str, refused: bool) -> None:
        table = with_settings()
        table[0]["protocol"]["writerFeatures"] += ["clustering", "domainMetadata"]
        columns = {"clusteringColumns": [["p-b"], ["s", "p-y"]], "domainName": "delta.clustering"}
        domain = {
            "domainMetadata": {
                "domain": "delta.clustering",
                "configuration": json.dumps(columns),
                "removed": False,
            }
        }
        found = codes(plan(tmp_path, [*table, domain], f"drop {column}"))
        assert found == (["CLUSTERING_COLUMN"] if refused else [])


class TestStatisticsColumns:
    KEY = "delta.dataSkippingStatsColumns"

    @pytest.mark.parametrize(
        ("listed", "column", "left"),
        [
            ("id,b", "b", "id"),
            ("id, b ,s.x", "s", "id,b"),
            ("id,s.x,s.y", "s.x", "id,s.y"),
            ("ID,`S`.x", "s.y", "ID,`S`.x"),
            ("B", "b", None),
        ],
    )
    def test_the_property_follows(
        self, tmp_path: Path, listed: str, column: str, left: str | None
    ) -> None:
        table = with_settings(dataSkippingStatsColumns=listed)
        made = plan(tmp_path, table, words("drop", column))
        assert made.metadata is not None
        assert made.metadata.configuration.get(self.KEY) == left


def test_the_change_data_feed_is_spoken_of(tmp_path: Path) -> None:
    table = with_settings(enableChangeDataFeed="true")
    table[0]["protocol"]["writerFeatures"].append("changeDataFeed")
    made = plan(tmp_path, table, "drop b")
    assert [n.code for n in made.warnings] == ["STREAMS_STOP", "CHANGE_FEED_RANGE"]
