"""What all changes of a table share: how they are made, and who makes them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypedDict, TypeVar, runtime_checkable

from deltactl.api.arguments import checks_fields
from deltactl.api.work import Request

R = TypeVar("R")


@checks_fields
@dataclass(frozen=True, kw_only=True)
class Spark:
    """Where Spark runs, and with which settings.

    Attributes:
        engine: `auto` uses Spark where only Spark can do it or where it is quicker, `spark`
            wherever it can, `local` never.
        master: `local[*]`, `spark://HOST:PORT`, `yarn`, `k8s://...`, or `sc://HOST:PORT`.
        conf: properties of Spark.
        jars: the folder with Delta's jars, if they are not installed.
        timeout: how many seconds a job may take.
        log: the file that gets Spark's log.
    """

    engine: Literal["auto", "local", "spark"] = "auto"
    master: str = "local[*]"
    conf: Mapping[str, str] = field(default_factory=dict)
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

    def __init__(self, make: Make[R]) -> None:
        self._make = make
