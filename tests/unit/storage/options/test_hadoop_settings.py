"""What Spark is told of a store, property by property as Hadoop 3.5's documentation has them."""

import pytest

from deltactl.errors import DeltactlError
from deltactl.storage.options.hadoop import for_hadoop, spark_uri
from deltactl.storage.options.options import resolve
from deltactl.storage.urls import kind_of, scheme_of

A = "acc.dfs.core.windows.net"
S3A = "org.apache.hadoop.fs.s3a"
OAUTH = "org.apache.hadoop.fs.azurebfs.oauth2"
S3 = {"fs.s3.impl": f"{S3A}.S3AFileSystem"}
PROVIDER = "fs.s3a.aws.credentials.provider"


@pytest.mark.parametrize(
    ("uri", "given", "expected"),
    [
        ("s3://b/t", {}, "s3a://b/t"),
        ("s3a://b/a%20b", {}, "s3a://b/a%20b"),
        ("S3://b/t", {}, "s3a://b/t"),
        ("gs://b/t", {}, "gs://b/t"),
        ("hdfs://n:8020/t", {}, "hdfs://n:8020/t"),
        ("/local/t", {}, "/local/t"),
        ("file:///t", {}, "file:///t"),
        ("az://c/t", {"account_name": "acc"}, f"abfss://c@{A}/t"),
        ("azure://c/t", {"account_name": "acc"}, f"abfss://c@{A}/t"),
        ("adl://c/t", {"account_name": "acc"}, f"abfss://c@{A}/t"),
        ("abfs://c/t", {"account_name": "acc"}, f"abfss://c@{A}/t"),
        (f"abfs://c@{A}/t", {}, f"abfss://c@{A}/t"),
        (f"abfss://c@{A}/t/u", {"account_name": "other"}, f"abfss://c@{A}/t/u"),
        ("az://c", {"account_name": "acc"}, f"abfss://c@{A}"),
        (
            "az://c/t",
            {"account_name": "acc", "endpoint": "http://127.0.0.1:10000/acc"},
            f"abfs://c@{A}/t",
        ),
    ],
)
def test_names_of_tables(uri: str, given: dict[str, str], expected: str) -> None:
    assert spark_uri(uri, resolve(scheme_of(uri) or "file", given, {})) == expected


def test_no_account() -> None:
    with pytest.raises(DeltactlError) as caught:
        spark_uri("az://c/t", resolve("az", {}, {}))
    assert (caught.value.code, caught.value.exit_code) == ("AZURE_ACCOUNT_UNKNOWN", 2)


@pytest.mark.parametrize(
    ("uri", "kind"),
    [
        ("s3://b", "s3"),
        ("S3A://b", "s3"),
        ("abfss://b", "azure"),
        ("gs://b", "gcs"),
        ("hdfs://b", None),
        ("/x/s3://b", None),
        ("b/c", None),
    ],
)
def test_kinds(uri: str, kind: str | None) -> None:
    assert kind_of(uri) == kind


ROWS = [
    ("s3://b/t", {}, S3),
    (
        "s3://b/t",
        {"access_key_id": "k", "secret_access_key": "s"},
        {
            **S3,
            "fs.s3a.access.key": "k",
            "fs.s3a.secret.key": "s",
            PROVIDER: f"{S3A}.SimpleAWSCredentialsProvider",
        },
    ),
    (
        "s3://b/t",
        {"access_key_id": "k", "secret_access_key": "s", "session_token": "t", "region": "r"},
        {
            **S3,
            "fs.s3a.endpoint.region": "r",
            "fs.s3a.access.key": "k",
            "fs.s3a.secret.key": "s",
            "fs.s3a.session.token": "t",
            PROVIDER: f"{S3A}.TemporaryAWSCredentialsProvider",
        },
    ),
    (
        "s3://b/t",
        {"endpoint": "http://127.0.0.1:9000", "skip_signature": "true"},
        {
            **S3,
            "fs.s3a.endpoint": "http://127.0.0.1:9000",
            "fs.s3a.connection.ssl.enabled": "false",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.endpoint.region": "us-east-1",
            PROVIDER: f"{S3A}.AnonymousAWSCredentialsProvider",
        },
    ),
    (
        "s3://b/t",
        {"endpoint": "https://b.s3.x.org", "virtual_hosted_style_request": "true", "region": "x"},
        {
            **S3,
            "fs.s3a.endpoint": "https://s3.x.org",
            "fs.s3a.connection.ssl.enabled": "true",
            "fs.s3a.path.style.access": "false",
            "fs.s3a.endpoint.region": "x",
        },
    ),
    (
        "s3://b/t",
        {"server_side_encryption": "aws:kms", "sse_kms_key_id": "arn:k", "request_payer": "true"},
        {
            **S3,
            "fs.s3a.encryption.algorithm": "SSE-KMS",
            "fs.s3a.encryption.key": "arn:k",
            "fs.s3a.requester.pays.enabled": "true",
        },
    ),
    (
        "s3://b/t",
        {"proxy_url": "http://me:pa%3Ass@p:3128", "disable_bulk_delete": "true"},
        {
            **S3,
            "fs.s3a.multiobjectdelete.enable": "false",
            "fs.s3a.proxy.host": "p",
            "fs.s3a.proxy.port": "3128",
            "fs.s3a.proxy.username": "me",
            "fs.s3a.proxy.password": "pa:ss",
        },
    ),
    (
        "s3://b/t",
        {"web_identity_token_file": "/t", "role_arn": "arn:r"},
        {
            **S3,
            PROVIDER: "software.amazon.awssdk.auth.credentials."
            "WebIdentityTokenFileCredentialsProvider",
        },
    ),
    (
        f"abfss://c@{A}/t",
        {"account_key": "k"},
        {f"fs.azure.account.auth.type.{A}": "SharedKey", f"fs.azure.account.key.{A}": "k"},
    ),
    (
        "az://c/t",
        {"account_name": "acc", "sas_token": "?sv=1&sig=a/b+c%3D"},
        {
            f"fs.azure.account.auth.type.{A}": "SAS",
            f"fs.azure.sas.fixed.token.{A}": "sv=1&sig=a%2Fb%2Bc%3D",
        },
    ),
    (
        "az://c/t",
        {"account_name": "acc", "client_id": "i", "client_secret": "s", "tenant_id": "t"},
        {
            f"fs.azure.account.auth.type.{A}": "OAuth",
            f"fs.azure.account.oauth.provider.type.{A}": f"{OAUTH}.ClientCredsTokenProvider",
            f"fs.azure.account.oauth2.client.id.{A}": "i",
            f"fs.azure.account.oauth2.client.secret.{A}": "s",
            f"fs.azure.account.oauth2.client.endpoint.{A}": (
                "https://login.microsoftonline.com/t/oauth2/token"
            ),
        },
    ),
    (
        "az://c/t",
        {
            "account_name": "acc",
            "client_id": "i",
            "tenant_id": "t",
            "federated_token_file": "/f",
            "authority_host": "https://login.x/",
        },
        {
            f"fs.azure.account.auth.type.{A}": "OAuth",
            f"fs.azure.account.oauth.provider.type.{A}": f"{OAUTH}.WorkloadIdentityTokenProvider",
            f"fs.azure.account.oauth2.client.id.{A}": "i",
            f"fs.azure.account.oauth2.msi.tenant.{A}": "t",
            f"fs.azure.account.oauth2.msi.authority.{A}": "https://login.x/",
            f"fs.azure.account.oauth2.token.file.{A}": "/f",
        },
    ),
    (
        "az://c/t",
        {"account_name": "acc", "client_id": "i"},
        {
            f"fs.azure.account.auth.type.{A}": "OAuth",
            f"fs.azure.account.oauth.provider.type.{A}": f"{OAUTH}.MsiTokenProvider",
            f"fs.azure.account.oauth2.client.id.{A}": "i",
        },
    ),
    (
        "az://c/t",
        {"account_name": "acc", "account_key": "k", "endpoint": "http://127.0.0.1:10000/acc"},
        {
            "fs.azure.abfs.endpoint": "127.0.0.1:10000",
            f"fs.azure.account.auth.type.{A}": "SharedKey",
            f"fs.azure.account.key.{A}": "k",
        },
    ),
    ("gs://b/t", {}, {"fs.gs.auth.type": "APPLICATION_DEFAULT"}),
    ("gs://b/t", {"skip_signature": "true"}, {"fs.gs.auth.type": "UNAUTHENTICATED"}),
    (
        "gs://b/t",
        {"GOOGLE_APPLICATION_CREDENTIALS": "/k.json"},
        {
            "fs.gs.auth.type": "SERVICE_ACCOUNT_JSON_KEYFILE",
            "fs.gs.auth.service.account.json.keyfile": "/k.json",
        },
    ),
    ("hdfs://n/t", {}, {}),
    ("/t", {"access_key_id": "k", "secret_access_key": "s"}, {}),
]


@pytest.mark.parametrize(("uri", "given", "expected"), ROWS)
def test_properties_of_hadoop(uri, given, expected) -> None:
    assert for_hadoop(resolve(scheme_of(uri) or "file", given, {}), uri) == expected


@pytest.mark.parametrize(
    ("uri", "given", "code"),
    [
        ("az://c/t", {"account_name": "a", "bearer_token": "hush"}, "SETTING_NOT_FOR_SPARK"),
        ("az://c/t", {"account_name": "a", "use_azure_cli": "1"}, "SETTING_NOT_FOR_SPARK"),
        ("az://c/t", {"account_name": "a", "anonymous": "1"}, "SETTING_NOT_FOR_SPARK"),
        ("az://c/t", {"use_emulator": "true"}, "SETTING_NOT_FOR_SPARK"),
        ("az://c/t", {"account_name": "a", "credential_type": "access_key"},
         "STORAGE_OPTION_MISSING"),
        ("gs://b/t", {"service_account_key": "hush"}, "SETTING_NOT_FOR_SPARK"),
        ("gs://b/t", {"bearer_token": "hush"}, "SETTING_NOT_FOR_SPARK"),
        ("gs://b/t", {"base_url": "http://h"}, "SETTING_NOT_FOR_SPARK"),
    ],
)  # fmt: skip
def test_what_hadoop_has_no_word_for(uri, given, code) -> None:
    with pytest.raises(DeltactlError) as caught:
        for_hadoop(resolve(scheme_of(uri) or "file", given, {}), uri)
    assert caught.value.code == code
    assert caught.value.hint
    assert "hush" not in f"{caught.value.message} {caught.value.hint} {caught.value.details}"
