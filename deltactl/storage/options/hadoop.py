"""What Spark is told of a store: the table's URL and settings, in the words of Hadoop 3.5."""

from urllib.parse import quote, unquote, urlsplit

from deltactl.errors import InvalidUsageError, SparkError
from deltactl.storage.options.options import StoreOptions
from deltactl.storage.urls import kind_of

AZURE_HOST = "dfs.core.windows.net"
_S3A = "org.apache.hadoop.fs.s3a"
_OAUTH = "org.apache.hadoop.fs.azurebfs.oauth2"
_WEB_IDENTITY = "software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider"
_LOGIN = "https://login.microsoftonline.com"
# Where an endpoint is set the region only has to be one, and this is the one that obstore takes.
_REGION = "us-east-1"
_ENCRYPTION = {
    "aes256": "AES256",
    "aws:kms": "SSE-KMS",
    "aws:kms:dsse": "DSSE-KMS",
    "sse-c": "SSE-C",
}


def spark_uri(uri: str, options: StoreOptions) -> str:
    """Return the table's URL as Spark takes it; paths, and schemes that Hadoop has, stay.

    s3:// becomes s3a://, and all of Azure's abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/.

    Raises:
        InvalidUsageError: nothing tells the account of Azure.
    """
    rest = uri.partition("://")[2]
    match kind_of(uri):
        case "s3":
            return f"s3a://{rest}"
        case "azure":
            authority, slash, path = rest.partition("/")
            container, at, host = authority.partition("@")
            host = host if at else f"{_account(uri, options)}.{AZURE_HOST}"
            # Hadoop has two schemes, of which one goes without TLS.
            plain = (options.endpoint() or "").lower().startswith("http://")
            return f"{'abfs' if plain else 'abfss'}://{container}@{host}{slash}{path}"
        case "gcs":
            return f"gs://{rest}"
        case _:
            return uri


def for_hadoop(options: StoreOptions, uri: str) -> dict[str, str]:
    """Return the properties of Hadoop that have it reach the table at `uri` as we do.

    Raises:
        InvalidUsageError: nothing tells the account of Azure.
        SparkError: Hadoop has nothing that means the same.
    """
    match options.kind:
        case "s3":
            return {**_s3(options, urlsplit(uri).netloc), **_s3_identity(options)}
        case "azure":
            host = urlsplit(spark_uri(uri, options)).netloc.rpartition("@")[2]
            return _azure(options, host)
        case "gcs":
            return _gcs(options)
        case _:
            return {}


def _s3(options: StoreOptions, bucket: str) -> dict[str, str]:
    # Absolute paths in a log may say s3:// whatever the table is called by.
    found = {"fs.s3.impl": f"{_S3A}.S3AFileSystem"}
    virtual = options.is_on("AWS_VIRTUAL_HOSTED_STYLE_REQUEST")
    if endpoint := options.endpoint():
        url = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
        # obstore wants such an endpoint with the bucket in it, and Hadoop puts it there itself.
        host = url.netloc.removeprefix(f"{bucket}.") if virtual else url.netloc
        found["fs.s3a.endpoint"] = f"{url.scheme}://{host}"
        found["fs.s3a.connection.ssl.enabled"] = str(url.scheme == "https").lower()
        found["fs.s3a.path.style.access"] = str(not virtual).lower()
        found["fs.s3a.endpoint.region"] = _REGION
    if region := options.get("AWS_REGION"):
        found["fs.s3a.endpoint.region"] = region
    if algorithm := options.get("AWS_SERVER_SIDE_ENCRYPTION"):
        found["fs.s3a.encryption.algorithm"] = _ENCRYPTION.get(algorithm.lower(), algorithm)
        for name in ("AWS_SSE_KMS_KEY_ID", "AWS_SSE_CUSTOMER_KEY_BASE64"):
            if key := options.get(name):
                found["fs.s3a.encryption.key"] = key
    if options.is_on("AWS_REQUEST_PAYER"):
        found["fs.s3a.requester.pays.enabled"] = "true"
    if options.is_on("AWS_DISABLE_BULK_DELETE"):
        found["fs.s3a.multiobjectdelete.enable"] = "false"
    return {**found, **_proxy("fs.s3a.proxy", options.get("AWS_PROXY_URL"))}


def _s3_identity(options: StoreOptions) -> dict[str, str]:
    """Return who one is to S3; if nothing says so Hadoop asks the machine, as obstore does."""
    provider = "fs.s3a.aws.credentials.provider"
    if options.is_on("AWS_SKIP_SIGNATURE"):
        return {provider: f"{_S3A}.AnonymousAWSCredentialsProvider"}
    key, secret = options.get("AWS_ACCESS_KEY_ID"), options.get("AWS_SECRET_ACCESS_KEY")
    if key and secret:
        found = {"fs.s3a.access.key": key, "fs.s3a.secret.key": secret}
        if token := options.get("AWS_SESSION_TOKEN"):
            temporary = f"{_S3A}.TemporaryAWSCredentialsProvider"
            return {**found, "fs.s3a.session.token": token, provider: temporary}
        return {**found, provider: f"{_S3A}.SimpleAWSCredentialsProvider"}
    if options.get("AWS_WEB_IDENTITY_TOKEN_FILE"):
        return {provider: _WEB_IDENTITY}  # it reads the environment by itself
    return {}


def _azure(options: StoreOptions, host: str) -> dict[str, str]:
    if options.is_on("AZURE_STORAGE_USE_EMULATOR"):
        said = "set AZURE_STORAGE_ENDPOINT and AZURE_STORAGE_ACCOUNT_KEY to those of the emulator"
        raise _not_for_spark("AZURE_STORAGE_USE_EMULATOR", said)
    found = {}
    url = urlsplit(options.endpoint() or "")
    if url.port is not None:  # an emulator's; a host by itself stands in the table's URL
        found["fs.azure.abfs.endpoint"] = f"{url.hostname}:{url.port}"
    auth = f"fs.azure.account.auth.type.{host}"
    match options.azure_identity():
        case "access_key":
            key = _needed(options, "AZURE_STORAGE_ACCOUNT_KEY")
            return {**found, auth: "SharedKey", f"fs.azure.account.key.{host}": key}
        case "sas_token":
            token = _encoded(_needed(options, "AZURE_STORAGE_SAS_TOKEN"))
            return {**found, auth: "SAS", f"fs.azure.sas.fixed.token.{host}": token}
        case "client_secret" | "workload_identity" | None:
            return {**found, auth: "OAuth", **_oauth(options, host)}
        case other:
            raise _not_for_spark(
                "AZURE_STORAGE_TOKEN" if other == "bearer_token" else f"{other} for Azure",
                "set an account key, a SAS, or a service principal",
            )


def _oauth(options: StoreOptions, host: str) -> dict[str, str]:
    account, tenant = "fs.azure.account", options.get("AZURE_TENANT_ID")
    authority = (options.get("AZURE_AUTHORITY_HOST") or _LOGIN).rstrip("/")
    identity = {f"{account}.oauth2.client.id.{host}": options.get("AZURE_CLIENT_ID")}
    match options.azure_identity():
        case "client_secret":
            provider = "ClientCredsTokenProvider"
            endpoint = f"{authority}/{tenant}/oauth2/token"
            identity |= {
                f"{account}.oauth2.client.secret.{host}": options.get("AZURE_CLIENT_SECRET"),
                f"{account}.oauth2.client.endpoint.{host}": endpoint,
            }
        case "workload_identity":
            provider = "WorkloadIdentityTokenProvider"
            identity |= {
                f"{account}.oauth2.msi.tenant.{host}": tenant,
                f"{account}.oauth2.msi.authority.{host}": f"{authority}/",
                f"{account}.oauth2.token.file.{host}": options.get("AZURE_FEDERATED_TOKEN_FILE"),
            }
        case _:
            provider = "MsiTokenProvider"
            identity |= {
                f"{account}.oauth2.msi.tenant.{host}": tenant,
                f"{account}.oauth2.msi.endpoint.{host}": options.get("AZURE_MSI_ENDPOINT"),
            }
    given = {key: value for key, value in identity.items() if value}
    return {f"{account}.oauth.provider.type.{host}": f"{_OAUTH}.{provider}", **given}


def _gcs(options: StoreOptions) -> dict[str, str]:
    said = "name a service account's file by GOOGLE_SERVICE_ACCOUNT"
    for name in ("GOOGLE_SERVICE_ACCOUNT_KEY", "GOOGLE_BEARER_TOKEN"):
        if options.get(name):
            raise _not_for_spark(name, said)
    if options.get("GOOGLE_BASE_URL"):
        raise _not_for_spark("GOOGLE_BASE_URL", "Spark reaches Google's own endpoint only")
    if options.is_on("GOOGLE_SKIP_SIGNATURE"):
        return {"fs.gs.auth.type": "UNAUTHENTICATED"}
    named = options.get("GOOGLE_SERVICE_ACCOUNT") or options.get("GOOGLE_APPLICATION_CREDENTIALS")
    if named:
        keyfile = "fs.gs.auth.service.account.json.keyfile"
        return {"fs.gs.auth.type": "SERVICE_ACCOUNT_JSON_KEYFILE", keyfile: named}
    # What gcloud left on this machine, else what the machine itself is.
    return {"fs.gs.auth.type": "APPLICATION_DEFAULT"}


def _proxy(prefix: str, proxy: str | None) -> dict[str, str]:
    if not proxy:
        return {}
    url = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    port = url.port or (443 if url.scheme == "https" else 80)
    found = {f"{prefix}.host": url.hostname or "", f"{prefix}.port": str(port)}
    if url.username:
        found[f"{prefix}.username"] = unquote(url.username)
        found[f"{prefix}.password"] = unquote(url.password or "")
    return found


def _encoded(token: str) -> str:
    """Return a SAS as Hadoop takes it: without a question mark, and percent-encoded once."""
    pairs = (pair.partition("=") for pair in token.removeprefix("?").split("&") if pair)
    return "&".join(f"{name}={quote(unquote(value), safe='')}" for name, _, value in pairs)


def _account(uri: str, options: StoreOptions) -> str:
    if account := options.get("AZURE_STORAGE_ACCOUNT_NAME"):
        return account
    if options.is_on("AZURE_STORAGE_USE_EMULATOR"):
        return "devstoreaccount1"
    raise InvalidUsageError(
        "AZURE_ACCOUNT_UNKNOWN",
        f"{uri} does not say which storage account it is in",
        hint="set AZURE_STORAGE_ACCOUNT_NAME, or write abfss://CONTAINER@ACCOUNT."
        f"{AZURE_HOST}/PATH",
    )


def _needed(options: StoreOptions, name: str) -> str:
    if value := options.get(name):
        return value
    raise InvalidUsageError(
        "STORAGE_OPTION_MISSING",
        f"{name} is not set, and AZURE_CREDENTIAL_TYPE asks for it",
        hint=f"set {name}, or unset AZURE_CREDENTIAL_TYPE",
    )


def _not_for_spark(what: str, hint: str) -> SparkError:
    return SparkError(
        "SETTING_NOT_FOR_SPARK",
        f"{what} cannot be handed on to Spark: Hadoop has nothing that means the same",
        hint=hint,
    )
