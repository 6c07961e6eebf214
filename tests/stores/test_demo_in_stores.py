"""`deltactl demo` in a store: the table comes there file by file, where nothing was before."""

import json
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import obstore
import pytest
from fake_faults import Fault
from fake_store import FakeStore
from in_process import Said, say
from store_failures import check
from store_places import SECRET, STORES, Place, s3

from deltactl.cli.app import main
from deltactl.cli.commands.demo import Lesson
from deltactl.spark.install.installation import Installation
from deltactl.spark.install.java import Java
from deltactl.spark.install.versions import VersionPair

TABLE = "s3://lake/new/orders"
LOG = "new/orders/_delta_log/"
COMMITS = [f"{version:020d}.json" for version in range(5)]
# The version of the table when so many of its files are there.
VERSIONS = [None, 0, 0, 1, 2, 2, 3, 4]


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def store(lake: FakeStore) -> FakeStore:
    """An empty store, which the environment leads to."""
    return lake


def demo(*words: str, timeout: str = "2s") -> Said:
    return say(["demo", *(words or (TABLE,)), "--timeout", timeout, "-o", "json"])


def shown(table: str = TABLE) -> Mapping[str, Any]:
    return say(["show", table, "--rows", "-o", "json"]).document


@pytest.mark.parametrize("place", [name for name in STORES if name != "local"], indirect=True)
def test_the_table_is_made_there(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for option, value in place.options.items():
        monkeypatch.setenv(option, value)
    table = f"{place.uri}/orders"
    made = say(["demo", table, "-o", "json"])
    assert made.exit_code == 0
    assert made.document["table"]["uri"] == made.document["folder"] == table
    steps = made.document["steps"]
    assert [step["exit"] for step in steps] == [0] * 13
    assert steps[8]["command"] == f"deltactl widen {table} items.element.quantity long"
    assert made.document["leftOut"]["hint"] == "deltactl spark install"
    state = shown(table)
    assert (state["version"], state["checkpoint"]["version"]) == (5, 5)
    assert (state["files"]["count"], state["files"]["records"]) == (2, 5)
    storage = place.opened()
    names = [file.name for file in storage.list_from("orders/_delta_log")]
    assert [name for name in names if name.endswith("0.json")] == [COMMITS[0]]
    assert not [name for name in names if "probe" in name or name.endswith(".tmp")]
    files = [file.name for file in storage.list_from("orders")]
    assert [name[:11] for name in files] == ["part-00000-", "part-00000-"]
    # A second demo touches nothing that exists.
    again = say(["demo", table, "-o", "json"])
    assert (again.error["code"], again.exit_code) == ("FOLDER_EXISTS", 4)
    assert [file.name for file in storage.list_from("orders/_delta_log")] == names
    assert [file.name for file in storage.list_from("orders")] == files


def test_what_was_given_as_flags(
    fake_s3: FakeStore, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    """Each command of the demo has them, and none of them is printed."""
    options = s3(fake_s3.url, "").options
    flags = [word for pair in options.items() for word in ("--storage-option", "=".join(pair))]
    assert main(["demo", TABLE, *flags, "--timeout", "20s"]) == 0
    out, err = (text.decode() for text in capsysbinary.readouterr())
    assert "\n$ deltactl verify-checksum s3://lake/new/orders\n" in out
    assert "\nVersion 5 is sound.\n" in out
    assert out.endswith(
        "\n\nThe table stays in s3://lake/new/orders: try more on it, or remove all that lies "
        "below that URL.\nCommands on it take the same --storage-option as this one.\n"
    )
    assert SECRET not in out + err
    assert fake_s3.url not in out + err
    made = demo("s3://lake/second", *flags, timeout="20s")
    assert made.exit_code == 0
    assert made.document["steps"][0] == {"command": "deltactl show s3://lake/second", "exit": 0}
    assert SECRET not in json.dumps(made.document)


def test_a_profile_leads_to_the_store(
    fake_s3: FakeStore, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    lines = [f'{name} = "{value}"' for name, value in s3(fake_s3.url, "").options.items()]
    text = "\n".join(["[profiles.far.storage-options]", *lines])
    Path("deltactl.toml").write_text(f"{text}\n")
    words = ["demo", TABLE, "--profile", "far", "--trust-config", "deltactl.toml"]
    assert main(words) == 0
    out = capsysbinary.readouterr().out.decode()
    assert out.endswith(
        "\nCommands on it take the same --profile and --trust-config as this one.\n"
    )
    assert f"{LOG}{5:020d}.json" in fake_s3.data()


@pytest.fixture
def spark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a Spark that is said to be installed; it has no jars for stores."""
    java, home = Java(tmp_path, 21, "the test"), tmp_path / "spark"
    (home / "jars").mkdir(parents=True)
    found = Installation(VersionPair("4.2.0", "4.4.0"), home, java, (), tmp_path)
    monkeypatch.setattr("deltactl.cli.commands.demo.find_installation", lambda *_: found)
    monkeypatch.setattr("deltactl.cli.commands.demo.LESSONS", (Lesson("show TABLE", "It."),))
    # What takes Spark is a matter of other tests.
    last = (Lesson("history TABLE", "As if on Spark."),)
    monkeypatch.setattr("deltactl.cli.commands.demo.ON_SPARK", last)
    return home


def test_spark_has_no_jars_for_the_store(store: FakeStore, spark: Path, tmp_path: Path) -> None:
    left_out = demo().document["leftOut"]
    assert left_out["command"] == f"deltactl history {TABLE}"
    assert left_out["why"] == f"the jar hadoop-aws-3.5.0.jar is not in {tmp_path}"
    assert left_out["hint"] == "deltactl spark install --s3"
    # A folder needs none.
    assert demo("./orders").document["leftOut"] is None


def test_a_cluster_sees_the_store(store: FakeStore, spark: Path) -> None:
    (spark / "jars" / "hadoop-aws-3.5.0.jar").touch()
    assert demo("s3://lake/here").document["leftOut"] is None
    with socket.create_server(("127.0.0.1", 0)) as server:
        master = f"spark://127.0.0.1:{server.getsockname()[1]}"
        made = demo(TABLE, "--master", master).document
    assert [step["command"] for step in made["steps"]] == [
        f"deltactl show {TABLE}",
        f"deltactl history {TABLE}",
    ]
    # Nobody is there any more.
    left_out = demo("s3://lake/late", "--master", master).document["leftOut"]
    assert left_out["why"].startswith(f"nothing answers at {master} (")


def test_spark_connect_cannot_rewrite(store: FakeStore, spark: Path) -> None:
    left_out = demo(TABLE, "--remote", "sc://there:15002/;token=VERYSECRET").document["leftOut"]
    assert left_out["why"] == (
        "the settings name sc://there:15002, and Spark Connect cannot rewrite files"
    )
    assert left_out["hint"] == "type it with --master 'local[*]'"


@pytest.mark.parametrize(
    ("key", "table"),
    [
        ("new/orders/a", TABLE),
        ("new/orders/b/c", TABLE),
        ("new/orders", TABLE),
        ("new/orders/a", f"{TABLE}/"),
        ("a", "s3://lake"),
        ("b/c", "s3://lake/"),
    ],
)
def test_what_is_there_is_refused_and_left_alone(store: FakeStore, key: str, table: str) -> None:
    store.put(key, b"mine")
    said = demo(table)
    check(said, "FOLDER_EXISTS", 4)
    assert said.error["message"] == f"{table} holds something already; nothing was changed"
    assert said.error["hint"] == (
        "name another place, as in `deltactl demo s3://lake/another`; if it comes from an earlier "
        "demo you can also remove what is there and run the demo again"
    )
    assert store.data() == {key: b"mine"}
    assert store.asked("(put|delete|copy).*") == []


def test_what_lies_beside_it_is_no_hindrance(store: FakeStore) -> None:
    # The second is what consoles make of a folder, the third what Hadoop makes of one.
    for key in ("new/orders-2/a", "new/orders/", "new/orders_$folder$"):
        store.put(key, b"")
    assert demo(timeout="20s").exit_code == 0


def test_the_root_of_a_bucket(store: FakeStore) -> None:
    assert demo("s3://lake", timeout="20s").exit_code == 0
    assert shown("s3://lake")["version"] == 5


@pytest.mark.parametrize(
    ("setting", "value", "code"),
    [
        ("AWS_S3_LOCKING_PROVIDER", "dynamodb", "STORE_DYNAMODB_LOG"),
        ("AWS_S3_ALLOW_UNSAFE_RENAME", "true", "STORE_UNSAFE_RENAME"),
    ],
)
def test_other_ways_of_committing(
    store: FakeStore, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, code: str
) -> None:
    monkeypatch.setenv(setting, value)
    check(demo(), code, 4)
    assert store.data() == {}


def test_a_log_store_of_spark_that_is_not_ours(store: FakeStore) -> None:
    conf = "spark.delta.logStore.s3a.impl=io.delta.storage.S3DynamoDBLogStore"
    check(demo(TABLE, "--spark-conf", conf), "STORE_DYNAMODB_LOG", 4)
    assert store.data() == {}


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(kind="no bucket"), "BUCKET_NOT_FOUND"),
        (Fault(kind="403"), "PERMISSION_DENIED"),
        (Fault(kind="403", operation="put"), "PERMISSION_DENIED"),
        (Fault(kind="bad key"), "CREDENTIALS_REJECTED"),
        (Fault(kind="wrong region"), "WRONG_REGION"),
        (Fault(kind="503"), "STORE_BUSY"),
        (Fault(kind="full", operation="put"), "STORE_FULL"),
        (Fault(kind="not implemented", operation="put"), "NO_ATOMIC_CREATE"),
    ],
    ids=lambda value: value.kind + value.operation if isinstance(value, Fault) else value,
)
def test_what_is_wrong_with_the_store(store: FakeStore, fault: Fault, code: str) -> None:
    store.plan(fault)
    check(demo(), code, 8)
    assert store.data() == {}


def test_a_store_that_does_not_know_conditions(store: FakeStore) -> None:
    store.behave(honours_conditions=False)
    check(demo(), "NO_ATOMIC_CREATE", 8)
    assert store.data() == {}


def test_nobody_is_there(store: FakeStore) -> None:
    store.stop()
    check(demo(), "STORE_UNREACHABLE", 8)


def test_no_credentials(store: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    # Where a machine of Amazon's would be given some.
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    check(demo(), "NO_CREDENTIALS", 8)


@pytest.mark.parametrize("kind", ["drop after", "drop before", "503", "busy"])
def test_answers_that_are_lost_are_no_loss(store: FakeStore, kind: str) -> None:
    """Each file of the table is there exactly once, though its first answer is lost."""
    files = [f"{LOG}{name}$" for name in COMMITS]
    faults = [Fault(kind=kind, operation="put", key=key, times=1) for key in [*files, "/part-"]]
    store.plan(*faults)
    made = demo(timeout="20s")
    assert made.exit_code == 0
    assert [fault.hits for fault in faults] == [1] * 6
    keys = [key.removeprefix("new/orders/") for key in store.data()]
    assert len([key for key in keys if key.startswith("part-")]) == 2
    assert len([key for key in keys if key.endswith(".json")]) == 6
    assert (shown()["version"], shown()["files"]["records"]) == (5, 5)


def test_another_program_makes_the_same_commit(store: FakeStore) -> None:
    theirs = b'{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{}}}'
    # It lands after our listing, which does not show it.
    store.plan(Fault(kind="hide", names="orders"))
    store.put(f"{LOG}{COMMITS[2]}", theirs)
    said = demo()
    check(said, "DEMO_STOPPED", 8)
    assert said.error["message"] == (
        f"{TABLE}/_delta_log/{COMMITS[2]}: another program made it; the table ends before it"
    )
    assert said.error["hint"] == "name another place, as in `deltactl demo s3://lake/another`"
    assert store.data()[f"{LOG}{COMMITS[2]}"] == theirs


@pytest.mark.parametrize("step", range(7))
def test_a_store_that_is_full_at_each_file(store: FakeStore, step: int) -> None:
    store.plan(Fault(kind="full", operation="put", key="json$|parquet$", skip=step))
    check(demo(), "STORE_FULL", 8)
    assert_whole(store, VERSIONS[step])


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("step", range(7))
def test_interrupted_at_each_file(
    store: FakeStore, monkeypatch: pytest.MonkeyPatch, step: int, when: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(obstore, "put", interrupted(obstore.put, step, when))
        check(demo(), "INTERRUPTED", 130)
    assert_whole(store, VERSIONS[step + (when == "after")])
    nothing_is_there = (step, when) == (0, "before")
    assert demo(timeout="20s").exit_code == (0 if nothing_is_there else 4)


def interrupted(put: Callable[..., Any], step: int, when: str) -> Callable[..., Any]:
    """Ctrl-C comes before or after this one of the table's files is put."""
    files = 0

    def at_last(client: Any, key: str, *args: Any, **how: Any) -> Any:
        nonlocal files
        files += key.endswith((".json", ".parquet"))
        if files == step + 1 and when == "before":
            raise KeyboardInterrupt
        answer = put(client, key, *args, **how)
        if files == step + 1:
            raise KeyboardInterrupt
        return answer

    return at_last


def assert_whole(store: FakeStore, version: int | None) -> None:
    """Assert that the table is at this version, and that all its log names is there and sound."""
    if version is None:
        assert not [key for key in store.data() if key.startswith(LOG)]
        return
    assert shown()["version"] == version
    checked = say(["verify-checksum", TABLE, "--all", "--data", "-o", "json"])
    assert (checked.exit_code, checked.document["findings"]) == (0, [])
