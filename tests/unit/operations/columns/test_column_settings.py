"""Comments, defaults and NOT NULL of columns, and the words of a table about itself."""

import json
from pathlib import Path

import pytest
from column_plans import NOW, codes, fields, parameters, plan, words
from drafts import back
from small_tables import LEGACY, array, field, metadata, protocol, struct, write_log

from deltactl.changes.draft import Draft
from deltactl.operations.properties.table_details import plan_table_comment, plan_table_rename
from deltactl.table.table import open_table

DEFAULTS = protocol(writer=["allowColumnDefaults", "invariants"])
TABLE = [
    DEFAULTS,
    metadata(
        field("n", "integer", CURRENT_DEFAULT="1", comment="why"),
        field("t", "string", __CHAR_VARCHAR_TYPE_STRING="varchar(3)"),
        field("s", struct(field("x", "integer"))),
        field("ar", array("integer")),
        {**field("r", "integer"), "nullable": False},
        field("g", "integer", **{"delta.generationExpression": "n + 1"}),
    ),
]


class TestComment:
    @pytest.mark.parametrize(
        ("column", "text", "undo"),
        [
            ("n", "a 'new' one", "deltactl column comment TABLE n why"),
            ("s.x", "x", "deltactl column comment TABLE s.x ''"),
        ],
    )
    def test_another(self, tmp_path: Path, column: str, text: str, undo: str) -> None:
        made = plan(tmp_path, TABLE, words("comment", column, text))
        assert (made.operation, back(made)) == ("CHANGE COLUMN", [undo])
        told = parameters(made)["column"]
        assert (told["name"], told["metadata"]["comment"]) == (column, text)

    def test_none_any_more(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "comment n ''")
        assert fields(made)[0]["metadata"] == {"CURRENT_DEFAULT": "1"}

    @pytest.mark.parametrize("line", ["comment n why", "comment t ''"])
    def test_the_same(self, tmp_path: Path, line: str) -> None:
        assert plan(tmp_path, TABLE, line).is_empty

    def test_not_of_an_element(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, TABLE, "comment ar.element x")) == ["NOT_A_FIELD"]


class TestDefault:
    def test_another(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "set-default n ' -7 '")
        assert fields(made)[0]["metadata"] == {"CURRENT_DEFAULT": "-7", "comment": "why"}
        assert back(made) == ["deltactl column set-default TABLE n 1"]

    def test_the_first(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, words("set-default", "t", "'abc'"))
        assert fields(made)[1]["metadata"]["CURRENT_DEFAULT"] == "'abc'"
        assert back(made) == ["deltactl column drop-default TABLE t"]

    @pytest.mark.parametrize(
        ("line", "code"),
        [
            ("set-default t \"'abcd'\"", "DEFAULT_WRONG_TYPE"),
            ("set-default n 1.5", "DEFAULT_WRONG_TYPE"),
            ("set-default n r", "DEFAULT_NOT_CONSTANT"),
            ("set-default s.x 1", "NESTED_DEFAULT"),
            ("set-default ar 'array(1)'", "DEFAULT_NOT_PLAIN"),
            ("set-default g 1", "DEFAULT_OF_COMPUTED"),
            ("set-default ar.element 1", "NOT_A_FIELD"),
            ("set-default nope 1", "COLUMN_NOT_FOUND"),
        ],
    )
    def test_one_that_is_none(self, tmp_path: Path, line: str, code: str) -> None:
        assert codes(plan(tmp_path, TABLE, line)) == [code]

    def test_the_feature_is_needed(self, tmp_path: Path) -> None:
        table = [LEGACY, metadata(field("n", "integer"))]
        assert codes(plan(tmp_path, table, "set-default n 1")) == ["FEATURE_NEEDED"]
        (tmp_path / "b").mkdir()
        made = plan(tmp_path / "b", table, "set-default n 1 --enable")
        assert made.protocol is not None
        assert made.protocol.writer_features is not None
        assert set(made.protocol.writer_features) == {
            "allowColumnDefaults",
            "appendOnly",
            "invariants",
        }

    def test_none_any_more(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "drop-default n")
        assert fields(made)[0]["metadata"] == {"comment": "why"}
        assert back(made) == ["deltactl column set-default TABLE n 1"]

    @pytest.mark.parametrize("line", ["set-default n 1", "drop-default t", "drop-default s.x"])
    def test_the_same(self, tmp_path: Path, line: str) -> None:
        assert plan(tmp_path, TABLE, line).is_empty

    def test_what_old_rows_read_is_left_alone(self, tmp_path: Path) -> None:
        table = [DEFAULTS, metadata(field("n", "integer", EXISTS_DEFAULT="3"))]
        made = plan(tmp_path, table, "set-default n 1")
        assert fields(made)[0]["metadata"] == {"EXISTS_DEFAULT": "3", "CURRENT_DEFAULT": "1"}


class TestDropNotNull:
    def test_it_may_be_null(self, tmp_path: Path) -> None:
        made = plan(tmp_path, TABLE, "drop-not-null r")
        assert fields(made)[4] == field("r", "integer")
        assert parameters(made)["column"]["nullable"] is True

    def test_it_may_be_null_already(self, tmp_path: Path) -> None:
        assert plan(tmp_path, TABLE, "drop-not-null n").is_empty

    def test_not_an_element(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, TABLE, "drop-not-null ar.element")) == ["NOT_A_FIELD"]

    def test_not_an_identity_column(self, tmp_path: Path) -> None:
        identity = field("i", "long", **{"delta.identity.start": 1, "delta.identity.step": 1})
        table = [protocol(writer=["identityColumns"]), metadata({**identity, "nullable": False})]
        assert codes(plan(tmp_path, table, "drop-not-null i")) == ["IDENTITY_COLUMN"]


class TestTheTable:
    def draft(self, root: Path) -> Draft:
        table = {"metaData": {**TABLE[1]["metaData"], "name": "old", "description": "so"}}
        snapshot = open_table(write_log(root, [[TABLE[0], table]])).snapshot()
        return Draft(snapshot, now=NOW, fresh=lambda prefix, what: prefix)

    def test_comment(self, tmp_path: Path) -> None:
        made = plan_table_comment(self.draft(tmp_path), "it's new")
        assert made.metadata is not None
        assert (made.metadata.description, made.metadata.name) == ("it's new", "old")
        assert made.operation == "SET TBLPROPERTIES"
        assert json.loads(made.parameters["properties"]) == {"comment": "it's new"}
        assert back(made) == ["deltactl table comment TABLE so"]

    def test_comment_removed(self, tmp_path: Path) -> None:
        made = plan_table_comment(self.draft(tmp_path), "")
        assert made.metadata is not None
        assert made.metadata.description is None

    def test_rename(self, tmp_path: Path) -> None:
        made = plan_table_rename(self.draft(tmp_path), "new")
        assert made.metadata is not None
        assert (made.metadata.name, made.metadata.description) == ("new", "so")
        assert back(made) == ["deltactl table set-name TABLE old"]
        assert [n.code for n in made.warnings] == ["NAME_IN_METADATA_ONLY"]

    def test_the_same(self, tmp_path: Path) -> None:
        draft = self.draft(tmp_path)
        assert plan_table_comment(draft, "so").is_empty
        assert plan_table_rename(draft, "old").is_empty

    def test_too_long(self, tmp_path: Path) -> None:
        draft = self.draft(tmp_path)
        assert codes(plan_table_rename(draft, "n" * 255)) == []
        assert codes(plan_table_rename(draft, "n" * 256)) == ["TEXT_TOO_LONG"]
