"""A table was looked for in the wrong place of a store: what is said, and what was meant."""

from pathlib import Path

import pytest
from fake_faults import Fault
from fake_store import FakeStore
from in_process import say
from store_places import STORES, Place
from test_tables_in_stores import put_into

from deltactl.cli.app import main

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"


@pytest.fixture
def sales(lake: FakeStore) -> FakeStore:
    """A store with the table `s3://lake/sales/kitchen`, a folder in it, and a file beside it."""
    lake.load(GOLDEN, "sales/kitchen")
    lake.put("sales/kitchen/year=2024/month=1/rows.parquet", b"")
    lake.put("sales/notes.txt", b"")
    return lake


def no_table(uri: str) -> str:
    return f"no table at {uri}: nothing is there"


def not_a_table(uri: str) -> str:
    return f"{uri} is not a Delta table: its _delta_log holds no commit and no checkpoint"


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("s3://lake/sales/nope", None),
        ("s3://lake/sales/kitchens", "did you mean s3://lake/sales/kitchen?"),
        ("s3://lake/sales/kitchens/", "did you mean s3://lake/sales/kitchen?"),
        ("s3://lake/sale/kitchen", "did you mean s3://lake/sales?"),
        ("s3://lake/sale/kitchen/_delta_log", "did you mean s3://lake/sales?"),
        ("s3://lake/sales/kitchen/nope", "did you mean s3://lake/sales/kitchen?"),
        ("s3://lake/sale/a/b/c", None),
        ("s3://lake/s", None),
    ],
)
def test_nothing_is_there(sales: FakeStore, uri: str, hint: str | None) -> None:
    said = say(["show", uri, "-o", "json"])
    assert said.exit_code == 3
    assert said.error["code"] == "TABLE_NOT_FOUND"
    assert said.error["message"] == no_table(uri.rstrip("/"))
    assert said.error["hint"] == hint


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("s3://lake", "deltactl tables s3://lake finds the tables below it"),
        ("s3://lake/sales", "deltactl tables s3://lake/sales finds the tables below it"),
        ("s3://lake/sales/", "deltactl tables s3://lake/sales/ finds the tables below it"),
        ("s3://lake/sales/kitchen/_delta_log", "did you mean s3://lake/sales/kitchen?"),
        ("s3://lake/sales/kitchen/_delta_log/", "did you mean s3://lake/sales/kitchen?"),
        (
            "s3://lake/sales/kitchen/year=2024/month=1",
            "it lies in the table s3://lake/sales/kitchen",
        ),
        ("s3://lake/sales/notes.txt", None),
    ],
)
def test_something_is_there(sales: FakeStore, uri: str, hint: str | None) -> None:
    said = say(["show", uri, "-o", "json"])
    assert said.exit_code == 3
    assert said.error["code"] == "NOT_A_TABLE"
    assert said.error["message"] == not_a_table(uri.rstrip("/"))
    assert said.error["hint"] == hint


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        ("s3://lake/nothing", None),
        ("s3://lake/sale", "did you mean s3://lake/sales?"),
        ("s3://lake/sale/eu/", "did you mean s3://lake/sales?"),
    ],
)
def test_no_folder_to_search(sales: FakeStore, uri: str, hint: str | None) -> None:
    said = say(["tables", uri, "-o", "json"])
    assert said.exit_code == 3
    assert said.error["code"] == "FOLDER_NOT_FOUND"
    assert said.error["message"] == f"no folder at {uri.rstrip('/')}: nothing is there"
    assert said.error["hint"] == hint


@pytest.mark.parametrize("uri", ["s3://lake", "s3://lake/notes"])
def test_a_folder_without_tables(lake: FakeStore, uri: str) -> None:
    if uri != "s3://lake":
        lake.put("notes/one.txt", b"")
    said = say(["tables", uri, "-o", "json"])
    assert (said.exit_code, said.document["tables"]) == (0, [])


@pytest.mark.parametrize("uri", ["s3://lake", "s3://lake/", "s3://lake///"])
def test_slashes_at_the_end_of_a_folder(
    sales: FakeStore, uri: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["tables", uri]) == 0
    assert capsys.readouterr().out.splitlines()[1].split()[-1] == "s3://lake/sales/kitchen"
    document = say(["tables", uri, "-o", "json"]).document
    assert document["prefix"] == "s3://lake"
    assert [table["uri"] for table in document["tables"]] == ["s3://lake/sales/kitchen"]


def test_few_listings_look_for_it(sales: FakeStore) -> None:
    say(["show", "s3://lake/a/b/c/d/e/f", "-o", "json"])
    listed = len(sales.asked("list"))
    # Its log, what is in it, and what is in three folders above.
    assert listed <= 7


def test_who_may_not_list_the_folder_loses_a_hint(sales: FakeStore) -> None:
    sales.plan(Fault(kind="403", operation="list", key="^sales/$"))
    said = say(["show", "s3://lake/sales/kitchens", "-o", "json"])
    assert (said.exit_code, said.error["code"]) == (3, "NOT_A_TABLE")
    assert said.error["hint"] is None


@pytest.mark.parametrize("place", [name for name in STORES if name != "local"], indirect=True)
def test_every_store_says_so(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for option, value in place.options.items():
        monkeypatch.setenv(option, value)
    put_into(place._replace(uri=f"{place.uri}/sales/kitchen"), GOLDEN)

    def said(below: str) -> tuple[str, str, str | None]:
        error = say(["show", f"{place.uri}/{below}", "-o", "json"]).error
        return error["code"], error["message"], error["hint"]

    sales = f"{place.uri}/sales"
    searched = say(["tables", f"{sales}/nope", "-o", "json"])
    assert (searched.exit_code, searched.error["code"]) == (3, "FOLDER_NOT_FOUND")
    nothing, no_log = "TABLE_NOT_FOUND", "NOT_A_TABLE"
    assert said("sales/nope") == (nothing, no_table(f"{sales}/nope"), None)
    assert said("sale/kitchen") == (
        nothing,
        no_table(f"{place.uri}/sale/kitchen"),
        f"did you mean {sales}?",
    )
    assert said("sales") == (
        no_log,
        not_a_table(sales),
        f"deltactl tables {sales} finds the tables below it",
    )
    assert said("sales/kitchen/_delta_log") == (
        no_log,
        not_a_table(f"{sales}/kitchen/_delta_log"),
        f"did you mean {sales}/kitchen?",
    )
