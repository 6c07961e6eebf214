"""Where a test's objects lie, and the one way in which these tests come by deltactl's stores."""

import getpass
import os
from collections.abc import Mapping
from typing import NamedTuple
from uuid import uuid4

import pytest
from store_servers import AZURITE_ACCOUNT, AZURITE_KEY, BUCKET

from deltactl.storage.base import Storage
from deltactl.storage.local.local import LocalStorage
from deltactl.storage.locate import locate_folder
from deltactl.storage.options.settings import StoreSettings

# A real one, if there is a URL to write below; what reaches it is in the environment.
REAL = os.environ.get("DELTACTL_TEST_STORE", "").rstrip("/")
STORES = (
    "local",
    "fake_s3",
    "fake_gcs",
    "moto",
    pytest.param("azurite", marks=pytest.mark.servers),
    pytest.param("hdfs", marks=[pytest.mark.servers, pytest.mark.jvm]),
    *(["real"] if REAL else []),
)
# What each of them gives to its tests; a wait this long is a failure of the test.
TIMEOUT = 60.0
# What no output may hold.
SECRET = "VERYSECRET"


class Place(NamedTuple):
    """A folder or a prefix of its own, and the settings that reach it."""

    uri: str
    options: Mapping[str, str] = {}

    def opened(self, timeout: float = TIMEOUT) -> Storage:
        """deltactl's store of it."""
        if "://" not in self.uri:
            return LocalStorage(self.uri)
        return locate_folder(self.uri, StoreSettings(self.options, timeout))


def s3(url: str, prefix: str) -> Place:
    """A place in the bucket of what speaks S3 at `url`."""
    return Place(
        f"s3://{BUCKET}/{prefix}",
        {
            "AWS_ENDPOINT_URL": url,
            "AWS_ACCESS_KEY_ID": "testing",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        },
    )


def gcs(url: str, prefix: str) -> Place:
    """A place in the bucket of what speaks GCS's XML API at `url`."""
    # Without signatures it would read, and ask Google for a token before each write.
    return Place(
        f"gs://{BUCKET}/{prefix}", {"GOOGLE_BASE_URL": url, "GOOGLE_BEARER_TOKEN": "testing"}
    )


def azure(url: str, prefix: str) -> Place:
    """A place in the container of Azurite's account at `url`."""
    return Place(
        f"az://{BUCKET}/{prefix}",
        {
            "AZURE_STORAGE_ACCOUNT_NAME": AZURITE_ACCOUNT,
            "AZURE_STORAGE_ACCOUNT_KEY": AZURITE_KEY,
            "AZURE_STORAGE_ENDPOINT": url,
        },
    )


def webhdfs(address: str, prefix: str) -> Place:
    """A place in the file system whose name node answers at `address`."""
    # Who started it may do everything.
    return Place(f"webhdfs://{address}/{prefix}", {"HADOOP_USER_NAME": getpass.getuser()})


def real() -> Place:
    """A place below $DELTACTL_TEST_STORE that nobody had before."""
    kinds = ("AWS_", "AZURE_", "GOOGLE_")
    found = {name: value for name, value in os.environ.items() if name.startswith(kinds)}
    return Place(f"{REAL}/{uuid4()}", found)
