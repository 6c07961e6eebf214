"""Renamed columns: what follows them, and what holds them."""

import json
from pathlib import Path

import pytest
from column_plans import codes, fields, mapped_table, partitioned, plan, words
from drafts import back
from small_tables import LEGACY, array, field, mapped, metadata, struct

TABLE = mapped_table(
    mapped("id", 1, "id", "integer"),
    mapped("b", 2, "p-b", "integer"),
    mapped("s", 3, "s", struct(mapped("x", 4, "x", "integer"), mapped("y", 5, "y", "integer"))),
    mapped("ar", 6, "ar", array(struct(mapped("x", 7, "x", "string")))),
)


def with_settings(**settings: str) -> list[dict[str, object]]:
    return mapped_table(*json.loads(TABLE[1]["metaData"]["schemaString"])["fields"], **settings)


def test_only_the_name_changes(tmp_path: Path) -> None:
    made = plan(tmp_path, TABLE, "rename B c")
    assert fields(made)[1] == mapped("c", 2, "p-b", "integer")
    assert (made.operation, made.parameters) == (
        "RENAME COLUMN",
        {"oldColumnPath": "b", "newColumnPath": "c"},
    )
    assert back(made) == ["deltactl column rename TABLE c b"]
    assert [(c.kind, c.before, c.path) for c in made.schema_changes] == [("renamed", "b", "c")]


@pytest.mark.parametrize(
    ("column", "new", "undo"),
    [
        ("s.x", "z", "deltactl column rename TABLE s.z x"),
        ("ar.element.x", "z", "deltactl column rename TABLE ar.element.z x"),
        ("s.x", "`a.b`", "deltactl column rename TABLE 's.`a.b`' x"),
        ("s.x", "a b", "deltactl column rename TABLE 's.`a b`' x"),
        ("b", "-b", "deltactl column rename TABLE -- -b b"),
    ],
)
def test_at_every_depth_under_any_name(tmp_path: Path, column: str, new: str, undo: str) -> None:
    made = plan(tmp_path, TABLE, words("rename", "--", column, new))
    assert (codes(made), back(made)) == ([], [undo])


def test_it_is_so_already(tmp_path: Path) -> None:
    assert plan(tmp_path, TABLE, "rename b b").is_empty


def test_type_changes_and_settings_stay(tmp_path: Path) -> None:
    kept = {"comment": "c", "delta.typeChanges": [{"fromType": "integer", "toType": "long"}]}
    table = mapped_table(mapped("n", 1, "n", "long", **kept))
    table[0]["protocol"].update(
        minReaderVersion=3, readerFeatures=["columnMapping", "typeWidening"]
    )
    table[0]["protocol"]["writerFeatures"] = ["columnMapping", "typeWidening"]
    assert fields(plan(tmp_path, table, "rename n m")) == [mapped("m", 1, "n", "long", **kept)]


def test_partitioning_follows(tmp_path: Path) -> None:
    made = plan(tmp_path, partitioned(TABLE, "id", "b"), "rename b c")
    assert made.metadata is not None
    assert made.metadata.partition_columns == ("id", "c")
    assert [(s.path, s.before, s.after) for s in made.settings] == [
        ("partitionColumns", ["id", "b"], ["id", "c"])
    ]


@pytest.mark.parametrize(
    ("listed", "column", "new", "left"),
    [
        ("id,b", "b", "c", "id,c"),
        ("id, b ,s.x", "s", "t", "id,b,t.x"),
        ("id,s.x", "s.x", "a.b", "id,s.`a.b`"),
        ("B", "b", "a,b", "`a,b`"),
        ("s . x", "b", "c", "s . x"),
    ],
)
def test_statistics_columns_follow(
    tmp_path: Path, listed: str, column: str, new: str, left: str
) -> None:
    table = with_settings(dataSkippingStatsColumns=listed)
    made = plan(tmp_path, table, words("rename", column, f"`{new}`"))
    assert made.metadata is not None
    assert made.metadata.configuration["delta.dataSkippingStatsColumns"] == left


PLAIN = [LEGACY, metadata(field("id", "integer"), field("b", "integer"))]


class TestWithoutMapping:
    def test_it_is_needed(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, PLAIN, "rename b c")) == ["COLUMN_MAPPING_NEEDED"]

    def test_files_know_the_column_by_its_name_of_today(self, tmp_path: Path) -> None:
        made = plan(tmp_path, PLAIN, "rename b c --enable")
        assert fields(made) == [mapped("id", 1, "id", "integer"), mapped("c", 2, "b", "integer")]


class TestMissing:
    def test_it_is_not_found(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "rename nope c")
        assert [(r.code, r.is_missing) for r in made.refusals] == [("COLUMN_NOT_FOUND", True)]

    def test_it_was_renamed_before(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "rename old b")
        assert [(r.code, r.is_missing, r.message) for r in made.refusals] == [
            ("COLUMN_NOT_FOUND", True, "no column old, but there is b: was it renamed before?")
        ]

    def test_if_exists(self, tmp_path: Path) -> None:
        assert plan(tmp_path, TABLE, "rename old b --if-exists").is_empty


class TestRefused:
    @pytest.mark.parametrize("new", ["id", "ID", "B"])
    def test_a_name_that_is_taken(self, tmp_path: Path, new: str) -> None:
        assert codes(plan(tmp_path, TABLE, f"rename b {new}")) == ["COLUMN_EXISTS"]

    @pytest.mark.parametrize("new", ["s.b", ".", "``"])
    def test_what_is_no_name(self, tmp_path: Path, new: str) -> None:
        assert codes(plan(tmp_path, TABLE, words("rename", "b", new)))[0] in (
            "NOT_A_NAME",
            "BAD_COLUMN_PATH",
        )

    def test_what_has_no_name(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, TABLE, "rename ar.element x")) == ["NOT_A_FIELD"]

    def test_a_reserved_name(self, tmp_path: Path) -> None:
        table = with_settings(**{"rowTracking.materializedRowIdColumnName": "_row-1"})
        assert codes(plan(tmp_path, table, "rename b _ROW-1")) == ["RESERVED_COLUMN_NAME"]

    @pytest.mark.parametrize(
        ("expression", "column", "refused"),
        [("b > 0", "b", True), ("s.x > 0", "s", True), ("s IS NOT NULL", "s.y", True),
         ("s.x > 0", "s.y", False)],
    )  # fmt: skip
    def test_a_check_constraint(
        self, tmp_path: Path, expression: str, column: str, refused: bool
    ) -> None:
        table = with_settings(**{"constraints.c": expression})
        table[0]["protocol"]["writerFeatures"].append("checkConstraints")
        found = codes(plan(tmp_path, table, f"rename {column} z"))
        assert found == (["CHECK_DEPENDS_ON_COLUMN"] if refused else [])

    def test_a_generated_column(self, tmp_path: Path) -> None:
        table = mapped_table(
            mapped("b", 1, "b", "integer"),
            mapped("g", 2, "g", "integer", **{"delta.generationExpression": "b + 1"}),
        )
        assert codes(plan(tmp_path, table, "rename b c")) == ["GENERATED_DEPENDS_ON_COLUMN"]
        (tmp_path / "own").mkdir()
        assert codes(plan(tmp_path / "own", table, "rename g h")) == []

    @pytest.mark.parametrize(
        ("lines", "rules"),
        [
            (["rename b c"], ["g"]),
            (["rename z y"], ["n.g"]),
            # The rule goes with its column, and a new one of the old name has none.
            (["rename g h", "add g int", "rename b c"], ["h"]),
            (["rename g h", "rename w g", "rename b c"], ["h"]),
            (["rename n.g h", "rename n m", "rename z y"], ["m.h"]),
            (["rename g h", "drop h", "add g int", "rename b c", "rename z y"], ["n.g"]),
            (["drop n.g", "rename z y", "rename b c"], ["g"]),
        ],
    )
    def test_of_columns_that_changed_before(
        self, tmp_path: Path, lines: list[str], rules: list[str]
    ) -> None:
        def generated(name: str, number: int, expression: str) -> dict[str, object]:
            rule = {"delta.generationExpression": expression}
            return mapped(name, number, name, "integer", **rule)

        table = mapped_table(
            *(mapped(name, number, name, "integer") for number, name in enumerate("bzw", 1)),
            generated("g", 4, "b + 1"),
            mapped("n", 5, "n", struct(generated("g", 6, "z + 1"), mapped("x", 7, "x", "long"))),
        )
        refusals = plan(tmp_path, table, *lines).refusals
        assert {refusal.code for refusal in refusals} == {"GENERATED_DEPENDS_ON_COLUMN"}
        said = [refusal.message.rpartition(": ")[0].split()[-1] for refusal in refusals]
        assert said == rules

    def test_an_invariant_of_its_own(self, tmp_path: Path) -> None:
        invariant = {"delta.invariants": json.dumps({"expression": {"expression": "b > 1"}})}
        table = mapped_table(mapped("b", 1, "b", "integer", **invariant))
        assert codes(plan(tmp_path, table, "rename b c")) == ["INVARIANT_DEPENDS_ON_COLUMN"]
