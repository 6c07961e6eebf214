"""The URLs by which tables in object stores are named."""

import re
from typing import Literal, NamedTuple

from deltactl.errors import InvalidUsageError

StoreKind = Literal["s3", "azure", "gcs"]
# Each scheme that people write, and the kind of object store that it means.
SCHEMES: dict[str, StoreKind] = {
    "s3": "s3",
    "s3a": "s3",
    "az": "azure",
    "azure": "azure",
    "adl": "azure",
    "abfs": "azure",
    "abfss": "azure",
    "gs": "gcs",
}
HDFS = {"hdfs", "webhdfs", "swebhdfs"}
HDFS_OPTIONS = {"HDFS_HTTP_ADDRESS", "HADOOP_USER_NAME", "HDFS_DELEGATION_TOKEN"}
# Compiled when they are needed first: a table on this machine needs none of them.
_BUCKET = r"[$A-Za-z0-9][A-Za-z0-9._-]*"
_ACCOUNT = r"[A-Za-z0-9-]+"
# Whoever owns an account of Azure sees no more of a request than the owner of a bucket does.
_AZURE_HOST = (
    r"[a-z0-9-]+(\.z[0-9]+)?\.(dfs|blob)\."
    r"(core\.windows\.net|storage\.azure\.net|core\.chinacloudapi\.cn|core\.usgovcloudapi\.net"
    r"|fabric\.microsoft\.com)"
)
_UNSENDABLE = "[\x00-\x1f\x7f\ud800-\udfff]"
_QUERY = r"\?[A-Za-z0-9_.-]+="
_EXAMPLES: dict[StoreKind, str] = {
    "s3": "s3://BUCKET/PATH",
    "gcs": "gs://BUCKET/PATH",
    "azure": "abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH",
}


class ObjectUrl(NamedTuple):
    """A place in an object store: `bucket` is Azure's container, whose `account` may be named."""

    kind: StoreKind
    bucket: str
    path: str
    account: str | None = None

    @property
    def is_sorted(self) -> bool:
        """Whether listings come in the order of the keys: directory buckets of S3 give no order."""
        return self.kind != "azure" and not self.bucket.endswith("--x-s3")


def scheme_of(uri: str) -> str | None:
    """Return the scheme of a URL in lower case, None for a path."""
    scheme, separator, _ = uri.partition("://")
    is_scheme = scheme[:1].isalpha() and scheme.replace("+", "").replace("-", "").isalnum()
    return scheme.lower() if separator and is_scheme else None


def mistyped(uri: str) -> str | None:
    """Return the URL that was meant if slashes are missing after the colon; None otherwise."""
    scheme, colon, rest = uri.partition(":")
    known = scheme.lower() in SCHEMES or scheme.lower() in HDFS
    is_short = colon and known and not rest.startswith("//") and rest.strip("/")
    return f"{scheme}://{rest.removeprefix('/')}" if is_short else None


def trimmed(uri: str) -> str:
    """Return the URL without slashes at its end; those after the colon stay."""
    scheme, separator, rest = uri.partition("://")
    return f"{scheme}{separator}{rest.rstrip('/')}"


def kind_of(uri: str) -> StoreKind | None:
    """Return the kind of object store that a URL is of; None for folders and HDFS."""
    return SCHEMES.get(scheme_of(uri) or "")


def is_remote(uri: str) -> bool:
    """Return whether it is a URL of a store; a path is not, nor a URL of another kind."""
    return kind_of(uri) is not None or scheme_of(uri) in HDFS


def named_host(uri: str) -> str | None:
    """Return the host that a URL names by itself; None if settings alone say which host is asked.

    A bucket, or an account at one of Azure's own hosts, is a place at a host of the settings.
    """
    place = uri.partition("://")[2].partition("/")[0]
    if scheme_of(uri) in HDFS:
        return place or None
    _, at, host = place.partition("@")
    is_named = at and kind_of(uri) == "azure" and not re.fullmatch(_AZURE_HOST, host.lower())
    return host if is_named else None


def check_sendable(uri: str) -> None:
    """Refuse a URL of a store that no request could be made with.

    Raises:
        InvalidUsageError: it has a control character in it, or is not text in UTF-8.
    """
    if is_remote(uri) and (found := re.search(_UNSENDABLE, uri)):
        raise InvalidUsageError(
            "BAD_TABLE_PATH",
            f"{uri!r} cannot be the URL of a table: it has {found[0]!r} in it",
            hint="look at how it was quoted or pasted: stores take no control characters",
        )


def refuse_query(uri: str) -> None:
    """Refuse a URL of a store with a query, which may hold a signature: it is not repeated.

    A key may have a `?` in it; followed by a name and `=` it is the query of a link to share.

    Raises:
        InvalidUsageError: it has one.
    """
    if not is_remote(uri) or not re.search(_QUERY, uri):
        return
    hints: dict[StoreKind | None, str] = {
        "s3": "name keys by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        "azure": "give a SAS by AZURE_STORAGE_SAS_TOKEN",
        "gcs": "name a service account by GOOGLE_APPLICATION_CREDENTIALS",
    }
    raise InvalidUsageError(
        "BAD_TABLE_PATH",
        "the URL of a table has no query: what begins with its ? does not belong there",
        hint=hints.get(kind_of(uri), "give settings of the store by --storage-option"),
    )


def parse_object_url(uri: str) -> ObjectUrl | None:
    """Return the place that a URL names, None if it is not one of an object store.

    What follows the bucket is the key as it stands: nothing in it is decoded, as Hadoop has it.

    Raises:
        InvalidUsageError: it names no bucket, or a key that no store can be asked for.
    """
    kind = kind_of(uri)
    if kind is None:
        return None
    place, _, path = uri.partition("://")[2].partition("/")
    bucket, at, host = place.partition("@")
    account = (host.partition(".")[0] or None) if at else None
    path = path.rstrip("/")
    if at and kind != "azure":
        # A password, perhaps, which is not repeated.
        raise InvalidUsageError(
            "BAD_TABLE_PATH",
            f"{uri.partition('://')[0]}://{uri.rpartition('@')[2]} was given with something before "
            "an @: no user or password belongs in it",
            hint=f"write {_EXAMPLES[kind]}, and name keys as settings of the store",
        )
    if not re.fullmatch(_BUCKET, bucket) or (at and not re.fullmatch(_ACCOUNT, account or "")):
        # What stands before an @ may be a login.
        shown = f"{uri.partition('://')[0]}://{uri.rpartition('@')[2]}" if at else uri
        raise InvalidUsageError(
            "BAD_TABLE_PATH", f"{shown} does not name a bucket", hint=f"write {_EXAMPLES[kind]}"
        )
    if any(segment in ("", ".", "..") for segment in path.split("/")) and path:
        raise InvalidUsageError(
            "BAD_TABLE_PATH",
            f"{uri} has a part between two slashes that is empty, . or ..",
            hint=f"write {_EXAMPLES[kind]}, with one slash between two parts",
        )
    return ObjectUrl(kind, bucket, path, account)
