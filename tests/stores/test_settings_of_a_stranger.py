"""Files of a stranger name hosts and programs: no host gets a secret, and no program runs.

Each case is run again with the file trusted: then the stranger does get a request, or a program
runs, so that no case passes for want of a reason.
"""

import json
import os
import shlex
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from fake_store import FakeStore
from in_process import Said, say
from store_places import SECRET

from deltactl.changes import saved_plan
from deltactl.cli.app import main

GOLDEN = Path(__file__).parent.parent / "golden" / "all_types" / "delta"
TRUST = ("--trust-config", "deltactl.toml")
KEY = "VkVSWVNFQ1JFVA=="  # VERYSECRET in Base64
# What the user has in the environment, for every store.
SECRETS = {
    "AWS_ACCESS_KEY_ID": "mine",
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_SESSION_TOKEN": SECRET,
    "AWS_REGION": "us-east-1",
    "AWS_ALLOW_HTTP": "true",
    "AZURE_STORAGE_ACCOUNT_NAME": "mine",
    "AZURE_ALLOW_HTTP": "true",
    "GOOGLE_BEARER_TOKEN": SECRET,
    "GOOGLE_ALLOW_HTTP": "true",
    "HDFS_DELEGATION_TOKEN": SECRET,
    "HADOOP_USER_NAME": "me",
}
SERVICE_PRINCIPAL = {
    "AZURE_CLIENT_ID": "me",
    "AZURE_CLIENT_SECRET": SECRET,
    "AZURE_TENANT_ID": "us",
}


class Stranger(ThreadingHTTPServer):
    """A host that keeps what it is sent; a test that ends with a secret there has failed."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Listening)
        self.got: list[str] = []
        self.wanted = False

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.place}"


class _Listening(BaseHTTPRequestHandler):
    server: Stranger

    def _keep(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.got.append(f"{self.requestline}\n{self.headers}\n{body.decode('latin-1')}")
        self.send_response(403)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


for _method in ("GET", "HEAD", "PUT", "POST", "DELETE", "CONNECT"):
    setattr(_Listening, f"do_{_method}", _Listening._keep)


@pytest.fixture
def stranger(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Stranger]:
    """A stranger's host; nothing of the user's is to arrive there before the file is trusted."""
    for name in [*os.environ]:
        if name.startswith(("AWS_", "AZURE_", "GOOGLE_", "HDFS_", "DELTACTL_")):
            monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    with Stranger() as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server
        server.shutdown()
        assert server.wanted or server.got == []


@pytest.fixture
def own(stranger: Stranger, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeStore]:
    """The user's own stores, with secrets for them in the environment."""
    with FakeStore() as store:
        store.load(GOLDEN, "t")
        for name in ("AWS_ENDPOINT_URL", "AZURE_STORAGE_ENDPOINT", "GOOGLE_BASE_URL"):
            monkeypatch.setenv(name, store.url)
        for name, value in SECRETS.items():
            monkeypatch.setenv(name, value)
        yield store


def project(text: str) -> None:
    Path("deltactl.toml").write_text(text)


def run(*words: str) -> Said:
    return say([*words, "--timeout", "2s", "-o", "json"])


def completed(*words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the shell does at TAB."""
    with monkeypatch.context() as patch:
        patch.setenv("_DELTACTL_COMPLETE", "fish_complete")
        patch.setenv("COMP_WORDS", shlex.join(["deltactl", *words]))
        patch.setenv("COMP_CWORD", words[-1])
        main([])


@pytest.mark.parametrize(
    ("uri", "more", "option", "value"),
    [
        ("s3://lake/t", {}, "AWS_ENDPOINT_URL", "{url}"),
        ("s3://lake/t", {}, "AWS_ENDPOINT_URL_S3", "{url}"),
        ("s3://lake/t", {}, "endpoint", "{url}"),
        ("s3://lake/t", {}, "AWS_PROXY_URL", "{url}"),
        ("az://lake/t", {"AZURE_STORAGE_ACCOUNT_KEY": KEY}, "AZURE_STORAGE_ENDPOINT", "{url}"),
        ("az://lake/t", {"AZURE_STORAGE_TOKEN": SECRET}, "AZURE_STORAGE_ENDPOINT", "{url}"),
        ("az://lake/t", {"AZURE_STORAGE_SAS_TOKEN": f"sv=1&sig={SECRET}"}, "endpoint", "{url}"),
        ("az://lake/t", SERVICE_PRINCIPAL, "AZURE_AUTHORITY_HOST", "{url}"),
        ("az://lake/t", {"AZURE_STORAGE_TOKEN": SECRET}, "AZURE_PROXY_URL", "{url}"),
        ("gs://lake/t", {}, "GOOGLE_BASE_URL", "{url}"),
        ("gs://lake/t", {}, "GOOGLE_PROXY_URL", "{url}"),
        ("hdfs:///t", {"HDFS_HTTP_ADDRESS": "{own}"}, "HDFS_HTTP_ADDRESS", "{place}"),
    ],
    ids=lambda value: value if isinstance(value, str) else ",".join(value),
)
def test_an_option_names_a_host(
    own: FakeStore,
    stranger: Stranger,
    monkeypatch: pytest.MonkeyPatch,
    uri: str,
    more: dict[str, str],
    option: str,
    value: str,
) -> None:
    if option == "AZURE_AUTHORITY_HOST":
        monkeypatch.setenv(option, own.url)
    for name, told in more.items():
        monkeypatch.setenv(name, told.format(own=f"127.0.0.1:{own.port}"))
    value = value.format(url=stranger.url, place=stranger.place)
    project(
        f'[storage-options]\n{option} = "{value}"\n[tables]\nx = "{uri}"\n'
        f'[profiles.p.storage-options]\n{option} = "{value}"\n'
    )
    for words in (("show", uri), ("show", "x"), ("show", uri, "--profile", "p"), ("tables",)):
        run(*words)
        assert stranger.got == []
    assert own.asked()
    completed("schema", "types", uri, "a", monkeypatch=monkeypatch)
    assert stranger.got == []
    stranger.wanted = True
    run("show", uri, *TRUST)
    assert stranger.got


@pytest.mark.parametrize(
    ("uri", "options"),
    [
        ("s3://lake/t", {"AWS_METADATA_ENDPOINT": "{url}"}),
        (
            "s3://lake/t",
            {
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": "{url}/x",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "{token}",
            },
        ),
        ("az://lake/t", {"AZURE_MSI_ENDPOINT": "{url}"}),
    ],
    ids=["metadata", "container", "managed identity"],
)
def test_an_option_names_who_gives_credentials(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch, uri: str, options: dict[str, str]
) -> None:
    # What the user has leads to a port where nobody listens.
    nowhere = "http://127.0.0.1:9"
    for name in ("AWS_ENDPOINT_URL", "AZURE_STORAGE_ENDPOINT", "AWS_METADATA_ENDPOINT"):
        monkeypatch.setenv(name, nowhere)
    monkeypatch.setenv("AZURE_MSI_ENDPOINT", nowhere)
    for name in ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "mine")
    token = Path.cwd() / "token"
    token.write_text(SECRET)
    told = {name: v.format(url=stranger.url, token=token) for name, v in options.items()}
    lines = "".join(f'{name} = "{value}"\n' for name, value in told.items())
    project(f'[storage-options]\n{lines}[tables]\nx = "{uri}"\n')
    for words in (("show", uri), ("tables",)):
        run(*words)
        assert stranger.got == []
    completed("schema", "types", uri, "a", monkeypatch=monkeypatch)
    assert stranger.got == []
    stranger.wanted = True
    run("show", uri, *TRUST)
    assert stranger.got


@pytest.mark.parametrize("scheme", ["webhdfs", "hdfs", "WebHDFS"])
@pytest.mark.parametrize("where", ["tables", "profiles.p.tables"])
def test_a_name_leads_to_a_host(
    own: FakeStore,
    stranger: Stranger,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
    where: str,
) -> None:
    if scheme == "hdfs":  # its web address is at another port
        monkeypatch.setattr(
            "deltactl.storage.hdfs.web_hdfs._web_address", lambda *_: _address(stranger)
        )
    project(f'[{where}]\nx = "{scheme}://{stranger.place}/t"\n')
    profile = ("--profile", "p") if where.startswith("profiles") else ()
    refused = run("show", "x", *profile)
    assert (refused.exit_code, refused.error["code"]) == (4, "CONFIG_UNTRUSTED")
    for words in (("files", "x"), ("tables",), ("tables", "x"), ("schema", "diff", "x", "0")):
        run(*words, *profile)
    completed("schema", "types", "x", "a", monkeypatch=monkeypatch)
    assert stranger.got == []
    stranger.wanted = True
    run("show", "x", *profile, *TRUST)
    assert f"delegation={SECRET}" in stranger.got[0]
    stranger.got.clear()
    completed("schema", "types", "x", "a", *TRUST, monkeypatch=monkeypatch)
    assert stranger.got == []


def _address(stranger: Stranger) -> object:
    from deltactl.storage.hdfs.name_nodes import WebAddress

    return WebAddress("127.0.0.1", int(stranger.server_address[1]))


@pytest.mark.parametrize("where", ["top", "profile", "own profile"])
def test_a_file_of_aws_names_a_program(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    Path(".x").mkdir()
    ran = Path.cwd() / "ran"
    Path(".x/config").write_text(f"[profile p]\ncredential_process = touch {ran}\n")
    options = '{ AWS_CONFIG_FILE = ".x/config", AWS_PROFILE = "p" }'
    line = f"storage-options = {options}\n"
    names = '[tables]\nx = "s3://lake/t"\n'
    if where == "top":
        project(line + names)
    elif where == "profile":
        project(f'profile = "q"\n{names}[profiles.q]\n{line}')
    else:
        user = Path(os.environ["XDG_CONFIG_HOME"], "deltactl", "config.toml")
        user.parent.mkdir(parents=True)
        user.write_text(f"[profiles.q]\n{line}".replace(".x/", f"{Path.cwd()}/.x/"))
        project('profile = "q"\n[tables]\nx = { uri = "s3://lake/t", profile = "q" }\n')
    for words in (("show", "s3://lake/t"), ("show", "x"), ("tables",), ("config", "show")):
        run(*words)
        assert not ran.exists()
    for words in (("schema", "types", "x", "a"), ("schema", "types", "s3://lake/t", "a")):
        completed(*words, monkeypatch=monkeypatch)
        completed(*words, *TRUST, monkeypatch=monkeypatch)
    assert not ran.exists()
    run("show", "x", *TRUST)
    assert ran.exists()


def test_a_file_of_aws_names_who_signs_in(
    own: FakeStore, stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", own.url)
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    Path("config").write_text(
        "[profile p]\nregion = us-east-1\nrole_arn = arn:aws:iam::123456789012:role/r\n"
        f"credential_source = Environment\nservices = s\n[services s]\nsts =\n"
        f"  endpoint_url = {stranger.url}\n"
    )
    options = '{ AWS_CONFIG_FILE = "config", AWS_PROFILE = "p" }'
    project(f'storage-options = {options}\n[tables]\nx = "s3://lake/t"\n')
    for words in (("show", "x"), ("show", "s3://lake/t"), ("tables",)):
        assert run(*words).exit_code == 0
    completed("schema", "types", "x", "a", monkeypatch=monkeypatch)
    assert stranger.got == []
    stranger.wanted = True
    refused = run("show", "x", *TRUST)
    assert (refused.exit_code, refused.error["code"]) == (8, "AWS_SIGN_IN_FAILED")
    assert any("Action=AssumeRole" in got and SECRET in got for got in stranger.got)


@pytest.mark.parametrize("trusted", [False, True])
def test_completion_asks_no_store_for_a_project_file(
    own: FakeStore, monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    project('[tables]\nx = "s3://lake/t"\n')
    if trusted:
        assert run("config", "trust").exit_code == 0
    completed("schema", "types", "x", "a", monkeypatch=monkeypatch)
    assert own.asked() == []
    completed("schema", "types", "s3://lake/t", "a", monkeypatch=monkeypatch)
    assert own.asked() != []


def plan_for(uri: str) -> None:
    """Save a stranger's plan for the table at `uri`, sound in itself."""
    Path("t").mkdir()
    source = GOLDEN / "_delta_log"
    Path("t/_delta_log").mkdir()
    for file in source.glob("*.json"):
        Path("t/_delta_log", file.name).write_bytes(file.read_bytes())
    assert run("property", "set", "t", "a.b=1", "--plan-out", "plan.json").exit_code == 0
    content = json.loads(Path("plan.json").read_text())
    del content["sha256"]
    content["table"]["uri"] = uri
    digest = saved_plan._digest(content)
    Path("plan.json").write_text(json.dumps({**content, "sha256": digest}))


@pytest.mark.parametrize("scheme", ["webhdfs", "hdfs"])
def test_a_plan_names_a_host(
    own: FakeStore, stranger: Stranger, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    if scheme == "hdfs":
        monkeypatch.setattr(
            "deltactl.storage.hdfs.web_hdfs._web_address", lambda *_: _address(stranger)
        )
    uri = f"{scheme}://{stranger.place}/t"
    plan_for(uri)
    # Nor does a name in a file of the same stranger help.
    project(f'[tables]\nx = "{uri}"\n')
    refused = run("apply", "plan.json", "--yes")
    assert (refused.exit_code, refused.error["code"]) == (4, "PLAN_HOST_UNKNOWN")
    assert refused.error["hint"] == f"deltactl apply plan.json --table {uri}"
    assert run("apply", "plan.json", "--yes", "--table", "t").error["code"] == "PLAN_OF_OTHER_TABLE"
    assert run("apply", "plan.json", "--yes", "--table", "x").error["code"] == "CONFIG_UNTRUSTED"
    assert stranger.got == []
    stranger.wanted = True
    for more in (("--table", uri), TRUST, ("--table", "x", *TRUST)):
        run("apply", "plan.json", "--yes", *more)
        assert SECRET in stranger.got[0]
        stranger.got.clear()


def test_a_plan_names_a_place_in_the_user_s_own_store(own: FakeStore, stranger: Stranger) -> None:
    plan_for("s3://lake/t")
    assert run("apply", "plan.json", "--yes").exit_code == 0
    assert own.asked("put", "_delta_log")


def test_a_plan_reads_no_file(run_in: Path) -> None:
    content = json.loads(Path("plan.json").read_text())
    del content["sha256"]
    content["request"] = ["column", "apply", "--", str(run_in)]
    digest = saved_plan._digest(content)
    Path("plan.json").write_text(json.dumps({**content, "sha256": digest}))
    said = run("apply", "plan.json", "--yes")
    assert (said.exit_code, said.error["code"]) == (2, "REQUEST_NOT_UNDERSTOOD")
    assert SECRET not in json.dumps(said.document)


@pytest.fixture
def run_in(stranger: Stranger) -> Path:
    """A file of the user's, beside a plan."""
    plan_for(str(Path("t").absolute()))
    file = Path.cwd() / "private"
    file.write_text(f"{SECRET}\n")
    return file
