import pytest

from deltactl.errors import DeltactlError, InvalidUsageError
from deltactl.storage.locate import locate, locate_folder
from deltactl.storage.options.settings import NO_SETTINGS
from deltactl.storage.urls import (
    ObjectUrl,
    check_sendable,
    mistyped,
    parse_object_url,
    scheme_of,
    trimmed,
)


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("s3://lake/events", ObjectUrl("s3", "lake", "events")),
        ("s3a://lake/a/b/", ObjectUrl("s3", "lake", "a/b")),
        ("S3://lake", ObjectUrl("s3", "lake", "")),
        ("gs://lake/a b/ü%20#?", ObjectUrl("gcs", "lake", "a b/ü%20#?")),
        ("az://box/t", ObjectUrl("azure", "box", "t")),
        (
            "abfss://box@acme.dfs.core.windows.net/t/x",
            ObjectUrl("azure", "box", "t/x", "acme"),
        ),
        ("./s3:/x", None),
        ("/data/events", None),
        ("file:///data", None),
        ("hdfs://name/t", None),
    ],
)
def test_where_a_table_is(uri: str, place: ObjectUrl | None) -> None:
    assert parse_object_url(uri) == place


@pytest.mark.parametrize(
    "uri",
    [
        "s3://", "s3:///t", "s3://lake//t", "s3://lake/a/../b", "abfss://box@/t",
        # The client would put the account into the name of a host.
        "abfss://box@evil:80#.dfs.core.windows.net/t", "abfss://box@evil?.dfs.core.windows.net/t",
    ],
)  # fmt: skip
def test_no_place(uri: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_object_url(uri)
    assert caught.value.code == "BAD_TABLE_PATH"


@pytest.mark.parametrize("uri", ["s3://user:hush@lake/x", "s3://us@er:hush@lake/x"])
def test_no_login_belongs_in_a_url(uri: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        parse_object_url(uri)
    error = caught.value
    assert (error.code, error.message, error.hint) == (
        "BAD_TABLE_PATH",
        "s3://lake/x was given with something before an @: no user or password belongs in it",
        "write s3://BUCKET/PATH, and name keys as settings of the store",
    )


ALL = (
    "it reads folders, and s3://, s3a://, az://, azure://, adl://, abfs://, abfss://, gs://, "
    "hdfs://, swebhdfs://, webhdfs://, file://; for "
)


@pytest.mark.parametrize(
    ("uri", "exit_code", "message", "hint"),
    [
        ("s4://lake/x", 2, "there are no URLs that begin with s4://", "did you mean s3://?"),
        ("S3N://lake/x", 2, "there are no URLs that begin with s3n://", "did you mean s3://?"),
        (
            "abfsss://b@a/x",
            2,
            "there are no URLs that begin with abfsss://",
            "did you mean abfss://?",
        ),
        (
            "https://lake.s3.amazonaws.com/x",
            8,
            "deltactl does not reach tables in https://",
            f"{ALL}a bucket write s3://BUCKET/PATH, and its host as AWS_ENDPOINT_URL",
        ),
        (
            "ftp://host/x",
            8,
            "deltactl does not reach tables in ftp://",
            f"{ALL}others, copy the table's _delta_log to one of these to inspect it",
        ),
    ],
)
def test_other_schemes(uri: str, exit_code: int, message: str, hint: str) -> None:
    with pytest.raises(DeltactlError) as caught:
        locate(uri)
    error = caught.value
    assert (error.exit_code, error.message, error.hint) == (exit_code, message, hint)


@pytest.mark.parametrize(
    ("uri", "hint"),
    [
        (
            "s3://lake/t?X-Amz-Signature=hush",
            "name keys by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        ),
        (
            "s3://lake?X-Amz-Algorithm=x&X-Amz-Signature=hush",
            "name keys by AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
        ),
        (
            "abfss://box@acme.dfs.core.windows.net/t?sv=1&sig=hush",
            "give a SAS by AZURE_STORAGE_SAS_TOKEN",
        ),
        (
            "gs://lake/t?X-Goog-Signature=hush",
            "name a service account by GOOGLE_APPLICATION_CREDENTIALS",
        ),
        ("hdfs://name/t?delegation=hush", "give settings of the store by --storage-option"),
    ],
)
@pytest.mark.parametrize("find", [locate, locate_folder])
def test_a_query_is_not_repeated(find, uri: str, hint: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        find(uri, NO_SETTINGS)
    error = caught.value
    assert (error.code, error.message, error.hint) == (
        "BAD_TABLE_PATH",
        "the URL of a table has no query: what begins with its ? does not belong there",
        hint,
    )


@pytest.mark.parametrize(
    ("uri", "scheme"),
    [("S3A://x", "s3a"), ("a:b", None), ("x y://z", None), ("://x", None), ("1s://x", None)],
)
def test_schemes(uri: str, scheme: str | None) -> None:
    assert scheme_of(uri) == scheme


@pytest.mark.parametrize(
    ("uri", "meant"),
    [
        ("s3:/lake/t", "s3://lake/t"),
        ("s3:lake/t", "s3://lake/t"),
        ("S3A:/lake/t", "S3A://lake/t"),
        ("gs:lake", "gs://lake"),
        ("az:/box/t", "az://box/t"),
        ("abfss:/box@acme.dfs.core.windows.net/t", "abfss://box@acme.dfs.core.windows.net/t"),
        ("hdfs:/name/t", "hdfs://name/t"),
        ("webhdfs:name:9870/t", "webhdfs://name:9870/t"),
        ("s3://lake/t", None),
        ("s3:///lake/t", None),
        ("s3:", None),
        ("s3:/", None),
        ("file:/data/t", None),
        ("./s3:/lake/t", None),
        ("data:lake", None),
        ("s3", None),
    ],
)
def test_urls_that_lack_slashes(uri: str, meant: str | None) -> None:
    assert mistyped(uri) == meant


@pytest.mark.parametrize(
    ("uri", "without"),
    [
        ("s3://lake///", "s3://lake"),
        ("s3://lake/t/", "s3://lake/t"),
        ("hdfs:///", "hdfs://"),
        ("hdfs:///t", "hdfs:///t"),
    ],
)
def test_slashes_at_the_end(uri: str, without: str) -> None:
    assert trimmed(uri) == without


@pytest.mark.parametrize(
    "uri",
    ["s3://lake/a\nb", "s3://lake/t\n", "gs://l\tke/t", "hdfs://name/\x7f", "az://box/\udc85"],
)
def test_characters_that_cannot_be_sent(uri: str) -> None:
    with pytest.raises(InvalidUsageError) as caught:
        check_sendable(uri)
    assert caught.value.code == "BAD_TABLE_PATH"
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("uri", ["s3://lake/ü 数\x85", "/data/a\nb", "file:///a\nb"])
def test_characters_that_can_be_sent(uri: str) -> None:
    check_sendable(uri)
