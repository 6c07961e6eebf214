"""Credentials that cannot work, told by name before a store is asked, and never by value."""

import base64
import json
import os
from collections.abc import Iterator
from typing import Any

from deltactl.errors import StorageError
from deltactl.storage.options.options import StoreOptions

# What is wrong, and what to do; who asks takes the first, and goes no further.
Problems = Iterator[tuple[str, str]]
_PAIR = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
_ACCOUNT = ("client_email", "private_key", "private_key_id")
# What a file of Google's has to have, by its type.
_GOOGLE: dict[str, tuple[str, ...]] = {
    "service_account": _ACCOUNT,
    "authorized_user": ("client_id", "client_secret", "refresh_token"),
}


def check_credentials(options: StoreOptions) -> None:
    """Look at what says who one is, as far as that can be done without the store.

    Raises:
        StorageError: half of a pair is not there, or what was named cannot be read.
    """
    problems = {"s3": _of_s3, "azure": _of_azure, "gcs": _of_google}
    for said, hint in problems[options.kind](options) if options.kind else ():
        raise StorageError("STORE_MISCONFIGURED", said, hint=hint)


def _of_s3(options: StoreOptions) -> Problems:
    there = [name for name in _PAIR if options.get(name)]
    if len(there) == 1:
        (missing,) = set(_PAIR) - set(there)
        name = options.named(there[0])
        yield f"{name} is set, and {missing} is not", f"set {missing}, or unset {name}"
    elif not options.has_keys():
        yield from _of_file(options, "AWS_WEB_IDENTITY_TOKEN_FILE")


def _of_azure(options: StoreOptions) -> Problems:
    match options.azure_identity():
        case "access_key" if key := options.get("AZURE_STORAGE_ACCOUNT_KEY"):
            try:
                base64.b64decode(key, validate=True)
            except ValueError:
                name = options.named("AZURE_STORAGE_ACCOUNT_KEY")
                yield (
                    f"{name} is not a key of an account, which is in Base64",
                    "copy the key again; a SAS goes into AZURE_STORAGE_SAS_TOKEN",
                )
        case "sas_token" if token := options.get("AZURE_STORAGE_SAS_TOKEN"):
            if not all("=" in pair for pair in token.lstrip("?").split("&") if pair):
                name = options.named("AZURE_STORAGE_SAS_TOKEN")
                yield (
                    f"{name} is not a SAS such as sv=...&sp=...&sig=...",
                    "copy it again; the key of an account goes into AZURE_STORAGE_ACCOUNT_KEY",
                )
        case "workload_identity":
            yield from _of_file(options, "AZURE_FEDERATED_TOKEN_FILE")


def _of_google(options: StoreOptions) -> Problems:
    if (key := options.get("GOOGLE_SERVICE_ACCOUNT_KEY")) is not None:
        name = options.named("GOOGLE_SERVICE_ACCOUNT_KEY")
        yield from _of_account(name, key.encode(), _ACCOUNT)
    for name, needed in (
        ("GOOGLE_SERVICE_ACCOUNT", _ACCOUNT),
        ("GOOGLE_APPLICATION_CREDENTIALS", None),
    ):
        if (path := options.get(name)) is not None:
            yield from _of_file(options, name)
            # A pipe can be read only once, and that is for the client.
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    said = file.read()
                what = f"{path}, which {options.named(name)} names,"
                yield from _of_account(what, said, needed)


def _of_file(options: StoreOptions, name: str) -> Problems:
    """Yield what is wrong with a file that is named by an option."""
    path = options.get(name)
    if path is None:
        return
    wrong = None
    if not os.path.exists(path):
        wrong = "does not exist"
    elif os.path.isdir(path):
        wrong = "is a folder"
    elif not os.access(path, os.R_OK):
        wrong = "may not be read"
    if wrong:
        name = options.named(name)
        yield (
            f"{name} names {path}, which {wrong}",
            f"set {name} to the path of a file, or unset it",
        )


def _of_account(what: str, text: bytes, needed: tuple[str, ...] | None) -> Problems:
    """Yield what is wrong with a Google JSON file; without `needed`, its type decides."""
    hint = "download the key of a service account, as JSON, from Google Cloud's console"
    try:
        found: Any = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        yield f"{what} is not a JSON object, as the keys of Google are", hint
        return
    if needed is None and (needed := _GOOGLE.get(str(found.get("type")))) is None:
        yield f"{what} has a type that is not one of {', '.join(_GOOGLE)}", hint
        return
    for field in needed:
        if not isinstance(found.get(field), str):
            yield f"{what} has no {field}", hint
