"""Every setting of an object store: its name, its other spellings, and what it must not show."""

from typing import NamedTuple

from deltactl.storage.urls import StoreKind


class Row(NamedTuple):
    """One setting.

    `name` is its name in the environment, and ours. `also` are other spellings, of which those in
    capitals are read from the environment, too, the first one first. `key` is obstore's name for
    it, `client` that of obstore's HTTP client; a row with neither is for us alone. A project file
    that the user does not trust can set only what is `harmless`: no credentials or what finds them,
    no hosts, nothing that makes a connection or a commit less safe. `path` is what names a file.
    """

    name: str
    also: tuple[str, ...] = ()
    key: str | None = None
    client: str | None = None
    secret: bool = False
    harmless: bool = False
    path: bool = False


def _client(prefix: str) -> tuple[Row, ...]:
    """Return how to talk HTTP, which is the same for all stores."""
    keys = ("allow_http", "allow_invalid_certificates", "proxy_excludes", "proxy_ca_certificate")
    rows = [Row(f"{prefix}_{key.upper()}", (key,), client=key) for key in keys]
    # A proxy's URL may hold a login.
    proxy = Row(f"{prefix}_PROXY_URL", ("proxy_url",), client="proxy_url", secret=True)
    return (*rows, proxy)


S3 = (
    Row("AWS_ACCESS_KEY_ID", ("access_key_id",), "access_key_id"),
    Row("AWS_SECRET_ACCESS_KEY", ("secret_access_key",), "secret_access_key", secret=True),
    Row("AWS_SESSION_TOKEN", ("AWS_TOKEN", "session_token", "token"), "session_token", secret=True),
    Row("AWS_SKIP_SIGNATURE", ("skip_signature", "anonymous"), "skip_signature"),
    Row("AWS_PROFILE", ("AWS_DEFAULT_PROFILE",)),
    Row("AWS_SHARED_CREDENTIALS_FILE", path=True),
    Row("AWS_CONFIG_FILE", path=True),
    Row("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"),
    Row("AWS_REGION", ("AWS_DEFAULT_REGION", "region", "default_region"), "region", harmless=True),
    Row(
        "AWS_ENDPOINT_URL_S3",
        ("AWS_ENDPOINT_URL", "AWS_ENDPOINT", "endpoint_url_s3", "endpoint_url", "endpoint"),
        "endpoint",
    ),
    Row(
        "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
        ("virtual_hosted_style_request",),
        "virtual_hosted_style_request",
    ),
    Row("AWS_CONDITIONAL_PUT", ("conditional_put",), "conditional_put"),
    Row("AWS_COPY_IF_NOT_EXISTS", ("copy_if_not_exists",), "copy_if_not_exists"),
    Row("AWS_CHECKSUM_ALGORITHM", ("checksum_algorithm",), "checksum_algorithm"),
    Row("AWS_UNSIGNED_PAYLOAD", ("unsigned_payload",), "unsigned_payload"),
    Row("AWS_REQUEST_PAYER", ("AWS_REQUEST_PAYS", "request_payer"), "request_payer"),
    Row("AWS_S3_EXPRESS", ("s3_express",), "s3_express"),
    Row("AWS_DISABLE_TAGGING", ("disable_tagging",), "disable_tagging"),
    Row("AWS_DISABLE_BULK_DELETE", ("disable_bulk_delete",), "disable_bulk_delete"),
    Row("AWS_SERVER_SIDE_ENCRYPTION", ("server_side_encryption",), "server_side_encryption"),
    Row("AWS_SSE_KMS_KEY_ID", ("sse_kms_key_id",), "sse_kms_key_id"),
    Row("AWS_SSE_BUCKET_KEY_ENABLED", ("sse_bucket_key_enabled",), "sse_bucket_key_enabled"),
    Row(
        "AWS_SSE_CUSTOMER_KEY_BASE64",
        ("sse_customer_key_base64",),
        "sse_customer_key_base64",
        secret=True,
    ),
    Row("AWS_ROLE_ARN", ("role_arn",), "role_arn"),
    Row("AWS_ROLE_SESSION_NAME", ("role_session_name",), "role_session_name"),
    Row(
        "AWS_WEB_IDENTITY_TOKEN_FILE",
        ("web_identity_token_file",),
        "web_identity_token_file",
        path=True,
    ),
    Row("AWS_ENDPOINT_URL_STS", ("AWS_STS_ENDPOINT", "sts_endpoint"), "aws_endpoint_url_sts"),
    Row(
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        ("container_credentials_relative_uri",),
        "container_credentials_relative_uri",
    ),
    Row(
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        ("container_credentials_full_uri",),
        "container_credentials_full_uri",
    ),
    Row(
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        ("container_authorization_token_file",),
        "container_authorization_token_file",
        path=True,
    ),
    Row("AWS_METADATA_ENDPOINT", ("metadata_endpoint",), "metadata_endpoint"),
    Row("AWS_IMDSV1_FALLBACK", ("imdsv1_fallback",), "imdsv1_fallback"),
    # These are of delta-rs. The first two decide whether we may write; tables that were reached
    # with the others are reached without them.
    Row("AWS_S3_LOCKING_PROVIDER", ("s3_locking_provider",)),
    Row("AWS_S3_ALLOW_UNSAFE_RENAME", ("s3_allow_unsafe_rename",)),
    Row("DELTA_DYNAMO_TABLE_NAME", ("DYNAMO_LOCK_TABLE_NAME", "table_name")),
    Row("AWS_FORCE_CREDENTIAL_LOAD"),
    *_client("AWS"),
)

AZURE = (
    Row(
        "AZURE_STORAGE_ACCOUNT_NAME",
        ("AZURE_STORAGE_ACCOUNT", "AZURE_ACCOUNT_NAME", "account_name"),
        "account_name",
    ),
    Row(
        "AZURE_STORAGE_ACCOUNT_KEY",
        (
            "AZURE_STORAGE_KEY",
            "AZURE_STORAGE_ACCESS_KEY",
            "AZURE_STORAGE_MASTER_KEY",
            "account_key",
            "access_key",
        ),
        "account_key",
        secret=True,
    ),
    Row(
        "AZURE_STORAGE_SAS_TOKEN",
        ("AZURE_STORAGE_SAS_KEY", "sas_token", "sas_key"),
        "sas_key",
        secret=True,
    ),
    Row("AZURE_STORAGE_TOKEN", ("bearer_token", "token"), "token", secret=True),
    Row("AZURE_CLIENT_ID", ("AZURE_STORAGE_CLIENT_ID", "client_id"), "client_id"),
    Row(
        "AZURE_CLIENT_SECRET",
        ("AZURE_STORAGE_CLIENT_SECRET", "client_secret"),
        "client_secret",
        secret=True,
    ),
    Row(
        "AZURE_TENANT_ID",
        (
            "AZURE_STORAGE_TENANT_ID",
            "AZURE_STORAGE_AUTHORITY_ID",
            "AZURE_AUTHORITY_ID",
            "tenant_id",
            "authority_id",
        ),
        "tenant_id",
    ),
    Row(
        "AZURE_AUTHORITY_HOST",
        ("AZURE_STORAGE_AUTHORITY_HOST", "authority_host"),
        "authority_host",
    ),
    Row(
        "AZURE_FEDERATED_TOKEN_FILE",
        ("federated_token_file",),
        "federated_token_file",
        path=True,
    ),
    Row("AZURE_MSI_ENDPOINT", ("AZURE_IDENTITY_ENDPOINT", "msi_endpoint"), "msi_endpoint"),
    Row("AZURE_OBJECT_ID", ("object_id",), "object_id"),
    Row("AZURE_MSI_RESOURCE_ID", ("msi_resource_id",), "msi_resource_id"),
    Row("AZURE_USE_AZURE_CLI", ("use_azure_cli",), "use_azure_cli"),
    Row("AZURE_SKIP_SIGNATURE", ("skip_signature", "anonymous"), "skip_signature"),
    Row("AZURE_CREDENTIAL_TYPE", ("credential_type",), "credential_type"),
    Row("AZURE_STORAGE_ENDPOINT", ("AZURE_ENDPOINT", "endpoint"), "endpoint"),
    Row("AZURE_STORAGE_USE_EMULATOR", ("use_emulator",), "use_emulator"),
    Row("AZURE_USE_FABRIC_ENDPOINT", ("use_fabric_endpoint",), "use_fabric_endpoint"),
    Row("AZURE_ENCRYPTION_KEY", ("encryption_key",), "encryption_key", secret=True),
    Row("AZURE_DISABLE_TAGGING", ("disable_tagging",), "disable_tagging"),
    *_client("AZURE"),
)

GCS = (
    Row(
        "GOOGLE_SERVICE_ACCOUNT",
        ("GOOGLE_SERVICE_ACCOUNT_PATH", "service_account", "service_account_path"),
        "service_account",
        path=True,
    ),
    Row(
        "GOOGLE_SERVICE_ACCOUNT_KEY",
        ("service_account_key",),
        "service_account_key",
        secret=True,
    ),
    Row(
        "GOOGLE_APPLICATION_CREDENTIALS",
        ("application_credentials",),
        "application_credentials",
        path=True,
    ),
    Row("GOOGLE_BEARER_TOKEN", ("bearer_token", "token"), "bearer_token", secret=True),
    Row("GOOGLE_SKIP_SIGNATURE", ("skip_signature", "anonymous"), "skip_signature"),
    Row("GOOGLE_BASE_URL", ("base_url",), "base_url"),
    *_client("GOOGLE"),
)

ROWS: dict[StoreKind, tuple[Row, ...]] = {"s3": S3, "azure": AZURE, "gcs": GCS}
NAMES: dict[StoreKind, str] = {"s3": "S3", "azure": "Azure", "gcs": "Google Cloud Storage"}
# What says who one is. All of a group that is given above hides the same below it.
IDENTITY: dict[StoreKind, frozenset[str]] = {
    "s3": frozenset(
        {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"}
        | {"AWS_SKIP_SIGNATURE", "AWS_PROFILE", "AWS_WEB_IDENTITY_TOKEN_FILE"}
    ),
    "azure": frozenset(
        {"AZURE_STORAGE_ACCOUNT_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_TOKEN"}
        | {"AZURE_CLIENT_SECRET", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_MSI_ENDPOINT"}
        | {"AZURE_USE_AZURE_CLI", "AZURE_SKIP_SIGNATURE", "AZURE_CREDENTIAL_TYPE"}
    ),
    "gcs": frozenset(
        {"GOOGLE_SERVICE_ACCOUNT", "GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_BEARER_TOKEN"}
        | {"GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_SKIP_SIGNATURE"}
    ),
}
