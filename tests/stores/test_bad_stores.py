"""What is wrong with a store is one line with a remedy, and leaves the table as it was."""

import hashlib
import socket
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from fake_faults import Fault
from fake_store import FakeStore
from in_process import Said, say
from store_failures import check

from deltactl.cli.app import main
from deltactl.storage.remote.ranged_file import FIRST

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
TABLE = "s3://lake/t"
# The table is at version 2.
NEW = f"{3:020d}.json"
COMMIT = f"_delta_log/{NEW}$"
READ = ("show", TABLE)
CHANGE = ("column", "add", TABLE, "note", "string", "--yes")


@pytest.fixture
def store(lake: FakeStore) -> FakeStore:
    """A store with a table in it, which the environment leads to."""
    lake.load(GOLDEN, "t")
    return lake


def run(*words: str, timeout: str = "2s") -> Said:
    return say([*words, "--timeout", timeout, "-o", "json"])


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(kind="403"), "PERMISSION_DENIED"),
        (Fault(kind="403", operation="list"), "PERMISSION_DENIED"),
        (Fault(kind="bad key"), "CREDENTIALS_REJECTED"),
        (Fault(kind="bad signature"), "CREDENTIALS_REJECTED"),
        (Fault(kind="expired"), "CREDENTIALS_REJECTED"),
        (Fault(kind="skew"), "CLOCK_SKEWED"),
        (Fault(kind="no bucket"), "BUCKET_NOT_FOUND"),
        (Fault(kind="no key", operation="list"), "BUCKET_NOT_FOUND"),
        (Fault(kind="wrong region"), "WRONG_REGION"),
        (Fault(kind="503"), "STORE_BUSY"),
        (Fault(kind="slow", ms=9000), "STORE_TIMED_OUT"),
    ],
    ids=lambda value: value.kind + value.operation if isinstance(value, Fault) else value,
)
def test_reading(store: FakeStore, fault: Fault, code: str) -> None:
    store.plan(fault)
    begun = time.monotonic()
    check(run(*READ), code, 8)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(kind="403", operation="put"), "PERMISSION_DENIED"),
        (Fault(kind="full", operation="put"), "STORE_FULL"),
        (Fault(kind="quota", operation="put"), "STORE_FULL"),
        (Fault(kind="not implemented", operation="put"), "NO_ATOMIC_CREATE"),
        (Fault(kind="full", operation="put", key=COMMIT), "STORE_FULL"),
        (Fault(kind="403", operation="put", key=COMMIT), "PERMISSION_DENIED"),
    ],
    ids=["403", "full", "quota", "no conditions", "full at the commit", "403 at the commit"],
)
def test_writing(store: FakeStore, fault: Fault, code: str) -> None:
    before = store.data()
    store.plan(fault)
    check(run(*CHANGE), code, 8)
    assert store.data() == before
    # What asking again would not change is asked once.
    puts = store.asked("put", fault.key or "probe")
    assert len(puts) == 1


def test_a_store_that_does_not_know_conditions(store: FakeStore) -> None:
    before = store.data()
    store.behave(honours_conditions=False)
    check(run(*CHANGE), "NO_ATOMIC_CREATE", 8)
    assert store.data() == before


def test_it_is_said_where_it_is(store: FakeStore, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*READ, "-v"]) == 0
    assert f"note: {TABLE} is read by obstore at {store.url}/lake\n" in capsys.readouterr().err


def test_it_is_asked_for_conditions_once(store: FakeStore) -> None:
    assert run(*CHANGE).exit_code == 0
    assert [request.status for request in store.asked("put", "probe")] == [200, 412]
    assert run("property", "set", TABLE, "a.b=1", "--yes").exit_code == 0
    assert len(store.asked("put", "probe")) == 2
    assert not [key for key in store.data() if "probe" in key]


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
    before = store.data()
    assert run(*READ).exit_code == 0
    check(run(*CHANGE), code, 4)
    check(run(*CHANGE, "--dry-run"), code, 4)
    assert store.data() == before


def test_spark_may_overwrite_commits(
    store: FakeStore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    setting = '"spark.hadoop.fs.s3a.create.conditional.enabled" = "false"'
    Path("deltactl.toml").write_text(f"[spark-conf]\n{setting}\n")
    monkeypatch.setenv("DELTACTL_TRUST_CONFIG", "deltactl.toml")
    said = run(*CHANGE)
    assert said.committed == 3
    assert {
        "code": "SPARK_OVERWRITES",
        "message": "with fs.s3a.create.conditional.enabled=false Spark may overwrite commits of "
        "this table, ours included",
    } in said.document["plan"]["warnings"]


def test_a_catalog_commits(store: FakeStore) -> None:
    features = '["catalogManaged","inCommitTimestamp"]'
    protocol = (
        '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,'
        f'"readerFeatures":["catalogManaged"],"writerFeatures":{features}}}}}'
    )
    store.put(f"t/_delta_log/{NEW}", f"{protocol}\n".encode())
    before = store.data()
    said = run(*CHANGE)
    assert said.exit_code == 4
    assert "catalogManaged" in said.error["message"]
    assert store.data() == before


def test_a_log_store_of_spark_that_is_not_ours(store: FakeStore) -> None:
    conf = "spark.delta.logStore.s3a.impl=io.delta.storage.S3DynamoDBLogStore"
    said = run("protocol", "drop", TABLE, "typeWidening", "--yes", "--spark-conf", conf)
    assert "STORE_DYNAMODB_LOG" in str(said.document)


@pytest.mark.parametrize("kind", ["drop after", "drop before", "503", "busy"])
def test_an_answer_that_is_lost_is_no_loss(store: FakeStore, kind: str) -> None:
    store.plan(Fault(kind=kind, operation="put", key=COMMIT, times=2))
    said = run(*CHANGE, timeout="20s")
    assert (said.exit_code, said.committed) == (0, 3)
    assert f"t/_delta_log/{NEW}" in store.data()
    assert f"t/_delta_log/{4:020d}.json" not in store.data()


def test_no_answer_at_all(store: FakeStore) -> None:
    store.plan(
        Fault(kind="drop after", operation="put", key=COMMIT),
        Fault(kind="503", operation="get", key=COMMIT),
    )
    check(run(*CHANGE), "OUTCOME_UNKNOWN", 7)


def test_another_writer_wins(store: FakeStore) -> None:
    theirs = b'{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{}}}'
    # It lands after our listing, which does not show it, and before our own commit.
    store.plan(Fault(kind="hide", names=NEW, times=1))
    store.put(f"t/_delta_log/{NEW}", theirs)
    said = run(*CHANGE)
    assert (said.exit_code, said.committed) == (0, 4)
    assert store.data()[f"t/_delta_log/{NEW}"] == theirs


def test_a_commit_that_is_gone_when_it_is_read(store: FakeStore) -> None:
    store.plan(Fault(kind="no key", operation="get", key=r"0\.json$"))
    check(run(*READ), "LOG_FILE_VANISHED", 5)


def test_less_than_was_listed_is_no_commit(store: FakeStore) -> None:
    store.plan(Fault(kind="cut", operation="get", key=r"0\.json$", size=50))
    said = run("history", TABLE)
    assert said.exit_code == 8
    check(said, "STORAGE_FAILED", 8)


def _closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ({"AWS_ENDPOINT_URL": "http://127.0.0.1:CLOSED"}, "STORE_UNREACHABLE"),
        ({"AWS_ENDPOINT_URL": "http://no-such-host.invalid"}, "STORE_UNREACHABLE"),
        ({"AWS_ENDPOINT_URL": "https://127.0.0.1:OPEN"}, "TLS_FAILED"),
        (
            {
                "AWS_ACCESS_KEY_ID": "",
                "AWS_SECRET_ACCESS_KEY": "",
                "AWS_METADATA_ENDPOINT": "http://127.0.0.1:CLOSED",
            },
            "NO_CREDENTIALS",
        ),
    ],
    ids=["closed port", "no such host", "no TLS", "no credentials"],
)
def test_settings(
    store: FakeStore,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    settings: Mapping[str, str],
    code: str,
) -> None:
    ports = {"CLOSED": str(_closed_port()), "OPEN": store.url.rpartition(":")[2]}
    for name in ("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "missing"))
    for name, value in settings.items():
        for word, port in ports.items():
            value = value.replace(word, port)
        monkeypatch.setenv(name, value)
    check(run(*READ), code, 8)


@pytest.mark.parametrize(
    ("fault", "message", "hint"),
    [
        (
            Fault(kind="no bucket"),
            "s3://lake/t: there is no bucket lake (NoSuchBucket: The specified bucket does not "
            "exist)",
            "look at the URL's first part, and at the endpoint",
        ),
        (
            Fault(kind="wrong region"),
            "s3://lake/t: the bucket is in another region than the one that was asked",
            "name it with --storage-option AWS_REGION=REGION, or the environment's AWS_REGION",
        ),
        (
            Fault(kind="signed for another region"),
            "s3://lake/t: the bucket is in another region than the one that was asked: in "
            "eu-west-1 (AuthorizationHeaderMalformed: The region 'us-east-1' is wrong; expecting "
            "'eu-west-1')",
            "--storage-option AWS_REGION=eu-west-1",
        ),
        (
            Fault(kind="skew"),
            "s3://lake/t: the store's clock and this machine's differ too much "
            "(RequestTimeTooSkewed: The difference to the server's time is too large.)",
            "set this machine's clock: requests are signed with the time",
        ),
        (
            Fault(kind="403", key="last_checkpoint"),
            "s3://lake/t/_delta_log/_last_checkpoint: no permission (AccessDenied: Access Denied)",
            "the credentials that are used need the right to do this, and to list the folder",
        ),
    ],
    ids=lambda value: value.kind if isinstance(value, Fault) else "",
)
def test_what_is_wrong_is_told_of_the_whole_store(
    store: FakeStore, fault: Fault, message: str, hint: str
) -> None:
    store.plan(fault)
    error = run(*READ).error
    assert (error["message"], error["hint"]) == (message, hint)


@pytest.mark.parametrize(
    ("endpoint", "what"),
    [
        ("http://127.0.0.1:CLOSED", "no answer from 127.0.0.1:CLOSED"),
        ("http://me:VERYSECRET@127.0.0.1:CLOSED", "no answer from 127.0.0.1:CLOSED"),
        ("http://no-such-host.invalid", "the name no-such-host.invalid is not known"),
    ],
    ids=["closed port", "with a login", "no such host"],
)
def test_who_was_asked(
    store: FakeStore, monkeypatch: pytest.MonkeyPatch, endpoint: str, what: str
) -> None:
    port = str(_closed_port())
    monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint.replace("CLOSED", port))
    said = run(*READ)
    check(said, "STORE_UNREACHABLE", 8)
    assert said.error["message"] == f"s3://lake/t: {what.replace('CLOSED', port)}"
    assert said.error["hint"] == "look at AWS_ENDPOINT_URL, or the region, and at the network"


@pytest.mark.parametrize(
    ("settings", "hint"),
    [
        (
            {"AWS_ENDPOINT_URL": "https://127.0.0.1:OPEN"},
            "look at the endpoint's certificate; an endpoint without TLS is an http:// URL",
        ),
        (
            {"AWS_ALLOW_HTTP": "false"},
            "where AWS_ALLOW_HTTP is false no http:// URL is asked: unset it, or name an https:// "
            "URL",
        ),
    ],
    ids=["no TLS", "TLS alone"],
)
def test_hints_on_http(
    store: FakeStore, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str], hint: str
) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value.replace("OPEN", str(store.port)))
    assert run(*READ).error["hint"] == hint


def test_an_http_endpoint_needs_no_leave(store: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    assert run(*READ).exit_code == 0


@pytest.mark.parametrize("has_own_times", [False, True], ids=["", "in-commit timestamps"])
def test_requests_are_few(store: FakeStore, has_own_times: bool) -> None:
    """Eight at most, and the commits after the checkpoint; the probe is counted apart."""
    if has_own_times:
        setting = "delta.enableInCommitTimestamps=true"
        assert run("property", "set", TABLE, setting, "--enable", "--yes").exit_code == 0
    for number in range(9):
        assert run("property", "set", TABLE, f"a.b{number}=1", "--yes").exit_code == 0
    assert run("checkpoint", TABLE, "--yes").exit_code == 0
    for number in range(3):
        assert run("property", "set", TABLE, f"a.c{number}=1", "--yes").exit_code == 0
    change = ("property", "set", TABLE, "b=1", "--yes")
    for words in (("schema", "show", TABLE), ("protocol", "show", TABLE), change):
        begun = len(store.asked())
        assert run(*words).exit_code == 0
        asked = store.asked()[begun:]
        assert len(asked) <= 8 + 3, [(request.operation, request.key) for request in asked]


def test_settings_in_a_large_checkpoint_take_one_request(lake: FakeStore, tmp_path: Path) -> None:
    log = tmp_path / "_delta_log"
    log.mkdir()
    first = GOLDEN / "_delta_log" / f"{0:020d}.json"
    heads = [x for x in first.read_text().splitlines() if x.startswith(('{"protocol', '{"meta'))]
    add = (
        '{"add":{"path":"%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'
    )
    paths = (hashlib.sha1(b"%d" % number).hexdigest() for number in range(70_000))
    (log / first.name).write_text("\n".join(heads))
    (log / f"{1:020d}.json").write_text("\n".join(add % path for path in paths))
    assert run("checkpoint", str(tmp_path), timeout="60s").exit_code == 0
    [checkpoint] = log.glob("*.parquet")
    # In one row group, as other writers make it.
    pq.write_table(pq.read_table(checkpoint), checkpoint, row_group_size=1 << 20)
    assert checkpoint.stat().st_size > FIRST
    lake.load(tmp_path, "t")
    assert run("schema", "show", TABLE).exit_code == 0
    assert len(lake.asked("get", "parquet")) == 1
