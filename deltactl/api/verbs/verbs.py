"""What all changes of a table share: how they are made, and who makes them."""

import functools
import inspect
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import (
    Any,
    ClassVar,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypedDict,
    TypeVar,
    runtime_checkable,
)

from deltactl.api.arguments import checks_arguments, checks_fields
from deltactl.api.work import Asked, Request
from deltactl.changes.saved_plan import Call

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
V = TypeVar("V", bound="Verbs[Any]")

CALLS: set[Callable[..., Any]] = set()
"""The methods that change a table: what a saved plan may call."""


@checks_fields
@dataclass(frozen=True, kw_only=True)
class Spark:
    """Where Spark runs, and with which settings.

    Attributes:
        engine: `auto` uses Spark where only Spark can do it or where it is quicker, `spark`
            wherever it can, `local` never.
        master: `local[*]`, `spark://HOST:PORT`, `yarn`, `k8s://...`, or `sc://HOST:PORT`.
        conf: properties of Spark; none is shown, since some are secret.
        jars: the folder with Delta's jars, if they are not installed.
        timeout: how many seconds a job may take.
        log: the file that gets Spark's log.
    """

    engine: Literal["auto", "local", "spark"] = "auto"
    master: str = "local[*]"
    conf: Mapping[str, str] = field(default_factory=dict, repr=False)
    jars: str | None = None
    timeout: float | None = None
    log: str | None = None


@runtime_checkable
class SparkSession(Protocol):
    """A session of the caller's: a `pyspark.sql.SparkSession` with Delta, which is never stopped.

    Jobs run in a clone of it, so its settings stay; it reaches stores by its own settings.
    """

    def sql(self, *args: Any, **kwargs: Any) -> Any: ...

    def createDataFrame(self, *args: Any, **kwargs: Any) -> Any: ...  # noqa: N802 # as PySpark has it

    def stop(self) -> None: ...


class Options(TypedDict, total=False):
    """How a change is made, whatever it is.

    Attributes:
        dry_run: plan, and write nothing.
        if_version: raise ConflictError unless the table is at this version.
        message: kept in the commit, as userMetadata.
        once: an application and its version; nothing is done if it has written that already.
        spark: where Spark runs, if the change needs it; or a session to run in.
    """

    dry_run: bool
    if_version: int | None
    message: str | None
    once: tuple[str, int] | None
    spark: Spark | SparkSession | None


Make = Callable[[Request, Options], R]


class Verbs(Generic[R]):
    """Changes of one kind; `make` says what comes of a request: a plan, or a commit."""

    GROUP: ClassVar[str] = ""
    """Where the methods are, seen from a table: `columns.`"""

    def __init__(self, make: Make[R]) -> None:
        self._make = make

    def _asking(self, call: Call) -> Self:
        """Return the same verbs, whose requests know the call that makes them."""
        twin, make = copy(self), self._make
        twin._make = lambda request, options: make(Asked(request, call.kept()), options)
        return twin


def verb(method: Callable[Concatenate[V, P], T]) -> Callable[Concatenate[V, P], T]:
    """Have a method check its arguments, and its request know by which call it was made."""
    checked = checks_arguments(method)

    @functools.wraps(method)
    def call(self: V, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            given = inspect.signature(method).bind(self, *args, **kwargs).arguments
        except TypeError:
            return checked(self, *args, **kwargs)  # which says what is wrong
        own = {name: value for name, value in given.items() if name not in ("self", "options")}
        asking = self._asking(Call(f"{self.GROUP}{method.__name__}", own))
        return checked(asking, *args, **kwargs)

    CALLS.add(call)
    return call
