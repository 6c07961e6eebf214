"""What a fake object store can be told to do wrong, and to which requests."""

import random
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, NamedTuple

from fake_objects import AnswerError


class Request(NamedTuple):
    """A request as it is recorded; `status` is None where it got no whole answer."""

    method: str
    operation: str
    bucket: str
    key: str
    query: Mapping[str, str]
    range: str | None = None
    conditional: bool = False
    status: int | None = None
    fault: str | None = None


# What a store answers instead: status, code, message.
ANSWERS: Mapping[str, tuple[int, str, str]] = {
    "403": (403, "AccessDenied", "Access Denied"),
    "429": (429, "TooManyRequests", "Too many requests"),
    "500": (500, "InternalError", "We encountered an internal error. Please try again."),
    "503": (503, "SlowDown", "Please reduce your request rate."),
    "bad key": (403, "InvalidAccessKeyId", "The access key Id does not exist in our records."),
    "bad signature": (403, "SignatureDoesNotMatch", "The signature does not match."),
    "busy": (409, "ConditionalRequestConflict", "A conflicting operation is under way."),
    "expired": (400, "ExpiredToken", "The provided token has expired."),
    "full": (507, "InsufficientStorage", "There is no space left on the device."),
    "no bucket": (404, "NoSuchBucket", "The specified bucket does not exist"),
    "no key": (404, "NoSuchKey", "The specified key does not exist."),
    "not implemented": (501, "NotImplemented", "A header implies what is not implemented."),
    "quota": (403, "QuotaExceeded", "The quota of the bucket is exceeded."),
    "skew": (403, "RequestTimeTooSkewed", "The difference to the server's time is too large."),
    "signed for another region": (
        400,
        "AuthorizationHeaderMalformed",
        "The region 'us-east-1' is wrong; expecting 'eu-west-1'",
    ),
    "wrong region": (301, "PermanentRedirect", "Use the specified endpoint."),
}
# What it does that no status says.
DEEDS = {
    "drop before",  # the connection ends, and nothing was done
    "drop after",  # it is done, and the connection ends without an answer
    "slow",  # it is done after `ms`
    "short",  # the body ends after `size` bytes, and the headers promise all of them
    "cut",  # the body ends after `size` bytes, and the headers promise no more
    "hide",  # listings leave out the names that `names` is found in
}


@dataclass(kw_only=True)
class Fault:
    """One thing to do wrong, and when. The texts to match are regular expressions."""

    kind: str
    method: str = ""
    operation: str = ""
    key: str = ""
    conditional: bool | None = None
    # Of the requests that match: the first ones are left alone, then each K-th or a share is hit.
    skip: int = 0
    every: int = 1
    share: float = 1.0
    seed: int = 1
    times: int | None = None
    ms: int = 0
    size: int = 0
    names: str = ""
    region: str = "eu-west-1"
    hits: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.kind not in ANSWERS and self.kind not in DEEDS:
            raise ValueError(f"no fault {self.kind!r}")
        self._seen = 0
        self._chance = random.Random(self.seed)

    def hit(self, request: Request) -> bool:
        """Whether this request is one that goes wrong; it counts as seen."""
        if not self._matches(request) or (self.times is not None and self.hits >= self.times):
            return False
        self._seen += 1
        number = self._seen - self.skip
        if number < 1 or number % self.every or self._chance.random() >= self.share:
            return False
        self.hits += 1
        return True

    def raise_answer(self) -> None:
        """Raise what is answered instead, if this fault is an answer."""
        if self.kind in ANSWERS:
            region = {"x-amz-bucket-region": self.region} if self.kind == "wrong region" else {}
            raise AnswerError(*ANSWERS[self.kind], **region)

    def _matches(self, request: Request) -> bool:
        return (
            (not self.method or re.fullmatch(self.method, request.method) is not None)
            and (not self.operation or re.fullmatch(self.operation, request.operation) is not None)
            and re.search(self.key, request.key) is not None
            and (self.conditional is None or self.conditional == request.conditional)
            and (self.kind != "hide" or request.operation == "list")
        )


class Faults:
    """The faults that are planned, and the record of what was asked meanwhile."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._planned: list[Fault] = []
        self._record: list[Request] = []

    def plan(self, planned: Iterable[Fault | Mapping[str, Any]]) -> None:
        """Do these things wrong from now on, and no others."""
        made = [each if isinstance(each, Fault) else Fault(**each) for each in planned]
        with self._lock:
            self._planned = made

    def hits(self) -> list[int]:
        """How often each fault happened, in the order in which they were planned."""
        with self._lock:
            return [fault.hits for fault in self._planned]

    def of(self, request: Request) -> list[Fault]:
        """What goes wrong with this request: any delays, and at most one other thing."""
        found: list[Fault] = []
        with self._lock:
            for fault in self._planned:
                only = fault.kind in ("slow", "hide") or not any(
                    f.kind not in ("slow", "hide") for f in found
                )
                if only and fault.hit(request):
                    found.append(fault)
        return found

    def add(self, request: Request) -> None:
        with self._lock:
            self._record.append(request)

    def record(self) -> list[Request]:
        """Every request since the record was cleared, in the order of their answers."""
        with self._lock:
            return list(self._record)

    def clear_record(self) -> None:
        with self._lock:
            self._record = []
