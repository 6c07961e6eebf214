"""New columns: where they go, what they are made of, and what speaks against one."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from column_plans import codes, fields, mapped_table, parameters, partitioned, plan, words
from drafts import back
from small_tables import LEGACY, array, field, mapped, mapping, metadata, protocol, struct

from deltactl.storage.base import Storage
from deltactl.table.parquet.footers import FileTypes
from deltactl.table.state import data_files

ID = field("id", "integer")
PLAIN = [LEGACY, metadata(ID, field("s", struct(field("x", "integer"), field("y", "string"))))]
NESTED = [
    LEGACY,
    metadata(
        field("ar", array(struct(field("x", "integer")))),
        field("m", mapping("string", struct(field("x", "integer")))),
        field("k", mapping(struct(field("x", "integer")), "string")),
    ),
]
ADD = {"path": "f", "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": True}


def test_a_column_comes_last(tmp_path: Path) -> None:
    made = plan(tmp_path, PLAIN, "add n bigint")
    assert fields(made)[2] == {"name": "n", "type": "long", "nullable": True, "metadata": {}}
    assert made.operation == "ADD COLUMNS"
    assert parameters(made) == {
        "columns": [{"column": {"name": "n", "type": "long", "nullable": True, "metadata": {}}}]
    }
    assert back(made) == [
        "deltactl column drop TABLE --enable n",
        "--enable switches column mapping on, which only a rewrite of all files removes; RESTORE "
        "TABLE ... TO VERSION AS OF 0 in Spark SQL avoids that, but also discards rows written "
        "after version 0",
    ]
    assert [n.code for n in made.warnings] == ["STREAMS_RESTART"]


@pytest.mark.parametrize(
    ("place", "names", "told"),
    [
        ("--first", ["n", "id", "s"], "FIRST"),
        ("--after ID", ["id", "n", "s"], "AFTER id"),
        ("--after s", ["id", "s", "n"], "AFTER s"),
    ],
)
def test_a_place(tmp_path: Path, place: str, names: list[str], told: str) -> None:
    made = plan(tmp_path, PLAIN, f"add n int {place}")
    assert [f["name"] for f in fields(made)] == names
    assert parameters(made)["columns"][0]["position"] == told


def test_a_field_of_a_struct(tmp_path: Path) -> None:
    made = plan(tmp_path, PLAIN, words("add", "S.n", "int", "--after", "x", "--comment", "why"))
    inner = fields(made)[1]["type"]["fields"]
    assert [f["name"] for f in inner] == ["x", "n", "y"]
    assert inner[1]["metadata"] == {"comment": "why"}
    assert parameters(made)["columns"][0]["column"]["name"] == "s.n"


@pytest.mark.parametrize("path", ["ar.element.n", "m.value.n"])
def test_a_field_below_an_array_or_a_map(tmp_path: Path, path: str) -> None:
    made = plan(tmp_path, NESTED, f"add {path} int")
    assert [(c.kind, c.path) for c in made.schema_changes] == [("added", path)]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("ar.n", "did you mean ar.element.n?"),
        ("m.n", "did you mean m.value.n?"),
        ("ar.element.x.n", "ar.element.x is int, and has no fields"),
    ],
)
def test_no_struct(tmp_path: Path, path: str, said: str) -> None:
    made = plan(tmp_path, NESTED, f"add {path} int")
    assert codes(made) == ["NOT_A_STRUCT"]
    assert said in made.refusals[0].message


def test_a_key_of_a_map_stays(tmp_path: Path) -> None:
    assert codes(plan(tmp_path, NESTED, "add k.key.n int")) == ["IN_MAP_KEY"]


def test_a_type_with_parts_and_lengths(tmp_path: Path) -> None:
    made = plan(tmp_path, PLAIN, words("add", "n", "struct<a: varchar(5), b: array<decimal(5,2)>>"))
    assert fields(made)[2] == field(
        "n",
        struct(field("a", "string"), field("b", array("decimal(5,2)"))),
        __CHAR_VARCHAR_TYPE_STRING="struct<a:varchar(5),b:array<decimal(5,2)>>",
    )
    assert parameters(made)["columns"][0]["column"]["type"] == "struct"


class TestAlreadyThere:
    def test_the_same(self, tmp_path: Path) -> None:
        assert plan(tmp_path, PLAIN, "add id int").is_empty

    def test_the_same_with_parts(self, tmp_path: Path) -> None:
        line = words("add", "s", "struct<X:int,y:string>", "--first")
        assert plan(tmp_path, PLAIN, line).is_empty

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("add id long", "id exists, and its type is int"),
            ("add id int --comment why", "id exists, and it has no comment"),
            ("add id int --default 1", "id exists, and it has no default"),
            ("add id int --not-null", "id exists, and it is nullable"),
            ("add ID int", "there is id: names that differ only in case are one name"),
        ],
    )
    def test_another_meaning(self, tmp_path: Path, line: str, said: str) -> None:
        made = plan(tmp_path, PLAIN, line)
        assert [(r.code, r.message) for r in made.refusals] == [("COLUMN_EXISTS", said)]

    def test_if_not_exists(self, tmp_path: Path) -> None:
        made = plan(tmp_path, PLAIN, "add ID long --if-not-exists")
        assert (made.is_empty, codes(made)) == (True, [])
        assert [n.code for n in made.warnings] == ["COLUMN_HAS_OTHER_TYPE"]


class TestFeatures:
    @pytest.mark.parametrize(
        ("line", "feature"),
        [
            ("add n timestamp_ntz", "timestampNtz"),
            ("add n array<variant>", "variantType"),
            ("add n int --default 1", "allowColumnDefaults"),
        ],
    )
    def test_one_that_is_missing(self, tmp_path: Path, line: str, feature: str) -> None:
        (tmp_path / "a").mkdir()
        made = plan(tmp_path / "a", PLAIN, line)
        assert codes(made) == ["FEATURE_NEEDED"]
        assert feature in made.refusals[0].message
        (tmp_path / "b").mkdir()
        enabled = plan(tmp_path / "b", PLAIN, f"{line} --enable")
        assert codes(enabled) == []
        assert enabled.protocol is not None
        assert feature in enabled.protocol.listed

    def test_not_null_on_a_table_without_files(self, tmp_path: Path) -> None:
        made = plan(tmp_path, PLAIN, "add n int --not-null")
        assert fields(made)[2]["nullable"] is False

    def test_not_null_on_a_table_with_files(self, tmp_path: Path) -> None:
        made = plan(tmp_path, [*PLAIN, {"add": ADD}], "add n int --not-null")
        assert codes(made) == ["NOT_NULL_NEEDS_EMPTY_TABLE"]

    def test_not_null_below_what_can_be_null(self, tmp_path: Path) -> None:
        assert codes(plan(tmp_path, PLAIN, "add s.n int --not-null")) == ["NESTED_NOT_NULL"]
        (tmp_path / "b").mkdir()
        line = words("add", "n", "struct<a: int not null>")
        assert codes(plan(tmp_path / "b", PLAIN, line)) == ["NESTED_NOT_NULL"]

    def test_old_rows_read_null(self, tmp_path: Path) -> None:
        table = [protocol(writer=["allowColumnDefaults"]), PLAIN[1], {"add": ADD}]
        made = plan(tmp_path, table, "add n int --default 7")
        assert fields(made)[2]["metadata"] == {"CURRENT_DEFAULT": "7"}
        assert [n.code for n in made.warnings] == ["OLD_ROWS_READ_NULL", "STREAMS_RESTART"]
        (tmp_path / "b").mkdir()
        made = plan(tmp_path / "b", table[:2], "add n int --default 7")
        assert [n.code for n in made.warnings] == ["STREAMS_RESTART"]

    def test_no_default_inside_a_struct(self, tmp_path: Path) -> None:
        table = [protocol(writer=["allowColumnDefaults"]), PLAIN[1]]
        assert codes(plan(tmp_path, table, "add s.n int --default 7")) == ["NESTED_DEFAULT"]


class TestMapping:
    def test_new_fields_get_ids_and_names_of_their_own(self, tmp_path: Path) -> None:
        table = mapped_table(mapped("id", 1, "id", "integer"), last=4)
        made = plan(tmp_path, table, words("add", "n", "array<struct<a: int, b: int>>"))
        assert fields(made)[1] == mapped(
            "n",
            5,
            "col-column-5",
            array(
                struct(
                    mapped("a", 6, "col-column-6", "integer"),
                    mapped("b", 7, "col-column-7", "integer"),
                )
            ),
        )
        assert made.metadata is not None
        assert made.metadata.configuration["delta.columnMapping.maxColumnId"] == "7"
        assert back(made) == ["deltactl column drop TABLE n"]
        assert parameters(made)["columns"][0]["column"]["metadata"] == {}

    def test_nested_ids_for_iceberg(self, tmp_path: Path) -> None:
        known = {"delta.columnMapping.nested.ids": {"m.key": 5, "m.value": 6}}
        table = mapped_table(
            mapped("m", 1, "m", mapping("string", "integer"), **known),
            last=1,
            enableIcebergCompatV2="true",
        )
        table[0]["protocol"]["writerFeatures"].append("icebergCompatV2")
        made = plan(tmp_path, table, words("add", "n", "array<map<int,int>>"))
        assert fields(made)[1]["metadata"] == {
            "delta.columnMapping.id": 7,
            "delta.columnMapping.physicalName": "col-column-7",
            "delta.columnMapping.nested.ids": {
                "col-column-7.element": 8,
                "col-column-7.element.key": 9,
                "col-column-7.element.value": 10,
            },
        }

    def test_a_type_that_iceberg_lacks(self, tmp_path: Path) -> None:
        table = mapped_table(mapped("id", 1, "id", "integer"), enableIcebergCompatV1="true")
        table[0]["protocol"]["writerFeatures"].append("icebergCompatV1")
        assert codes(plan(tmp_path, table, "add n array<int>")) == ["NOT_IN_ICEBERG"]


class TestNames:
    @pytest.mark.parametrize("name", ["a b", "a,b", "a;b", "a{b", "a(b", "a\tb", "a=b"])
    def test_characters_that_need_mapping(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a").mkdir()
        assert codes(plan(tmp_path / "a", PLAIN, words("add", name, "int"))) == [
            "COLUMN_NAME_NEEDS_MAPPING"
        ]
        (tmp_path / "b").mkdir()
        made = plan(tmp_path / "b", PLAIN, words("add", name, "int", "--enable"))
        assert codes(made) == []
        assert fields(made)[2]["metadata"]["delta.columnMapping.physicalName"] == "col-column-5"

    def test_also_inside_the_type(self, tmp_path: Path) -> None:
        line = words("add", "n", "struct<`a b`: int>")
        assert codes(plan(tmp_path, PLAIN, line)) == ["COLUMN_NAME_NEEDS_MAPPING"]

    @pytest.mark.parametrize("name", ["_change_type", "_Commit_Version", "_commit_timestamp"])
    def test_those_of_the_change_data_feed(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "on").mkdir()
        on = [protocol(writer=["changeDataFeed"]), metadata(ID, enableChangeDataFeed="true")]
        assert codes(plan(tmp_path / "on", on, f"add {name} int")) == ["RESERVED_COLUMN_NAME"]
        (tmp_path / "off").mkdir()
        assert codes(plan(tmp_path / "off", PLAIN, f"add {name} int")) == []

    def test_those_of_row_tracking(self, tmp_path: Path) -> None:
        key = "rowTracking.materializedRowIdColumnName"
        table = [protocol(writer=["rowTracking", "domainMetadata"]), metadata(ID, **{key: "_row"})]
        assert codes(plan(tmp_path, table, "add _ROW int")) == ["RESERVED_COLUMN_NAME"]


class TestNamesInFiles:
    """A dropped column of another program's table is not to come back with its old values."""

    def table(self, root: Path, **columns: object) -> list[dict[str, object]]:
        pq.write_table(pa.table({name: [value] for name, value in columns.items()}), root / "f")
        return [*PLAIN, {"add": ADD}]

    def test_a_name_that_a_file_holds(self, tmp_path: Path) -> None:
        made = plan(tmp_path, self.table(tmp_path, id=1, Ghost=77), "add ghost long")
        assert codes(made) == ["COLUMN_IN_FILES"]

    def test_mapping_gives_it_another_name_in_files(self, tmp_path: Path) -> None:
        made = plan(tmp_path, self.table(tmp_path, id=1, ghost=77), "add ghost long --enable")
        assert codes(made) == []
        assert fields(made)[2]["metadata"]["delta.columnMapping.physicalName"] == "col-column-5"

    def test_a_field_that_a_file_holds(self, tmp_path: Path) -> None:
        made = plan(tmp_path, self.table(tmp_path, s={"x": 1, "ghost": 7}), "add s.ghost long")
        assert codes(made) == ["COLUMN_IN_FILES"]

    def test_a_name_that_no_file_holds(self, tmp_path: Path) -> None:
        made = plan(tmp_path, self.table(tmp_path, id=1, x=2), "add ghost long")
        assert codes(made) == []

    def test_a_file_that_cannot_be_read_says_nothing(self, tmp_path: Path) -> None:
        table = [*self.table(tmp_path, ghost=77), {"add": {**ADD, "path": "gone"}}]
        assert codes(plan(tmp_path, table, "add ghost long")) == ["COLUMN_IN_FILES"]
        (tmp_path / "f").unlink()
        (tmp_path / "other").mkdir()
        assert codes(plan(tmp_path / "other", table, "add ghost long")) == []

    def test_each_footer_is_read_once_and_of_few_files(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        read: list[str] = []
        own = data_files.read_types

        def noted(storage: Storage, path: str) -> FileTypes:
            read.append(path)
            return own(storage, path)

        monkeypatch.setattr(data_files, "read_types", noted)
        table = [*self.table(tmp_path, x=1), *({"add": {**ADD, "path": f"f{n}"}} for n in range(9))]
        for n in range(9):
            pq.write_table(pa.table({"x": [1]}), tmp_path / f"f{n}")
        lines = ["add one long", "add two long"]
        assert codes(plan(tmp_path, table, *lines)) == []
        assert (len(read), len(set(read))) == (3, 3)

    def test_mapping_that_comes_with_the_column(self, tmp_path: Path) -> None:
        table = self.table(tmp_path, **{"a b": 1})
        assert codes(plan(tmp_path, table, words("add", "a b", "long", "--enable"))) == []


@pytest.mark.parametrize(
    ("kind", "code"),
    [("void", "VOID_COLUMN"), ("array<void>", "VOID_COLUMN"), ("interger", "NOT_A_TYPE")],
)
def test_no_type_for_a_column(tmp_path: Path, kind: str, code: str) -> None:
    assert codes(plan(tmp_path, PLAIN, f"add n '{kind}'")) == [code]


def test_all_reasons_are_told(tmp_path: Path) -> None:
    line = words("add", "a b", "timestamp_ntz", "--default", "x", "--after", "none")
    assert codes(plan(tmp_path, PLAIN, line)) == [
        "COLUMN_NOT_FOUND",
        "FEATURE_NEEDED",
        "FEATURE_NEEDED",
        "DEFAULT_NOT_CONSTANT",
        "COLUMN_NAME_NEEDS_MAPPING",
    ]


def test_lengths_beside_a_column_stay_true(tmp_path: Path) -> None:
    kept = {"__CHAR_VARCHAR_TYPE_STRING": "struct<x:varchar(5)>"}
    table = [LEGACY, metadata(field("s", struct(field("x", "string")), **kept))]
    assert codes(plan(tmp_path, table, "add s.n int")) == ["LENGTH_NOT_KEPT"]
    (tmp_path / "b").mkdir()
    assert codes(plan(tmp_path / "b", PLAIN, "add s.n 'varchar(5)'")) == ["LENGTH_NOT_KEPT"]


def test_a_partitioned_table(tmp_path: Path) -> None:
    made = plan(tmp_path, partitioned(PLAIN, "id"), "add n int")
    assert made.metadata is not None
    assert made.metadata.partition_columns == ("id",)


class TestClustering:
    """Clustering columns must stay among the first 32 columns, which have statistics."""

    @pytest.mark.parametrize(
        ("line", "refused"),
        [("add n int --first", True), ("add n int", False), ("add n 'array<int>'", False)],
    )
    def test_a_place_before_the_last_that_has_statistics(
        self, tmp_path: Path, line: str, refused: bool
    ) -> None:
        columns = [field(f"c{number}", "integer") for number in range(33)]
        domain = {
            "domain": "delta.clustering",
            "configuration": '{"clusteringColumns":[["c31"]],"domainName":"delta.clustering"}',
            "removed": False,
        }
        table = [
            protocol(writer=["clustering", "domainMetadata"]),
            metadata(*columns),
            {"domainMetadata": domain},
        ]
        assert codes(plan(tmp_path, table, line)) == (["NO_STATISTICS"] if refused else [])
