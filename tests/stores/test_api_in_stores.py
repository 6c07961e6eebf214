"""The public API on a table in a store: options lead there, and what is secret is never shown."""

import logging
from pathlib import Path

import pytest
from small_tables import commit_info, field, metadata, protocol, write_log
from store_places import SECRET, Place

import deltactl

NAME = "_delta_log/00000000000000000000.json"


@pytest.fixture
def table(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> deltactl.DeltaTable:
    """A table in the store, which nothing but its options leads to."""
    for name in ("AWS_PROFILE", *place.options):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    heads = [
        protocol(reader=["typeWidening"], writer=["appendOnly", "invariants"]),
        metadata(field("id", "integer"), enableTypeWidening="true"),
    ]
    write_log(tmp_path, [[commit_info(), *heads]])
    place.opened().put(NAME, (tmp_path / NAME).read_bytes())
    return deltactl.open(place.uri, storage_options=place.options, timeout=20)


@pytest.mark.parametrize("place", ["moto"], indirect=True)
def test_options_lead_to_the_table_and_stay_secret(
    table: deltactl.DeltaTable,
    place: Place,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    plan = table.plan.widen({"id": "long"})
    plan.save(tmp_path / "plan.json")
    result = table.apply(deltactl.load_plan(tmp_path / "plan.json"), message="ids grow")
    assert (table.version, result.version) == (1, 1)
    assert [(c.version, c.operation) for c in table.history()] == [
        (1, "CHANGE COLUMN"),
        (0, "WRITE"),
    ]
    assert [(c.path, c.type) for c in table.columns.list()] == [("id", "long")]
    assert table.reports.schema_diff(0).changes[0].after == "long"
    assert table.checkpoint().wrote
    assert table.verify().is_sound
    around = deltactl.find_tables(
        place.uri.rpartition("/")[0], storage_options=place.options, depth=1
    )
    [found] = [other for other in around if other.uri == place.uri]
    assert found.version == 1
    with pytest.raises(deltactl.RefusedError) as refused:
        table.widen({"id": "date"})
    shown = [table, table.reports, table.plan, plan, result, refused.value, found, vars(table)]
    shown += [vars(refused.value), refused.value.details, table._settings]
    written = (tmp_path / "plan.json").read_text(), caplog.text, *capsys.readouterr()
    assert SECRET not in repr(shown) + "".join(written)
    assert f"{place.uri}: version 1, CHANGE COLUMN" in caplog.messages


@pytest.mark.parametrize("place", ["moto"], indirect=True)
def test_without_options_the_error_says_what_is_missing(
    table: deltactl.DeltaTable, place: Place
) -> None:
    with pytest.raises(deltactl.StorageError) as bare:
        assert deltactl.open(place.uri).version
    assert (bare.value.code, bare.value.message, bare.value.hint) == (
        "NO_CREDENTIALS",
        f"{place.uri}: there are no credentials for it",
        "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give "
        "--storage-option AWS_PROFILE=NAME",
    )
    elsewhere = {**place.options, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    with pytest.raises(deltactl.StorageError) as closed:
        assert deltactl.open(place.uri, storage_options=elsewhere, timeout=3).version
    assert closed.value.code == "STORE_UNREACHABLE"
    assert SECRET not in repr([vars(closed.value), closed.value])
    assert table.version == 0


@pytest.mark.parametrize("value", [5, ["a"], None], ids=str)
def test_an_option_that_is_wrong_shows_no_other(value: object) -> None:
    options: dict[str, object] = {"AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": value}
    with pytest.raises(deltactl.UsageError) as wrong:
        deltactl.open("s3://lake/t", storage_options=options)  # type: ignore[arg-type]
    assert SECRET not in f"{wrong.value} {wrong.value.details}"
    assert wrong.value.details == {"argument": "storage_options"}
    spark = deltactl.Spark(conf={"spark.hadoop.fs.s3a.secret.key": SECRET})
    assert SECRET not in repr(spark)
