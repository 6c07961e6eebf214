"""Credentials that cannot work are told by name, and their values stay unsaid."""

import json
from pathlib import Path

import pytest

from deltactl.errors import StorageError
from deltactl.storage.object.clients import storage
from deltactl.storage.options.credentials import check_credentials
from deltactl.storage.options.options import resolve
from deltactl.storage.options.settings import StoreSettings
from deltactl.storage.urls import parse_object_url

GOOGLE_HINT = "download the key of a service account, as JSON, from Google Cloud's console"
URIS = {"s3": "s3://lake/t", "az": "az://lake/t", "gs": "gs://lake/t"}


def error_of(scheme: str, given: dict[str, str]) -> StorageError:
    with pytest.raises(StorageError) as caught:
        check_credentials(resolve(scheme, given, {}))
    error = caught.value
    assert error.code == "STORE_MISCONFIGURED"
    assert "hush" not in f"{error.message} {error.hint} {error.details} {error.__cause__}"
    return error


@pytest.mark.parametrize(
    ("scheme", "given", "message", "hint"),
    [
        (
            "s3",
            {"AWS_ACCESS_KEY_ID": "AK"},
            "AWS_ACCESS_KEY_ID is set, and AWS_SECRET_ACCESS_KEY is not",
            "set AWS_SECRET_ACCESS_KEY, or unset AWS_ACCESS_KEY_ID",
        ),
        (
            "s3",
            {"AWS_SECRET_ACCESS_KEY": "hush"},
            "AWS_SECRET_ACCESS_KEY is set, and AWS_ACCESS_KEY_ID is not",
            "set AWS_ACCESS_KEY_ID, or unset AWS_SECRET_ACCESS_KEY",
        ),
        (
            "s3",
            {"AWS_WEB_IDENTITY_TOKEN_FILE": "/nope", "role_arn": "arn:r"},
            "AWS_WEB_IDENTITY_TOKEN_FILE names /nope, which does not exist",
            "set AWS_WEB_IDENTITY_TOKEN_FILE to the path of a file, or unset it",
        ),
        (
            "az",
            {"account_name": "a", "AZURE_STORAGE_ACCOUNT_KEY": "%hush"},
            "AZURE_STORAGE_ACCOUNT_KEY is not a key of an account, which is in Base64",
            "copy the key again; a SAS goes into AZURE_STORAGE_SAS_TOKEN",
        ),
        (
            "az",
            {"account_name": "a", "AZURE_STORAGE_SAS_TOKEN": "hush"},
            "AZURE_STORAGE_SAS_TOKEN is not a SAS such as sv=...&sp=...&sig=...",
            "copy it again; the key of an account goes into AZURE_STORAGE_ACCOUNT_KEY",
        ),
        (
            "gs",
            {"GOOGLE_APPLICATION_CREDENTIALS": "/nope.json"},
            "GOOGLE_APPLICATION_CREDENTIALS names /nope.json, which does not exist",
            "set GOOGLE_APPLICATION_CREDENTIALS to the path of a file, or unset it",
        ),
        (
            "gs",
            {"google_service_account_path": "/"},
            "google_service_account_path names /, which is a folder",
            "set google_service_account_path to the path of a file, or unset it",
        ),
        (
            "gs",
            {"GOOGLE_SERVICE_ACCOUNT_KEY": "hush"},
            "GOOGLE_SERVICE_ACCOUNT_KEY is not a JSON object, as the keys of Google are",
            GOOGLE_HINT,
        ),
        (
            "gs",
            {"GOOGLE_SERVICE_ACCOUNT_KEY": '{"client_email": "e", "private_key_id": "hush"}'},
            "GOOGLE_SERVICE_ACCOUNT_KEY has no private_key",
            GOOGLE_HINT,
        ),
    ],
)
def test_what_cannot_work(scheme, given, message, hint) -> None:
    error = error_of(scheme, given)
    assert (error.message, error.hint) == (message, hint)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("hush", "is not a JSON object, as the keys of Google are"),
        ('["hush"]', "is not a JSON object, as the keys of Google are"),
        ('{"type": "hush"}', "has a type that is not one of service_account, authorized_user"),
        ('{"type": "authorized_user", "client_id": "hush"}', "has no client_secret"),
    ],
    ids=["no JSON", "no object", "another type", "a field is missing"],
)
def test_a_file_of_google(tmp_path: Path, text: str, wrong: str) -> None:
    path = tmp_path / "key.json"
    path.write_text(text, encoding="utf-8")
    error = error_of("gs", {"GOOGLE_APPLICATION_CREDENTIALS": str(path)})
    assert error.message == f"{path}, which GOOGLE_APPLICATION_CREDENTIALS names, {wrong}"
    assert error.hint == GOOGLE_HINT


def test_what_may_work(tmp_path: Path) -> None:
    user = {"type": "authorized_user", "client_id": "c", "client_secret": "s", "refresh_token": "r"}
    path = tmp_path / "user.json"
    path.write_text(json.dumps(user), encoding="utf-8")
    for scheme, given in (
        ("s3", {}),
        ("s3", {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}),
        ("az", {"account_key": "aHVzaA=="}),
        ("az", {"sas_token": "?sv=1&sig=x%3D"}),
        ("gs", {"GOOGLE_APPLICATION_CREDENTIALS": str(path)}),
        ("hdfs", {}),
    ):
        check_credentials(resolve(scheme, given, {}))


@pytest.mark.parametrize(
    ("scheme", "given", "cause", "prefix"),
    [
        ("s3", {"server_side_encryption": "hush"}, "InvalidEncryptionType", "AWS_"),
        ("az", {"account_name": "a", "credential_type": "hush"}, "UnknownCredentialType", "AZURE_"),
        (
            "gs",
            {
                "service_account_key": json.dumps(
                    {"client_email": "e", "private_key": "hush", "private_key_id": "i"}
                )
            },
            "NoItemsFound",
            "GOOGLE_",
        ),
    ],
)
def test_what_only_the_client_finds(scheme, given, cause, prefix) -> None:
    url = parse_object_url(URIS[scheme])
    assert url is not None
    store = storage(URIS[scheme], url, StoreSettings(given))
    with pytest.raises(StorageError) as caught:
        store.list_from("_delta_log")
    error = caught.value
    assert error.code == "STORE_MISCONFIGURED"
    assert error.message == f"lake: the settings of the store are not right ({cause})"
    assert error.hint == (
        f"look at those that begin with {prefix}, in the environment and in what deltactl config "
        "show lists"
    )
    assert "hush" not in f"{error.message} {error.hint}"
