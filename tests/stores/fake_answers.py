"""What a fake object store answers to each request: the part of S3 and of GCS's XML API in use."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import formatdate
from typing import NamedTuple
from urllib.parse import quote, unquote
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from fake_objects import AnswerError, Entry, Objects


class Answer(NamedTuple):
    """A status, headers, and a body."""

    status: int
    headers: Mapping[str, str] = {}
    body: bytes = b""


class Asked(NamedTuple):
    """A request, taken apart; the names of `headers` are in lower case."""

    method: str
    bucket: str
    key: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def new(self) -> bool:
        """Whether it asks that there be no such object yet, as S3 or as GCS has it."""
        gcs = self.headers.get("x-goog-if-generation-match") == "0"
        return gcs or self.headers.get("if-none-match") == "*"

    @property
    def access_key(self) -> str:
        """The access key that it is signed with."""
        found = re.search("Credential=([^/]*)/", self.headers.get("authorization", ""))
        return found[1] if found else ""

    @property
    def source(self) -> tuple[str, str] | None:
        """The bucket and the key that are to be copied."""
        found = self.headers.get("x-amz-copy-source") or self.headers.get("x-goog-copy-source")
        if found is None:
            return None
        bucket, _, key = unquote(found).lstrip("/").partition("/")
        return bucket, key

    @property
    def subject(self) -> str:
        """What it is about: a key, the prefix of a listing, or many keys, one a line."""
        if self.operation == "delete many":
            return "\n".join(_texts(self.body, "Key"))
        return self.key or self.query.get("prefix", "")

    @property
    def operation(self) -> str:
        """What it asks for, in one word or two."""
        flags = [name for name in ("uploads", "uploadId", "delete") if name in self.query]
        match self.method, bool(self.key), flags:
            case "GET", False, _:
                return "list"
            case "PUT", False, _:
                return "create bucket"
            case "POST", False, ["delete"]:
                return "delete many"
            case "POST", True, ["uploads"]:
                return "begin upload"
            case "PUT", True, ["uploadId"]:
                return "put part"
            case "POST", True, ["uploadId"]:
                return "complete upload"
            case "DELETE", True, ["uploadId"]:
                return "abort upload"
            case "PUT", True, _:
                return "copy" if self.source else "put"
            case (("GET" | "HEAD" | "DELETE"), True, _):
                return self.method.lower()
            case _:
                return "other"


class Manners(NamedTuple):
    """How the store differs from another one that speaks the same."""

    page_size: int = 1000
    honours_start: bool = True  # whether listings begin after `start-after`
    honours_conditions: bool = True  # whether an object is kept where a new one is asked for
    latency_ms: float = 0  # how long each answer takes
    accepts: Callable[[str], bool] = lambda _: True  # whether an access key is still good


Hidden = Callable[[str], bool]


def answer(objects: Objects, manners: Manners, asked: Asked, hidden: Hidden) -> Answer:
    """Do what is asked.

    Raises:
        AnswerError: it cannot be done.
    """
    if not manners.accepts(asked.access_key):
        raise AnswerError(400, "ExpiredToken", "The provided token has expired.")
    match asked.operation:
        case "list":
            return _list(objects, manners, asked, hidden)
        case "get" | "head":
            return _get(objects, asked)
        case "put" | "copy":
            return _put(objects, manners, asked)
        case "delete":
            objects.delete(asked.bucket, asked.key)
            return Answer(204)
        case "delete many":
            return _delete_many(objects, asked)
        case "create bucket":
            objects.create_bucket(asked.bucket)
            return Answer(200)
        case "begin upload":
            return _begin_upload(objects, asked)
        case "put part":
            return _put_part(objects, asked)
        case "complete upload":
            return _complete_upload(objects, manners, asked)
        case "abort upload":
            objects.abort_upload(asked.query["uploadId"])
            return Answer(204)
        case _:
            raise AnswerError(405, "MethodNotAllowed", "The fake does not know this request.")


def failure(error: AnswerError, asked: Asked) -> Answer:
    """The error as S3 and GCS word it."""
    text = (
        f"<Error><Code>{error.code}</Code><Message>{escape(error.message)}</Message>"
        f"<Resource>/{escape(asked.bucket)}/{escape(asked.key)}</Resource></Error>"
    )
    return _xml(text, error.status, error.headers)


def _list(objects: Objects, manners: Manners, asked: Asked, hidden: Hidden) -> Answer:
    query = asked.query
    prefix, delimiter = query.get("prefix", ""), query.get("delimiter", "")
    start = query.get("start-after", "") if manners.honours_start else ""
    token = query.get("continuation-token")
    if token is not None and not token.startswith("after:"):
        raise AnswerError(400, "InvalidArgument", "The continuation token is incorrect")
    after = token.removeprefix("after:") if token is not None else start
    limit = min(int(query.get("max-keys", "1000")), manners.page_size)
    page = objects.page(asked.bucket, prefix, delimiter, after, limit, hidden)

    def name(text: str) -> str:
        return quote(text, safe="/") if query.get("encoding-type") == "url" else escape(text)

    parts = [
        f"<Name>{asked.bucket}</Name><Prefix>{name(prefix)}</Prefix>",
        f"<KeyCount>{len(page.entries) + len(page.prefixes)}</KeyCount>",
        f"<MaxKeys>{limit}</MaxKeys><IsTruncated>{str(bool(page.following)).lower()}</IsTruncated>",
    ]
    if page.following:
        following = escape(f"after:{page.following}")
        parts.append(f"<NextContinuationToken>{following}</NextContinuationToken>")
    for key, entry in page.entries:
        time = datetime.fromtimestamp(entry.modified / 1000, UTC)
        parts.append(
            f"<Contents><Key>{name(key)}</Key><LastModified>{time:%Y-%m-%dT%H:%M:%S}."
            f'{entry.modified % 1000:03d}Z</LastModified><ETag>"{entry.etag}"</ETag>'
            f"<Size>{len(entry.data)}</Size><StorageClass>STANDARD</StorageClass></Contents>"
        )
    parts += [f"<CommonPrefixes><Prefix>{name(p)}</Prefix></CommonPrefixes>" for p in page.prefixes]
    return _xml(f"<ListBucketResult>{''.join(parts)}</ListBucketResult>")


def _get(objects: Objects, asked: Asked) -> Answer:
    entry = objects.get(asked.bucket, asked.key)
    if asked.headers.get("if-match", f'"{entry.etag}"') != f'"{entry.etag}"':
        raise AnswerError(412, "PreconditionFailed", "The object is another one by now")
    headers = {
        **_tags(entry),
        "Last-Modified": formatdate(entry.modified // 1000, usegmt=True),
        "Accept-Ranges": "bytes",
        "Content-Type": "application/octet-stream",
    }
    size, wanted = len(entry.data), asked.headers.get("range")
    if wanted is None or asked.method == "HEAD":
        return Answer(200, headers, entry.data)
    found = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted)
    if found is None or found[0] == "bytes=-":
        return Answer(200, headers, entry.data)
    first, last = found[1], found[2]
    begin = int(first) if first else max(0, size - int(last))
    end = min(size, int(last) + 1) if first and last else size
    if begin >= end:
        raise AnswerError(416, "InvalidRange", "The requested range is not satisfiable")
    headers["Content-Range"] = f"bytes {begin}-{end - 1}/{size}"
    return Answer(206, headers, entry.data[begin:end])


def _put(objects: Objects, manners: Manners, asked: Asked) -> Answer:
    new = asked.new and manners.honours_conditions
    if asked.source is None:
        entry = objects.put(asked.bucket, asked.key, asked.body, new=new)
        return Answer(200, _tags(entry))
    data = objects.get(*asked.source).data
    entry = objects.put(asked.bucket, asked.key, data, new=new)
    return _xml(f'<CopyObjectResult><ETag>"{entry.etag}"</ETag></CopyObjectResult>', 200)


def _delete_many(objects: Objects, asked: Asked) -> Answer:
    done = []
    for key in _texts(asked.body, "Key"):
        objects.delete(asked.bucket, key)
        done.append(f"<Deleted><Key>{escape(key)}</Key></Deleted>")
    return _xml(f"<DeleteResult>{''.join(done)}</DeleteResult>")


def _begin_upload(objects: Objects, asked: Asked) -> Answer:
    upload = objects.begin_upload(asked.bucket, asked.key)
    return _xml(
        f"<InitiateMultipartUploadResult><Bucket>{asked.bucket}</Bucket>"
        f"<Key>{escape(asked.key)}</Key><UploadId>{upload}</UploadId>"
        "</InitiateMultipartUploadResult>"
    )


def _put_part(objects: Objects, asked: Asked) -> Answer:
    upload, number = asked.query["uploadId"], int(asked.query["partNumber"])
    if asked.source is None:
        return Answer(200, {"ETag": f'"{objects.put_part(upload, number, asked.body)}"'})
    tag = objects.put_part(upload, number, objects.get(*asked.source).data)
    return _xml(f'<CopyPartResult><ETag>"{tag}"</ETag></CopyPartResult>')


def _complete_upload(objects: Objects, manners: Manners, asked: Asked) -> Answer:
    numbers = [int(text) for text in _texts(asked.body, "PartNumber")]
    new = asked.new and manners.honours_conditions
    entry = objects.complete_upload(asked.query["uploadId"], numbers, new=new)
    return _xml(
        f"<CompleteMultipartUploadResult><Bucket>{asked.bucket}</Bucket>"
        f'<Key>{escape(asked.key)}</Key><ETag>"{entry.etag}"</ETag>'
        "</CompleteMultipartUploadResult>",
        200,
        {"x-goog-generation": str(entry.generation)},
    )


def _tags(entry: Entry) -> dict[str, str]:
    return {"ETag": f'"{entry.etag}"', "x-goog-generation": str(entry.generation)}


def _texts(body: bytes, name: str) -> list[str]:
    # Some clients give their names a namespace, and some give none.
    found = (node for node in ET.fromstring(body).iter() if node.tag.rpartition("}")[2] == name)
    return [node.text or "" for node in found]


def _xml(text: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n{text}'.encode()
    return Answer(status, {"Content-Type": "application/xml", **(headers or {})}, body)
