"""Clients of object stores: one that reads, and tries again, and one that writes, and does not."""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from obstore.exceptions import BaseError
from obstore.store import AzureStore, GCSStore, S3Store

from deltactl.errors import StorageError
from deltactl.storage.object.failures import PREFIXES
from deltactl.storage.object.object_storage import Access, ObjectStorage
from deltactl.storage.options.aws_profile import with_profile
from deltactl.storage.options.credentials import check_credentials
from deltactl.storage.options.options import StoreOptions, resolve, variables
from deltactl.storage.options.settings import StoreSettings
from deltactl.storage.urls import ObjectUrl, scheme_of, trimmed

# A store that refuses a connection, or is busy, gets six seconds in all to think better of it.
RETRIES = 6
CONNECT = 10.0
UPLOAD = 3600.0
_ACCOUNT = "AZURE_STORAGE_ACCOUNT_NAME"
_NO_CAUSE = {"Os", "Error", "Some", "None", "Custom"}
# Whoever looks at the environment waits while parts of it are hidden.
_environment = threading.Lock()
_MAKERS: dict[str, Any] = {"s3": S3Store, "gcs": GCSStore, "azure": AzureStore}


def storage(uri: str, url: ObjectUrl, settings: StoreSettings) -> ObjectStorage:
    """Return the store of a table, or of a folder, in an object store.

    Raises:
        InvalidUsageError: no store has such an option.
        StorageError: a profile, or credentials, cannot be used.
    """
    with _environment:
        environ = dict(os.environ)
    options = resolve(scheme_of(uri) or url.kind, settings.options, environ)
    options = with_profile(options, environ)
    check_credentials(options)
    # The place of a login in it is not a place to show.
    endpoint = re.sub("//[^/@]*@", "//", options.endpoint() or "") or None
    bucket = "/".join(filter(None, (endpoint or url.kind, options.get(_ACCOUNT), url.bucket)))
    connect = partial(_connect, options=options, timeout=settings.timeout)
    return ObjectStorage(
        trimmed(uri),
        url,
        connect,
        settings.timeout,
        bucket=bucket,
        endpoint=endpoint,
        write_refusal=options.write_refusal(settings.spark_conf),
        warnings=options.warnings(settings.spark_conf),
        watch=settings.watch,
        key_source=options.key_source,
    )


def _connect(url: ObjectUrl, access: Access, options: StoreOptions, timeout: float) -> Any:
    config: dict[str, Any] = dict(options.for_obstore())
    if url.account is not None:
        config["account_name"] = url.account
    client: dict[str, Any] = {
        **options.for_client(),
        # The bytes of a large file count as part of the wait for the answer.
        "timeout": timedelta(seconds=timeout + (UPLOAD if access == "upload" else 0)),
        "connect_timeout": timedelta(seconds=min(timeout, CONNECT)),
    }
    # With a provider the client asks nobody else; a token of the environment is not mixed in.
    keys = options.key_source or (options.s3_keys if options.s3_keys() else None)
    provider = {"credential_provider": keys} if keys else {}
    retry = {
        "max_retries": RETRIES if access == "read" else 0,
        "retry_timeout": timedelta(seconds=timeout),
    }
    try:
        with _without(variables(options.kind) if options.kind else frozenset()):
            return _MAKERS[url.kind](
                url.bucket, config=config, client_options=client, retry_config=retry, **provider
            )
    except (BaseError, ValueError) as error:
        # The client's words may repeat a setting that is secret: only its first ones are safe.
        raise _misconfigured(url, str(error)) from None


def _misconfigured(url: ObjectUrl, said: str) -> StorageError:
    if "MissingAccount" in said:
        return StorageError(
            "STORE_MISCONFIGURED",
            f"nothing tells the Azure account of the container {url.bucket}",
            hint="write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH, or set "
            "AZURE_STORAGE_ACCOUNT_NAME",
        )
    # Where one cause stands in another, the inner one says more.
    found = [name for name in re.findall(r"source: ([A-Z]\w+)", said) if name not in _NO_CAUSE]
    what = found[-1] if found else "its client does not take them"
    return StorageError(
        "STORE_MISCONFIGURED",
        f"{url.bucket}: the settings of the store are not right ({what})",
        hint=f"look at those that begin with {PREFIXES[url.kind]}, in the environment and in what "
        "deltactl config show lists",
    )


@contextmanager
def _without(names: frozenset[str]) -> Iterator[None]:
    """Hide variables of the environment: the client reads them, too, and would mix them in."""
    with _environment:
        found = {name: os.environ.pop(name, None) for name in names}
        try:
            yield
        finally:
            os.environ.update({name: value for name, value in found.items() if value is not None})
