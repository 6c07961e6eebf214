"""What a run has written so far, and what it may have written: true whenever Ctrl-C strikes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto

from deltactl.errors import DeltactlError
from deltactl.storage.base import InterruptedWriteError, Storage


class Landed(Enum):
    """What a store says of a write that was interrupted."""

    YES = auto()
    NOT_YET = auto()
    NEVER = auto()
    """Another writer has taken the place."""
    UNKNOWN = auto()


class WriteStep:
    """One write; it is not noted if `is_made` is False at its end."""

    is_made = True


class StepsTaken:
    """Notes each write of a run by its name, in their order.

    Each run of a write has to be inside `taking`. `in_doubt` is one of which the store does not
    say whether it was made.
    """

    def __init__(self, storage: Storage) -> None:
        self.written: list[str] = []
        self.in_doubt: str | None = None
        self._storage = storage
        self._under_way: tuple[str, Callable[[], Landed]] | None = None

    @contextmanager
    def taking(self, what: str, ask: Callable[[], Landed]) -> Iterator[WriteStep]:
        """Note what the block writes. If Ctrl-C ends it, `ask` the store whether it was written."""
        step, self._under_way = WriteStep(), (what, ask)
        try:
            yield step
        except KeyboardInterrupt as stop:
            # What was sent may still be carried out.
            self.settle(may_land=isinstance(stop, InterruptedWriteError))
            raise
        except Exception:
            self._under_way = None
            raise
        if step.is_made:
            self.written.append(what)
        self._under_way = None

    def settle(self, *, may_land: bool = False) -> None:
        """Ask the store about a write that is still under way, if there is one."""
        if self._under_way is None or self._under_way[0] in self.written:
            return
        what, ask = self._under_way
        self.in_doubt, self._under_way = what, None
        self._storage.use_short_timeout()
        try:
            landed = ask()
        except (DeltactlError, KeyboardInterrupt):
            return
        if landed is Landed.YES:
            self.written.append(what)
        if landed is not Landed.UNKNOWN and not (landed is Landed.NOT_YET and may_land):
            self.in_doubt = None
