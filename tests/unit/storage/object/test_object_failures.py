"""What stores say of themselves, as their client repeats it."""

import pytest

from deltactl.storage.object.failures import failure
from deltactl.storage.urls import ObjectUrl

TABLE = "s3://lake/t"
URL = ObjectUrl("s3", "lake", "t")
UNNAMED = "name it with --storage-option AWS_REGION=REGION, or the environment's AWS_REGION"


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("<Region>eu-west-1</Region>", "--storage-option AWS_REGION=eu-west-1"),
        (
            "<Message>'x' is wrong; expecting 'us-gov-west-1'</Message>",
            "--storage-option AWS_REGION=us-gov-west-1",
        ),
        (
            "<Message>&apos;x&apos; is wrong; expecting &apos;eu-west-1&apos;</Message>",
            "--storage-option AWS_REGION=eu-west-1",
        ),
        (
            "<Endpoint>lake.s3.eu-central-1.amazonaws.com</Endpoint>",
            "--storage-option AWS_REGION=eu-central-1",
        ),
        (
            "<Endpoint>lake.s3-us-west-2.amazonaws.com</Endpoint>",
            "--storage-option AWS_REGION=us-west-2",
        ),
        ("<Endpoint>lake.s3.amazonaws.com</Endpoint>", UNNAMED),
        ("", UNNAMED),
    ],
)
def test_the_region_of_a_bucket(body: str, hint: str) -> None:
    said = f"status code: 400: <Error><Code>AuthorizationHeaderMalformed</Code>{body}</Error>"
    error = failure(ValueError(said), URL, f"{TABLE}/_delta_log/x", TABLE)
    assert (error.code, error.hint) == ("WRONG_REGION", hint)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (URL, "s3://lake/t: there is no bucket lake"),
        (ObjectUrl("azure", "box", "t", "acme"), "s3://lake/t: there is no container box"),
    ],
)
def test_no_such_bucket(url: ObjectUrl, message: str) -> None:
    error = failure(ValueError("status code: 404"), url, f"{TABLE}/_delta_log/x", TABLE)
    assert (error.code, error.message) == ("BUCKET_NOT_FOUND", message)


def answer(status: int | None, code: str = "", kind: str = "") -> ValueError:
    """An error as the client words it: an HTTP answer, or without a status none at all."""
    answered = "" if status is None else f"status code: {status}: <Code>{code}</Code>"
    return ValueError(f"{answered} HttpError {{ kind: {kind} }}" if kind else answered)


@pytest.mark.parametrize(
    ("status", "said", "code"),
    [
        (400, "ExpiredToken", "CREDENTIALS_REJECTED"),
        (403, "InvalidAccessKeyId", "CREDENTIALS_REJECTED"),
        (403, "SignatureDoesNotMatch", "CREDENTIALS_REJECTED"),
        (403, "AuthenticationFailed", "CREDENTIALS_REJECTED"),
        (401, "Other", "CREDENTIALS_REJECTED"),
        (403, "AccessDenied", "PERMISSION_DENIED"),
        (403, "RequestTimeTooSkewed", "CLOCK_SKEWED"),
        (404, "Other", "BUCKET_NOT_FOUND"),
        (400, "InvalidBucketName", "BUCKET_NOT_FOUND"),
        (301, "PermanentRedirect", "WRONG_REGION"),
        (400, "QuotaExceeded", "STORE_FULL"),
        (507, "Other", "STORE_FULL"),
        (503, "SlowDown", "STORE_BUSY"),
        (429, "Other", "STORE_BUSY"),
        (400, "Other", "STORAGE_FAILED"),
        (500, "InternalError", "STORE_BUSY"),
    ],
)
def test_what_a_store_answers(status: int, said: str, code: str) -> None:
    assert failure(answer(status, said), URL, f"{TABLE}/_delta_log/x", TABLE).code == code


@pytest.mark.parametrize(
    ("kind", "text", "code"),
    [
        ("Connect", "dns error", "STORE_UNREACHABLE"),
        ("Connect", "InvalidContentType", "TLS_FAILED"),
        ("Timeout", "", "STORE_TIMED_OUT"),
        ("Interrupted", "", "STORAGE_FAILED"),
    ],
)
def test_what_the_network_does(kind: str, text: str, code: str) -> None:
    error = ValueError(f"{answer(None, kind=kind)} {text}")
    assert failure(error, URL, f"{TABLE}/_delta_log/x", TABLE).code == code
