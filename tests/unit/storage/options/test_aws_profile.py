"""Profiles in the files of AWS: what they name, and that their secrets stay where they are."""

import stat
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from deltactl.errors import DeltactlError, InvalidUsageError
from deltactl.storage.options import aws_profile, aws_sign_in
from deltactl.storage.options.aws_profile import with_profile
from deltactl.storage.options.options import resolve

CREDENTIALS = """\
[default]
aws_access_key_id = AKDEFAULT
aws_secret_access_key = se%cret=/+
[temporary]
aws_access_key_id=AKTEMP
aws_secret_access_key=hush
aws_session_token=tok=en
"""
CONFIG = """\
# comment
[default]
region = eu-west-1
[profile temporary]
region = eu-west-2
s3 =
    addressing_style = path
services = mine
[services mine]
s3 =
    endpoint_url = https://s3.example.com
sts =
    endpoint_url = https://sts.example.com
[profile "with space"]
aws_access_key_id = AKSPACE
aws_secret_access_key = hush
endpoint_url = https://all.example.com
[profile bare]
region = us-west-2
[profile process]
credential_process = {process}
[profile sso]
sso_session = corp
sso_account_id = 1
[profile role]
role_arn = arn:aws:iam::1:role/r
source_profile = default
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / ".aws"
    folder.mkdir()
    (folder / "credentials").write_text(CREDENTIALS, encoding="utf-8")
    (folder / "config").write_text(CONFIG.format(process=tmp_path / "give"), encoding="utf-8")
    return tmp_path


needs_boto3 = pytest.mark.skipif(
    find_spec("boto3") is None, reason="the extra [aws] is not installed"
)


def process(home: Path, code: str) -> None:
    script = home / "give"
    script.write_text(f"#!{sys.executable}\n{code}\n", encoding="utf-8")
    script.chmod(stat.S_IRWXU)


def found(home: Path, given: dict[str, str], **environ: str) -> dict[str, str]:
    environment = {"HOME": str(home), **environ}
    return dict(with_profile(resolve("s3", given, environment), environment).values)


def failure(home: Path, name: str) -> DeltactlError:
    with pytest.raises(DeltactlError) as caught:
        found(home, {}, AWS_PROFILE=name)
    error = caught.value
    assert error.exit_code == 8
    assert error.hint
    text = f"{error.message} {error.hint} {error.details} {error.__cause__}"
    assert "hush" not in text
    return error


DEFAULT = {
    "AWS_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "AKDEFAULT",
    "AWS_SECRET_ACCESS_KEY": "se%cret=/+",
}


@pytest.mark.parametrize(
    ("given", "environ", "expected"),
    [
        ({}, {}, DEFAULT),
        ({"region": "mine"}, {}, {**DEFAULT, "AWS_REGION": "mine"}),
        (
            {},
            {"AWS_PROFILE": "temporary"},
            {
                "AWS_PROFILE": "temporary",
                "AWS_REGION": "eu-west-2",
                "AWS_ENDPOINT_URL_S3": "https://s3.example.com",
                "AWS_ACCESS_KEY_ID": "AKTEMP",
                "AWS_SECRET_ACCESS_KEY": "hush",
                "AWS_SESSION_TOKEN": "tok=en",
            },
        ),
        (
            {"AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true", "aws_profile": "with space"},
            {},
            {
                "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
                "AWS_PROFILE": "with space",
                "AWS_ACCESS_KEY_ID": "AKSPACE",
                "AWS_SECRET_ACCESS_KEY": "hush",
            },
        ),
        ({"aws_profile": "bare"}, {}, {"AWS_PROFILE": "bare", "AWS_REGION": "us-west-2"}),
        # Half a pair, and the token of others, do not go with the keys of a profile.
        ({}, {"AWS_SECRET_ACCESS_KEY": "x", "AWS_SESSION_TOKEN": "y"}, DEFAULT),
    ],
)
def test_what_a_profile_adds(home, given, environ, expected) -> None:
    assert found(home, given, **environ) == expected


@pytest.mark.parametrize(
    "environ",
    [
        {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "nobody"},
        {"AWS_SKIP_SIGNATURE": "true"},
        {"AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "arn:r"},
    ],
)
def test_files_that_are_not_needed_are_not_read(home, environ) -> None:
    (home / ".aws" / "config").write_bytes(b"\xff not settings")
    assert found(home, {}, **environ) == environ


def test_without_files_nothing_is_added(tmp_path) -> None:
    assert found(tmp_path, {}) == {}


def test_other_stores_have_no_profiles(home) -> None:
    options = resolve("gs", {}, {"HOME": str(home)})
    assert with_profile(options, {"HOME": str(home)}) is options


def test_other_files_can_be_named(home, tmp_path) -> None:
    other = tmp_path / "other"
    other.write_text("[p]\naws_access_key_id=A\naws_secret_access_key=B\n", encoding="utf-8")
    assert found(home, {"aws_profile": "p"}, AWS_SHARED_CREDENTIALS_FILE=str(other)) == {
        "AWS_PROFILE": "p",
        "AWS_SHARED_CREDENTIALS_FILE": str(other),
        "AWS_ACCESS_KEY_ID": "A",
        "AWS_SECRET_ACCESS_KEY": "B",
    }


def test_a_profile_that_is_not_there(home) -> None:
    error = failure(home, "temporery")
    assert error.code == "AWS_PROFILE_UNKNOWN"
    assert error.hint == "did you mean temporary?"


@pytest.mark.parametrize(
    ("line", "there", "missing"),
    [
        ("aws_access_key_id = AK", "aws_access_key_id", "aws_secret_access_key"),
        ("aws_secret_access_key = hush", "aws_secret_access_key", "aws_access_key_id"),
    ],
)
def test_half_a_pair_of_keys(home, line, there, missing) -> None:
    credentials = home / ".aws" / "credentials"
    credentials.write_text(f"[half]\n{line}\n", encoding="utf-8")
    error = failure(home, "half")
    assert (error.code, error.message, error.hint) == (
        "STORE_MISCONFIGURED",
        f"the AWS profile half has {there}, and no {missing}",
        f"put {missing} next to it, in {credentials} or {home}/.aws/config",
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "endpoint_url = 127.0.0.1:9000",
            "endpoint_url of the AWS profile odd is not a URL such as https://HOST:PORT",
        ),
        (
            "region = eu-west-1.evil.example/",
            "region of the AWS profile odd is not the name of a region such as eu-west-1",
        ),
    ],
)
def test_what_a_profile_says_is_looked_at_as_options_are(home, line: str, message: str) -> None:
    (home / ".aws" / "config").write_text(f"[profile odd]\n{line}\n", encoding="utf-8")
    with pytest.raises(InvalidUsageError) as caught:
        found(home, {}, AWS_PROFILE="odd")
    assert (caught.value.code, caught.value.message) == ("STORAGE_OPTION_INVALID", message)
    own = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9000", "AWS_REGION": "eu-west-1"}
    assert found(home, own, AWS_PROFILE="odd")["AWS_REGION"] == "eu-west-1"


def test_a_damaged_file(home) -> None:
    (home / ".aws" / "credentials").write_text("[a]\nhush is a key\n", encoding="utf-8")
    error = failure(home, "a")
    assert error.code == "AWS_PROFILE_UNREADABLE"
    assert error.message == (
        f"cannot read {home}/.aws/credentials: it is not a file of AWS settings"
    )


def test_static_keys_need_no_boto3(home, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore", None)
    monkeypatch.setitem(sys.modules, "boto3", None)
    assert found(home, {}) == DEFAULT


@needs_boto3
def test_a_process_gives_keys(home) -> None:
    process(
        home,
        'print(\'{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "hush", '
        '"SessionToken": "t", "Expiration": "2130-01-01T00:00:00Z"}\')',
    )
    assert found(home, {"aws_profile": "process"}) == {
        "AWS_PROFILE": "process",
        "AWS_ACCESS_KEY_ID": "AKP",
        "AWS_SECRET_ACCESS_KEY": "hush",
        "AWS_SESSION_TOKEN": "t",
    }


@needs_boto3
def test_whoever_opens_a_table_again_is_not_signed_in_again(home) -> None:
    process(
        home,
        f"open({str(home / 'calls')!r}, 'a').write('.')\n"
        'print(\'{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "hush"}\')',
    )
    for _ in range(3):
        assert found(home, {}, AWS_PROFILE="process")["AWS_ACCESS_KEY_ID"] == "AKP"
    assert (home / "calls").read_text() == "."


@needs_boto3
def test_a_sign_in_that_failed_is_tried_again(home) -> None:
    failure(home, "process")
    process(home, 'print(\'{"Version": 1, "AccessKeyId": "AKP", "SecretAccessKey": "hush"}\')')
    assert found(home, {}, AWS_PROFILE="process")["AWS_ACCESS_KEY_ID"] == "AKP"


@needs_boto3
@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; print('hush'); sys.exit('hush')", "CredentialRetrievalError"),
        ("print('hush')", "JSONDecodeError"),
        ("print('[1]')", "AttributeError"),
        ('print(\'{"Version": 2, "SecretAccessKey": "hush"}\')', "CredentialRetrievalError"),
        ('print(\'{"Version": 1, "SecretAccessKey": "hush"}\')', "CredentialRetrievalError"),
    ],
)
def test_a_process_that_gives_none(home, code, said) -> None:
    process(home, code)
    error = failure(home, "process")
    assert (error.code, error.message) == (
        "AWS_CREDENTIAL_PROCESS_FAILED",
        f"credential_process of the AWS profile process returned no keys: {said}",
    )


@needs_boto3
def test_a_process_that_is_not_there(home) -> None:
    error = failure(home, "process")
    assert error.code == "AWS_CREDENTIAL_PROCESS_FAILED"
    assert error.message.endswith("returned no keys: No such file or directory")


@needs_boto3
def test_a_process_that_does_not_end(home, monkeypatch) -> None:
    monkeypatch.setattr(aws_sign_in, "PATIENCE", 0.2)
    process(home, "import time; time.sleep(3)")
    began = time.monotonic()
    error = failure(home, "process")
    assert error.message.endswith("returned no keys: no answer within 0 seconds")
    assert time.monotonic() - began < 2.5


@pytest.mark.parametrize("name", ["sso", "role", "process"])
def test_the_extra_is_named_if_it_is_needed(home, name, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "botocore.session", None)  # as where it is not installed
    error = failure(home, name)
    assert error.code == "AWS_PROFILE_NEEDS_BOTO3"
    assert error.hint == "pip install 'deltactl[aws]'"


@needs_boto3
def test_no_session_of_sso(home, monkeypatch) -> None:
    monkeypatch.setenv("HOME", str(home))  # where sessions of SSO are kept
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    error = failure(home, "sso")
    assert error.code == "AWS_SIGN_IN_FAILED"
    assert error.hint == "aws sso login --profile sso"


def test_a_role_is_taken_on(home) -> None:
    moto = pytest.importorskip("moto", reason="moto, which stands in for AWS, is not installed")
    with moto.mock_aws():
        values = found(home, {"aws_profile": "role", "region": "us-east-1"})
    assert values.keys() == {
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
    }
    assert values["AWS_ACCESS_KEY_ID"].startswith("ASIA")  # those of AWS that end by themselves
    assert values["AWS_SECRET_ACCESS_KEY"] != "se%cret=/+"


def test_keys_are_not_shown() -> None:
    said = {"aws_secret_access_key": "hush"}
    assert repr(aws_profile.Profile("p", said, {}, ("a", "b"))) == "Profile(p)"
    assert repr(aws_sign_in.SignedIn("p", said, ("a", "b"))) == "SignedIn(p)"
