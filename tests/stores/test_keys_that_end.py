"""Keys of an AWS profile that end within seconds, and commands that take longer than that."""

import json
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs

import pytest
from fake_store import FakeStore
from store_places import SECRET

from deltactl.cli.app import main

pytestmark = pytest.mark.skipif(
    find_spec("boto3") is None, reason="the extra [aws] is not installed"
)
GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
LIFE = 1.2
"""Seconds that keys are good for."""

# Prints keys with the time at which they end, in milliseconds, in their name; counts its runs.
PROGRAM = f"""\
import json, sys, time
from pathlib import Path
runs = Path(sys.argv[1])
runs.write_text(runs.read_text() + "x")
if len(runs.read_text()) > int(sys.argv[2]):
    sys.exit("{SECRET}")
end = time.time() + {LIFE}
print(json.dumps(dict(Version=1, AccessKeyId=f"AK{{end * 1000:.0f}}", SecretAccessKey="{SECRET}",
    SessionToken="t", Expiration=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(end + 1)))))
"""


def is_good(key: str) -> bool:
    return key.startswith("AK") and time.time() * 1000 < int(key[2:])


@pytest.fixture
def slow_lake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeStore]:
    """A store with a table, each answer of which takes a while, and which sees keys end."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    with FakeStore() as store:
        store.load(GOLDEN, "t")
        store.behave(latency_ms=400, accepts=is_good)
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", store.url)
        yield store


def profile(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    Path("config").write_text(text)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(Path("config").absolute()))
    monkeypatch.setenv("AWS_PROFILE", "p")


def program(monkeypatch: pytest.MonkeyPatch, most: int) -> Path:
    """Have a program give keys, as often as that; return the file whose size counts its runs."""
    script, runs = Path("give.py").absolute(), Path("runs").absolute()
    script.write_text(PROGRAM)
    runs.write_text("")
    command = f"{sys.executable} -S -E {script} {runs} {most}"
    profile(monkeypatch, f"[profile p]\nregion = us-east-1\ncredential_process = {command}\n")
    return runs


def test_a_program_is_asked_again(slow_lake: FakeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = program(monkeypatch, 1000)
    began = time.monotonic()
    assert main(["property", "set", "s3://lake/t", "a.b=1"]) == 0
    assert time.monotonic() - began > 2 * LIFE
    assert len(runs.read_text()) >= 3
    assert {request.status for request in slow_lake.asked()}.isdisjoint({400, 403})


def test_a_program_that_fails_later(
    slow_lake: FakeStore, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(monkeypatch, 3)
    assert main(["property", "set", "s3://lake/t", "a.b=1", "-v"]) == 8
    told = capsys.readouterr()
    assert "[AWS_CREDENTIAL_PROCESS_FAILED]" in told.err
    assert SECRET not in told.out + told.err
    assert not slow_lake.asked("put", "_delta_log/0")


class Sts(ThreadingHTTPServer):
    """AWS's service for roles: gives keys that end after `LIFE`, and notes who asked."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Sts)
        self.asked: list[tuple[str, str]] = []


class _Sts(BaseHTTPRequestHandler):
    server: Sts

    def do_POST(self) -> None:
        told = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        key = self.headers["Authorization"].partition("Credential=")[2].partition("/")[0]
        self.server.asked.append((key, told["RoleArn"][0]))
        end = datetime.now(UTC) + timedelta(seconds=LIFE)
        body = (
            '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">'
            "<AssumeRoleResult><Credentials>"
            f"<AccessKeyId>AK{end.timestamp() * 1000:.0f}</AccessKeyId>"
            f"<SecretAccessKey>{SECRET}</SecretAccessKey><SessionToken>t</SessionToken>"
            f"<Expiration>{end + timedelta(seconds=1):%Y-%m-%dT%H:%M:%SZ}</Expiration>"
            "</Credentials><AssumedRoleUser><Arn>a</Arn><AssumedRoleId>b</AssumedRoleId>"
            "</AssumedRoleUser></AssumeRoleResult></AssumeRoleResponse>"
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def sts() -> Iterator[Sts]:
    with Sts() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()


ROLE = "arn:aws:iam::123456789012:role/r"


def test_a_role_is_taken_again(
    slow_lake: FakeStore, sts: Sts, monkeypatch: pytest.MonkeyPatch
) -> None:
    profile(
        monkeypatch,
        f"[profile p]\nregion = us-east-1\nrole_arn = {ROLE}\nsource_profile = q\n"
        f"services = here\n[services here]\nsts =\n  endpoint_url = "
        f"http://127.0.0.1:{sts.server_address[1]}\n"
        f"[profile q]\naws_access_key_id = SOURCE\naws_secret_access_key = {SECRET}\n",
    )
    began = time.monotonic()
    assert main(["property", "set", "s3://lake/t", "a.b=1"]) == 0
    assert time.monotonic() - began > 2 * LIFE
    assert len(sts.asked) >= 3
    assert {*sts.asked} == {("SOURCE", ROLE)}
    assert {request.status for request in slow_lake.asked()}.isdisjoint({400, 403})
    written = slow_lake.data()[max(key for key in slow_lake.data() if key.endswith(".json"))]
    assert json.loads(written.splitlines()[0])["commitInfo"]["operation"] == "SET TBLPROPERTIES"
