"""What went wrong in an object store, from what its client says, without what it must not say.

The client's own text holds whole URLs, and with them signatures of Azure: nothing of it is shown
but the store's own code and message.
"""

import re
from typing import NamedTuple

from deltactl.errors import StorageError
from deltactl.storage.options.option_rows import NAMES
from deltactl.storage.urls import ObjectUrl, StoreKind

_STATUS = re.compile(r"status code: (\d{3})")
_CODE = re.compile(r"<Code>([A-Za-z]+)</Code>")
_SAID = re.compile(r"<Message>([^<]*)")
_KIND = re.compile(r"HttpError \{\s*kind: (\w+)")
_TLS = re.compile(r"InvalidContentType|[Cc]ertificate|UnknownIssuer|AlertReceived|rustls|Tls")
_NO_SUCH_BUCKET = {"NoSuchBucket", "ContainerNotFound", "InvalidBucketName"}
_REJECTED = {
    "InvalidAccessKeyId",
    "SignatureDoesNotMatch",
    "ExpiredToken",
    "InvalidToken",
    "TokenRefreshRequired",
    "AuthenticationFailed",
    "InvalidAuthenticationInfo",
}
_SKEWED = {"RequestTimeTooSkewed", "RequestExpired"}
_ELSEWHERE = {
    "PermanentRedirect",
    "AuthorizationHeaderMalformed",
    "IllegalLocationConstraintException",
    "TemporaryRedirect",
}
_FULL = {"QuotaExceeded", "InsufficientStorage", "XMinioStorageFull", "ServiceQuotaExceeded"}
_BUSY = {"SlowDown", "ServerBusy", "ServiceUnavailable", "RequestTimeout", "OperationTimedOut"}
# With which Azure says that there is a file of that name.
_THERE = ("BlobAlreadyExists", "ResourceAlreadyExists")
# What a write may meet that says nothing about whether it will land when it is tried again.
_CONFLICT = {"ConditionalRequestConflict", "OperationAborted"}
_PASSING = _CONFLICT | _BUSY
# A page of HTML is not XML, and has no tags of versions. XML that was cut off says something else.
_NO_STORES = (
    "MismatchedEndTag",
    "UnmatchedEndTag",
    "expected struct List",
    "missing field `Blobs`",
    "MissingLastModified",
    "MissingEtag",
)
_LONGEST = 200
_PATH = re.compile(r'path: ("(?:[^"\\]|\\.)*")')
_OTHER_SOURCES = (
    "metadata.google",
    "instance metadata",
    "MissingCredentials",
    "External AWS credential provider",
)

# These do not depend on the file.
_OF_THE_WHOLE = {
    "BUCKET_NOT_FOUND",
    "CLOCK_SKEWED",
    "CREDENTIALS_REJECTED",
    "NO_CREDENTIALS",
    "STORE_MISCONFIGURED",
    "STORE_TIMED_OUT",
    "STORE_UNREACHABLE",
    "TLS_FAILED",
    "WRONG_REGION",
}
# Whom a request was sent to, without a login.
_HOST = re.compile(r"performing [A-Z]+ https?://(?:[^/\s]*@)?([^/?#\s]+)")
# Where a store says that a bucket is.
_REGION = re.compile(
    r"<Region>([a-z0-9-]+)</Region>"
    r"|expecting (?:'|&apos;|&#39;)([a-z0-9-]+)(?:'|&apos;|&#39;)"
    r"|<Endpoint>[^<]*\bs3[.-]([a-z]{2}(?:-[a-z]+)+-[0-9])\.amazonaws"
)
# What decides which host is asked.
_LEADS = {
    "s3": "AWS_ENDPOINT_URL, or the region",
    "azure": "the name of the account, or AZURE_STORAGE_ENDPOINT",
    "gcs": "GOOGLE_BASE_URL",
}
_ENDPOINTS: dict[StoreKind, str] = {
    "s3": "AWS_ENDPOINT_URL",
    "azure": "AZURE_STORAGE_ENDPOINT",
    "gcs": "GOOGLE_BASE_URL",
}

PREFIXES = {"s3": "AWS_", "gcs": "GOOGLE_", "azure": "AZURE_"}
_KEYS = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give "
    "--storage-option AWS_PROFILE=NAME",
    "azure": "set AZURE_STORAGE_ACCOUNT_KEY, or a SAS token or a service principal (AZURE_*)",
    "gcs": "set GOOGLE_APPLICATION_CREDENTIALS to the file of a service account",
}


class FailedResponse(NamedTuple):
    """What is known of a failed request: the HTTP status, the store's code, the client's kind."""

    status: int | None
    code: str
    kind: str
    said: str
    text: str

    @property
    def is_passing(self) -> bool:
        """Whether the same request may go well a moment later."""
        if self.asks_for_credentials or self.is_full:
            return False
        if self.status is None:
            return bool(self.kind) and not self.is_about_settings
        return (
            self.is_conflict
            or self.status in (408, 429)
            or self.status >= 500
            or self.code in _PASSING
        )

    @property
    def is_conflict(self) -> bool:
        """Whether another request to the same key was under way, and this one has to come again."""
        others = self.status == 409 and self.code not in ("", *_THERE)
        return self.code in _CONFLICT or others

    @property
    def is_beyond_the_end(self) -> bool:
        """Whether the range that was asked for begins where the file has ended."""
        # What comes after the first is Azurite's, which tells so in the heads of an answer.
        return self.status == 416 or "object was only" in self.text or "0--1/0" in self.text

    @property
    def never_arrived(self) -> bool:
        """Whether the request cannot have reached the store."""
        return self.kind == "Connect" or self.is_about_settings

    @property
    def is_full(self) -> bool:
        """Whether a quota or a disk is used up."""
        return self.status == 507 or self.code in _FULL

    @property
    def is_about_settings(self) -> bool:
        """Whether the client did not even ask: the settings do not make a request."""
        return "kind: Builder" in self.text or "MissingCredentials" in self.text

    @property
    def is_no_stores(self) -> bool:
        """Whether what came is not an answer of a store: a page, say, with HTTP 200."""
        return any(sign in self.text for sign in _NO_STORES)

    @property
    def asks_for_credentials(self) -> bool:
        """Whether it was the client's search for credentials that failed."""
        sources = ("/latest/api/token", "/latest/meta-data", "169.254.169.254", *_OTHER_SOURCES)
        return any(source in self.text for source in sources)


def answer_of(error: BaseException) -> FailedResponse:
    """Return what the client's error says, as far as it is of use."""
    text = str(error)
    status, code, said, kind = (p.search(text) for p in (_STATUS, _CODE, _SAID, _KIND))
    return FailedResponse(
        int(status[1]) if status else None,
        code[1] if code else "",
        kind[1] if kind else "",
        " ".join(said[1].split())[:_LONGEST] if said else "",
        text,
    )


def failure(error: BaseException, url: ObjectUrl, place: str, whole: str) -> StorageError:
    """Return the error to raise for a request about `place` that failed in the bucket of `url`.

    What is wrong with the store, whatever is asked of it, is said of `whole`.
    """
    answer = answer_of(error)
    code, what, hint = _judged(answer, url)
    reason = f" ({answer.code}: {answer.said})" if answer.code and answer.said else ""
    details = {"status": answer.status, "cause": answer.code or answer.kind or None}
    place = whole if code in _OF_THE_WHOLE else place
    return StorageError(code, f"{place}: {what}{reason}", hint=hint, details=details)


def no_store(kind: StoreKind, whole: str, endpoint: str | None) -> StorageError:
    """Return the error for an address at which something answers that is not a store."""
    return StorageError(
        "NOT_A_STORE",
        f"{whole}: what answers at {endpoint or 'the address of the store'} does not do so as "
        f"{NAMES[kind]} does",
        hint=f"look at {_ENDPOINTS[kind]}, and at proxies: a console, or a page to log in, may be "
        "what answers",
    )


def unreadable_key(error: BaseException, place: str) -> StorageError:
    """Return the error for a listing with an object whose name the client cannot take."""
    found = _PATH.search(str(error))
    return StorageError(
        "KEY_NOT_SUPPORTED",
        f"{place}: {found[1] if found else 'an object'} lies there, and a name with such parts "
        "cannot be read",
        hint="remove it with the store's own tools: no writer of Delta makes one",
        details={"key": found[1].strip('"') if found else None},
    )


def _judged(answer: FailedResponse, url: ObjectUrl) -> tuple[str, str, str | None]:
    """Return the code, what is wrong, and what to do."""
    kind = url.kind
    if answer.asks_for_credentials:
        return "NO_CREDENTIALS", "there are no credentials for it", _KEYS[kind]
    # Of a file that is not there the client says so, in another way.
    if answer.code in _NO_SUCH_BUCKET or answer.status == 404:
        name = "container" if kind == "azure" else "bucket"
        hint = "look at the URL's first part, and at the endpoint"
        return "BUCKET_NOT_FOUND", f"there is no {name} {url.bucket}", hint
    if answer.code in _SKEWED:
        return (
            "CLOCK_SKEWED",
            "the store's clock and this machine's differ too much",
            "set this machine's clock: requests are signed with the time",
        )
    if answer.code in _ELSEWHERE or "Received redirect without LOCATION" in answer.text:
        found = _REGION.search(answer.text)
        region = next(filter(None, found.groups())) if found else None
        what = "the bucket is in another region than the one that was asked"
        if region is None:
            hint = (
                "name it with --storage-option AWS_REGION=REGION, or the environment's AWS_REGION"
            )
            return "WRONG_REGION", what, hint
        return "WRONG_REGION", f"{what}: in {region}", f"--storage-option AWS_REGION={region}"
    if answer.is_full:
        return "STORE_FULL", "the store has no room left, or a quota is used up", None
    if answer.code in _REJECTED or answer.status == 401:
        return "CREDENTIALS_REJECTED", "the store does not accept the credentials", _KEYS[kind]
    if answer.status == 403:
        hint = "the credentials that are used need the right to do this, and to list the folder"
        return "PERMISSION_DENIED", "no permission", hint
    return _of_the_network(answer, kind)


def _of_the_network(answer: FailedResponse, kind: str) -> tuple[str, str, str | None]:
    if answer.status is not None:
        if answer.is_passing:
            return "STORE_BUSY", f"the store is busy (HTTP {answer.status})", "run it again later"
        return "STORAGE_FAILED", f"the store answered HTTP {answer.status}", None
    if answer.kind == "Connect" and _TLS.search(answer.text):
        return (
            "TLS_FAILED",
            "no secure connection could be made",
            "look at the endpoint's certificate; an endpoint without TLS is an http:// URL",
        )
    if answer.kind == "Connect":
        found = _HOST.search(answer.text)
        host = found[1] if found else "its address"
        is_unknown = "dns error" in answer.text
        what = f"the name {host} is not known" if is_unknown else f"no answer from {host}"
        return "STORE_UNREACHABLE", what, f"look at {_LEADS[kind]}, and at the network"
    if answer.kind == "Timeout":
        return (
            "STORE_TIMED_OUT",
            "the store did not answer in time",
            "--timeout 2m gives it more time for each answer",
        )
    if answer.is_about_settings:
        return (
            "STORE_MISCONFIGURED",
            "the settings do not make a request",
            f"where {PREFIXES[kind]}ALLOW_HTTP is false no http:// URL is asked: unset it, or name "
            "an https:// URL",
        )
    return "STORAGE_FAILED", "the connection to the store broke off", "run it again"
