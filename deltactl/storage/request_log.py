"""Log what is asked of stores, with outcome and time, under the logger `deltactl.storage`."""

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from deltactl.errors import StorageError

if TYPE_CHECKING:
    from logging import Logger

NAME = "deltactl.storage"

T = TypeVar("T")


def listener() -> "Logger | None":
    """Return the logger if anyone listens to it.

    Whoever listens has loaded `logging`, which takes longer than a small command: nothing here
    loads it.
    """
    logging = sys.modules.get("logging")
    if logging is None:
        return None
    logger: Logger = logging.getLogger(NAME)
    return logger if logger.isEnabledFor(logging.DEBUG) else None


def logged(what: str, path: str, ask: Callable[[], T], tell: Callable[[T], Any] | None = None) -> T:
    """Return what `ask` returns; log that `what` was asked of `path`, its outcome and its time.

    `tell` returns what to say of an answer, if that is not its size.
    """
    log = listener()
    if log is None:
        return ask()
    began, said = time.monotonic(), "interrupted"
    try:
        answer = ask()
        said = _shown(tell(answer) if tell else answer)
        return answer
    except Exception as error:
        said = _shown(error)
        raise
    finally:
        log.debug("%s %s: %s, %.0f ms", what, _place(path), said, 1000 * (time.monotonic() - began))


def log_retry(what: str, path: str, error: Exception, pause: float) -> None:
    """Log why something is asked again, and after how many seconds."""
    if (log := listener()) is not None:
        log.info("%s %s: again in %.1f s, for %s", what, _place(path), pause, _shown(error))


def _place(path: str) -> str:
    """Return a path without what may be secret: a URL can have a login, or a signature."""
    if "://" not in path:
        return path or "."
    scheme, _, rest = path.partition("?")[0].partition("://")
    host, slash, key = rest.partition("/")
    # In abfss://CONTAINER@ACCOUNT it is a place.
    shown = host if scheme.startswith("abfs") else host.rpartition("@")[2]
    return f"{scheme}://{shown}{slash}{key}"


def _shown(answer: Any) -> str:
    """Return an outcome in a few words; of an error its code, and never the store's own text."""
    match answer:
        case StorageError():
            status, cause = answer.details.get("status"), answer.details.get("cause")
            more = [f"HTTP {status}"] if status else []
            more += [str(cause)] if cause else []
            return f"{answer.code} ({', '.join(more)})" if more else answer.code
        case FileNotFoundError():
            return "not found"
        case BaseException():
            return type(answer).__name__
        case (bytes() as data) | (bytes() as data, _):
            return f"{len(data)} bytes"
        case list():
            return f"{len(answer)} entries"
        case str():
            return answer
        case _:
            return "done"
