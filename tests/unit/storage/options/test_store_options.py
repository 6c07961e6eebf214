"""What a setting of a store is called, which one wins, and what obstore is told."""

from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import obstore
import obstore.store
import pytest

from deltactl.errors import InvalidUsageError
from deltactl.storage.options.option_rows import ROWS
from deltactl.storage.options.options import (
    StoreOptions,
    resolve,
    variables,
    variables_beside,
)
from deltactl.storage.urls import StoreKind

NO_SECRET = "kept-to-itself"


def values(scheme: str, given: dict[str, str], environ: dict[str, str]) -> dict[str, str]:
    return dict(resolve(scheme, given, environ).values)


@pytest.mark.parametrize(
    ("scheme", "spelled", "name"),
    [
        ("s3", "region", "AWS_REGION"),
        ("s3", "aws_region", "AWS_REGION"),
        ("s3a", "AWS_DEFAULT_REGION", "AWS_REGION"),
        ("s3", "Aws-Region", "AWS_REGION"),
        ("s3", "aws_access_key_id", "AWS_ACCESS_KEY_ID"),
        ("s3", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"),
        ("s3", "endpoint_url", "AWS_ENDPOINT_URL_S3"),
        ("s3", "token", "AWS_SESSION_TOKEN"),
        ("abfss", "azure_storage_account_name", "AZURE_STORAGE_ACCOUNT_NAME"),
        ("az", "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_ACCOUNT_NAME"),
        ("az", "account_name", "AZURE_STORAGE_ACCOUNT_NAME"),
        ("az", "access_key", "AZURE_STORAGE_ACCOUNT_KEY"),
        ("az", "sas_token", "AZURE_STORAGE_SAS_TOKEN"),
        ("az", "token", "AZURE_STORAGE_TOKEN"),
        ("gs", "google_service_account_path", "GOOGLE_SERVICE_ACCOUNT"),
        ("gs", "service_account_key", "GOOGLE_SERVICE_ACCOUNT_KEY"),
    ],
)
def test_spellings(scheme: str, spelled: str, name: str) -> None:
    value = "http://h:1" if "endpoint" in spelled.lower() else "x"
    assert values(scheme, {spelled: value}, {}) == {name: value}


@pytest.mark.parametrize(
    ("given", "environ", "expected"),
    [
        ({}, {"AWS_REGION": "env"}, {"AWS_REGION": "env"}),
        ({}, {"AWS_DEFAULT_REGION": "old", "AWS_REGION": "env"}, {"AWS_REGION": "env"}),
        ({}, {"AWS_REGION": ""}, {}),
        ({"region": "told"}, {"AWS_REGION": "env"}, {"AWS_REGION": "told"}),
        ({"region": ""}, {"AWS_REGION": "env"}, {}),
        ({"region": "file", "AWS_REGION": "flag"}, {}, {"AWS_REGION": "flag"}),
        ({}, {"aws_region": "env"}, {}),  # only options are read in any letter case
        ({}, {"AZURE_STORAGE_ACCOUNT": "a", "PATH": "/bin"}, {}),
        ({"azure_storage_account_name": "a"}, {}, {}),  # of another store
        (
            {},
            {"AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_S3": "http://s3"},
            {"AWS_ENDPOINT_URL_S3": "http://s3"},
        ),
        (
            {"AWS_ENDPOINT_URL": "http://told"},
            {"AWS_ENDPOINT_URL_S3": "http://s3"},
            {"AWS_ENDPOINT_URL_S3": "http://told"},
        ),
    ],
)
def test_what_wins(given, environ, expected) -> None:
    assert values("s3", given, environ) == expected


MINE = {"AWS_ACCESS_KEY_ID": "mine", "AWS_SECRET_ACCESS_KEY": "my secret"}
THEIRS = {
    "AWS_ACCESS_KEY_ID": "theirs",
    "AWS_SECRET_ACCESS_KEY": "their secret",
    "AWS_SESSION_TOKEN": "their token",
}


@pytest.mark.parametrize(
    ("given", "environ", "expected"),
    [
        # A token of others with keys of ours would make every request fail.
        (MINE, {**THEIRS, "AWS_PROFILE": "p"}, MINE),
        ({"aws_profile": "p"}, THEIRS, {"AWS_PROFILE": "p"}),
        ({"skip_signature": "true"}, THEIRS, {"AWS_SKIP_SIGNATURE": "true"}),
        # The name of a key may stand in a file, and its secret in the environment.
        ({"access_key_id": "mine"}, THEIRS, {**THEIRS, "AWS_ACCESS_KEY_ID": "mine"}),
        ({"region": "r"}, THEIRS, {**THEIRS, "AWS_REGION": "r"}),
    ],
)
def test_an_identity_hides_that_of_the_environment(given, environ, expected) -> None:
    assert values("s3", given, environ) == expected


def test_an_identity_of_azure_hides_that_of_the_environment() -> None:
    environ = {"AZURE_STORAGE_ACCOUNT_KEY": "k", "AZURE_STORAGE_ACCOUNT": "a"}
    assert values("az", {"sas_token": "s"}, environ) == {
        "AZURE_STORAGE_SAS_TOKEN": "s",
        "AZURE_STORAGE_ACCOUNT_NAME": "a",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, [*THEIRS, "AWS_DEFAULT_REGION", "AZURE_STORAGE_KEY", "HADOOP_USER_NAME"]),
        (MINE, ["AWS_DEFAULT_REGION", "AZURE_STORAGE_KEY", "HADOOP_USER_NAME"]),
        (
            {"aws_profile": "p", "aws.region": "r", "hadoop_user_name": "me", "nothing": "x"},
            ["AZURE_STORAGE_KEY"],
        ),
        ({"token": "t", "region": ""}, [*list(THEIRS)[:2], "HADOOP_USER_NAME"]),
    ],
)
def test_the_variables_that_count_beside_what_is_given(given, expected) -> None:
    environ = {**THEIRS, "AWS_DEFAULT_REGION": "r", "AZURE_STORAGE_KEY": "k", "GOOGLE_BASE_URL": ""}
    found = variables_beside(given, {**environ, "HADOOP_USER_NAME": "u", "HOME": "/"})
    assert found == expected


@pytest.mark.parametrize("scheme", ["s3", "gs", "hdfs", "file"])
def test_a_name_that_no_store_has(scheme: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        resolve(scheme, {"aws_regoin": NO_SECRET}, {})
    assert caught.value.code == "STORAGE_OPTION_UNKNOWN"
    assert caught.value.message == "no store has an option 'aws_regoin'"
    assert str(caught.value.hint).startswith("did you mean AWS_REGION or ")


def test_the_variable_with_a_name_that_no_store_has() -> None:
    variable = "DELTACTL_STORAGE_OPTION_AWS_REGOIN"
    with pytest.raises(InvalidUsageError) as caught:
        resolve("s3", {"AWS_REGOIN": "r"}, {variable: "r"})
    assert caught.value.message == f"no store has an option 'AWS_REGOIN': {variable} is set"


@pytest.mark.parametrize(
    ("scheme", "key", "value", "said"),
    [
        ("s3", "endpoint", f"host:{NO_SECRET}", "endpoint is not a URL such as"),
        ("s3", "endpoint", "http://host:99999", "endpoint is not a URL such as"),
        ("s3", "proxy_url", f"me:{NO_SECRET}@h", "proxy_url is not a URL such as"),
        ("s3", "skip_signature", "maybe", "skip_signature is not true or false"),
        ("az", "use_emulator", "2", "use_emulator is not true or false"),
        ("gs", "base_url", "x", "base_url is not a URL such as"),
        # The client would put these into the name of a host.
        ("s3", "region", "evil/x?", "region is not the name of a region such as eu-west-1"),
        ("s3", "AWS_REGION", "me@evil:80#", "AWS_REGION is not the name of a region"),
        ("az", "account_name", "evil:80#", "account_name is not the name of an account"),
    ],
)
def test_values_that_cannot_be(scheme: str, key: str, value: str, said: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        resolve(scheme, {key: value}, {})
    assert caught.value.code == "STORAGE_OPTION_INVALID"
    assert caught.value.message.startswith(said)
    assert NO_SECRET not in f"{caught.value.message} {caught.value.hint} {caught.value.details}"


@pytest.mark.parametrize("variable", ["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT"])
def test_a_variable_is_named_as_it_was_set(variable: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        resolve("s3", {}, {variable: "127.0.0.1:60079"})
    error = caught.value
    assert error.message == f"{variable} is not a URL such as https://HOST:PORT"
    assert error.hint == f"set {variable} to a URL such as https://HOST:PORT, or unset it"
    assert error.details == {"option": "AWS_ENDPOINT_URL_S3"}


def test_blanks_around_a_value_are_none_of_it() -> None:
    environ = {"AWS_ENDPOINT_URL": "http://h:1 ", "AWS_REGION": " ", "AWS_DEFAULT_REGION": "r\n"}
    expected = {"AWS_ENDPOINT_URL_S3": "http://h:1", "AWS_REGION": "r", "AWS_ACCESS_KEY_ID": "k"}
    assert values("s3", {"access_key_id": " k "}, environ) == expected


def test_files_and_hdfs_have_no_options() -> None:
    environ = {"AWS_REGION": "r"}
    assert resolve("hdfs", {"region": "r"}, environ) == StoreOptions("hdfs", None, {})


SECRETS = {
    "s3": [
        "secret_access_key", "AWS_SESSION_TOKEN", "AWS_TOKEN", "sse_customer_key_base64",
        "proxy_url",
    ],
    "az": [
        "account_key", "AZURE_STORAGE_ACCESS_KEY", "sas_token", "bearer_token", "client_secret",
        "encryption_key", "proxy_url",
    ],
    "gs": ["service_account_key", "bearer_token", "proxy_url"],
}  # fmt: skip


@pytest.mark.parametrize(("scheme", "key"), [(s, k) for s, keys in SECRETS.items() for k in keys])
def test_no_secret_is_shown(scheme: str, key: str) -> None:
    value = f"http://me:{NO_SECRET}@h" if key == "proxy_url" else NO_SECRET
    options = resolve(scheme, {key: value}, {})
    assert value in options.values.values()
    for text in (repr(options), str(options), f"{options}", str(options.shown()), f"{[options]}"):
        assert NO_SECRET not in text
        assert "***" in text


def test_what_is_no_secret_is_shown() -> None:
    options = resolve("s3", {"region": "r", "access_key_id": "id"}, {})
    shown = "StoreOptions(s3, {'AWS_REGION': 'r', 'AWS_ACCESS_KEY_ID': 'id'})"
    assert repr(options) == shown


@pytest.mark.parametrize(
    ("scheme", "given", "config", "client"),
    [
        (
            "s3",
            {**MINE, "region": "r", "endpoint": "http://h:1"},
            {
                "access_key_id": "mine",
                "secret_access_key": "my secret",
                "region": "r",
                "endpoint": "http://h:1",
                "aws_endpoint_url_s3": "http://h:1",
            },
            {"allow_http": "true"},
        ),
        (
            "s3",
            {"endpoint": "http://h:1", "allow_http": "false", "AWS_S3_LOCKING_PROVIDER": "x"},
            {"endpoint": "http://h:1", "aws_endpoint_url_s3": "http://h:1"},
            {"allow_http": "false"},
        ),
        (
            "s3",
            {"endpoint": "https://h"},
            {"endpoint": "https://h", "aws_endpoint_url_s3": "https://h"},
            {},
        ),
        (
            "az",
            {"account_name": "a", "account_key": "aw==", "sas_token": "sig=x"},
            {
                "account_name": "a",
                "account_key": "aw==",
                "sas_key": "sig=x",
                "credential_type": "access_key",
            },
            {},
        ),
        (
            "az",
            {"account_name": "a", "client_id": "c", "client_secret": "s", "tenant_id": "t"},
            {
                "account_name": "a",
                "client_id": "c",
                "client_secret": "s",
                "tenant_id": "t",
                "credential_type": "client_secret",
            },
            {},
        ),
        (
            "az",
            {"account_name": "a", "use_azure_cli": "true"},
            {"account_name": "a", "use_azure_cli": "true", "credential_type": "azure_cli"},
            {},
        ),
        ("az", {"account_name": "a"}, {"account_name": "a"}, {}),
        (
            "gs",
            {"skip_signature": "true", "base_url": "http://h"},
            {"skip_signature": "true", "base_url": "http://h"},
            {"allow_http": "true"},
        ),
    ],
)
def test_what_obstore_is_told(scheme, given, config, client) -> None:
    options = resolve(scheme, given, {})
    assert options.for_obstore() == config
    assert options.for_client() == client


@pytest.mark.parametrize(
    ("token", "sent"), [({}, None), ({"session_token": "mine-too"}, "mine-too")]
)
def test_nothing_of_the_environment_gets_in_between(token, sent, monkeypatch) -> None:
    monkeypatch.setenv("AWS_SESSION_TOKEN", "theirs")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://theirs")
    given = {**MINE, **token, "endpoint": "http://mine:1"}
    options = resolve("s3", given, {"AWS_SESSION_TOKEN": "theirs"})
    store = obstore.store.S3Store(
        "bucket",
        config=options.for_obstore(),
        client_options=options.for_client(),
        credential_provider=options.s3_keys,
    )
    url = urlsplit(obstore.sign(store, "GET", "key", timedelta(minutes=1)))
    query = dict(parse_qsl(url.query))
    assert url.netloc == "mine:1"
    assert query["X-Amz-Credential"].startswith("mine/")
    assert query.get("X-Amz-Security-Token") == sent


def test_no_keys() -> None:
    assert resolve("s3", {"access_key_id": "mine"}, {}).s3_keys() is None


# A value that obstore takes for each of its keys, where it is not just any text.
TAKEN = {
    "conditional_put": "etag", "copy_if_not_exists": "multipart", "checksum_algorithm": "sha256",
    "server_side_encryption": "AES256", "endpoint": "http://h:1", "credential_type": "auto",
    "base_url": "http://h", "account_key": "aw==", "sas_key": "sig=x", "msi_endpoint": "http://h",
    "authority_host": "http://h", "request_payer": "true", "aws_endpoint_url_sts": "http://h",
    "metadata_endpoint": "http://h",
}  # fmt: skip
STORES = {
    "s3": obstore.store.S3Store, "azure": obstore.store.AzureStore, "gcs": obstore.store.GCSStore
}  # fmt: skip
# They need others beside them, or a file.
NOT_ALONE = {
    "access_key_id", "secret_access_key", "sse_customer_key_base64", "sse_kms_key_id",
    "encryption_key", "service_account", "service_account_key", "application_credentials",
    "s3_express",
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "key"),
    [
        (kind, row.key)
        for kind, rows in ROWS.items()
        for row in rows
        if row.key is not None and row.key not in NOT_ALONE
    ],
)
def test_obstore_knows_the_keys(kind: StoreKind, key: str, monkeypatch) -> None:
    for name in variables(kind):
        monkeypatch.delenv(name, raising=False)
    switches = ("skip", "disable", "use_", "virtual", "unsigned", "express", "imds", "sse_bucket")
    value = TAKEN.get(key, "true" if key.startswith((*switches, "s3_express")) else "x")
    config = {key: value, **({"account_name": "a"} if kind == "azure" else {})}
    STORES[kind]("bucket", config=config, client_options={"allow_http": "true"})


@pytest.mark.parametrize(
    ("given", "conf", "code"),
    [
        ({}, {}, None),
        ({"AWS_S3_LOCKING_PROVIDER": "none"}, {}, None),
        ({"aws_s3_locking_provider": "DynamoDB"}, {}, "STORE_DYNAMODB_LOG"),
        ({"AWS_S3_ALLOW_UNSAFE_RENAME": "false"}, {}, None),
        ({"AWS_S3_ALLOW_UNSAFE_RENAME": "true"}, {}, "STORE_UNSAFE_RENAME"),
        (
            {},
            {"spark.delta.logStore.s3a.impl": "io.delta.storage.S3DynamoDBLogStore"},
            "STORE_DYNAMODB_LOG",
        ),
        (
            {},
            {"spark.delta.logStore.s3.impl": "io.delta.storage.S3SingleDriverLogStore"},
            None,
        ),
        ({}, {"spark.delta.logStore.gs.impl": "io.delta.storage.S3DynamoDBLogStore"}, None),
    ],
)
def test_settings_that_make_writing_unsafe(given, conf, code) -> None:
    refusal = resolve("s3", given, {}).write_refusal(conf)
    assert (refusal and refusal.code) == code
    assert refusal is None or refusal.exit_code == 4
    assert resolve("gs", given, {}).write_refusal(conf) is None


def test_that_of_the_environment_counts() -> None:
    refusal = resolve("s3a", {}, {"AWS_S3_ALLOW_UNSAFE_RENAME": "true"}).write_refusal({})
    assert refusal is not None
    assert refusal.message.startswith("AWS_S3_ALLOW_UNSAFE_RENAME=true lets writers")


def test_every_variable_that_obstore_would_read_is_known() -> None:
    assert {"AWS_SESSION_TOKEN", "AWS_TOKEN", "AWS_ENDPOINT"} <= variables("s3")
    assert {"AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_MASTER_KEY"} <= variables("azure")
    assert "GOOGLE_SERVICE_ACCOUNT_PATH" in variables("gcs")
    assert not {name for name in variables("s3") if not name.isupper()}
