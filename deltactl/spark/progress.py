"""How far a job is, asked of Spark while it runs."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from deltactl.changes.jobs import Reached, Watch

INTERVAL = 0.2  # seconds between two looks


class Polling:
    """Calls `look` again and again while the block runs, from a thread of its own."""

    def __init__(self, look: Callable[[], None], interval: float = INTERVAL) -> None:
        self._look = look
        self._interval = interval
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="deltactl-progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join(timeout=1)

    def _poll(self) -> None:
        while not self._over.wait(self._interval):
            self._look()


class Stages:
    """The stages of one job group, some of which Spark forgets in time."""

    def __init__(self, tracker: Any, group: str) -> None:
        self._tracker = tracker
        self._group = group
        self._known: dict[int, tuple[int, int]] = {}

    def reached(self) -> Reached:
        for job in self._tracker.getJobIdsForGroup(self._group):
            found = self._tracker.getJobInfo(job)
            for stage in () if found is None else found.stageIds:
                info = self._tracker.getStageInfo(stage)
                if info is not None:
                    self._known[stage] = (info.numTasks, info.numCompletedTasks)
        return summed(self._known.values())._replace(running=self._running())

    def _running(self) -> int | None:
        """Return how many tasks run of the stages at work; None without such a stage."""
        found = (self._tracker.getStageInfo(stage) for stage in self._tracker.getActiveStageIds())
        active = [info.numActiveTasks for info in found if info is not None]
        return sum(active) if active else None


def summed(stages: Any) -> Reached:
    """Return how far stages are, of their tasks and those that are done."""
    numbers = list(stages)
    return Reached(
        stages=len(numbers),
        stages_done=sum(done >= tasks for tasks, done in numbers),
        tasks=sum(tasks for tasks, _ in numbers),
        tasks_done=sum(done for _, done in numbers),
    )


def handler(watch: Watch) -> Callable[..., None]:
    """Return what Spark Connect calls, by keywords, as its stages continue."""

    def on_progress(*, stages: Any = (), **_: Any) -> None:
        watch(summed((stage.num_tasks, stage.num_completed_tasks) for stage in stages or ()))

    return on_progress
