"""A progress bar for what takes longer than a second, on stderr."""

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, ClassVar, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

PATIENCE = 1.0  # seconds before a bar appears: most work is done by then


class CountingProgress:
    """Count work done, and draw a bar once the work has taken a second.

    The clock of the bar shows the time since `began`, without it since the work began.
    """

    is_drawn: ClassVar[bool] = False

    def __init__(
        self, label: str, total: int | None, *, shown: bool, began: float | None = None
    ) -> None:
        self.label = label
        self.total = total
        self.done = 0
        self._shown = shown
        self._start = time.monotonic()
        self._began = self._start if began is None else began
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            _stop(self._bar)
            CountingProgress.is_drawn = False

    def advance(self, amount: int = 1) -> None:
        """Note that `amount` more is done."""
        self.done += amount
        self._draw()

    def reached(self, done: int, total: int | None, label: str) -> None:
        """Note how much is done, of a total that may have grown, and what it is now."""
        self.done, self.total, self.label = done, total, label
        self._draw()

    def _draw(self) -> None:
        if not self._shown:
            return
        if self._bar is None and time.monotonic() - self._start > PATIENCE:
            self._bar = _bar(self.label, self.total, time.monotonic() - self._began)
            CountingProgress.is_drawn = True
            # Only now: whoever is interrupted here can still end what draws itself in a thread.
            self._bar.start()
        if self._bar is not None:
            self._bar.update(
                self._bar.task_ids[0],
                completed=self.done,
                total=self.total,
                description=self.label,
            )


def _stop(bar: "Bar") -> None:
    try:
        bar.stop()
    except IndexError:
        # Ctrl-C came while rich began to draw: it takes down what it has not set up yet.
        bar.console.show_cursor(True)


def _bar(label: str, total: int | None, elapsed: float) -> "Bar":
    from rich.console import Console  # rich is not worth its time before there is a bar
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(file=sys.stderr),
        transient=True,
    )
    # The clock started before the bar was drawn.
    bar.add_task(label, total=total)
    bar.tasks[0].start_time = bar.get_time() - elapsed
    return bar
