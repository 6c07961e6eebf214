"""The tables that the figures measure, made when first asked for and then kept."""

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from benchmarks.measure import deltactl, run, script

RowGroups = Literal["one", "many"]

TAIL = 100  # commits on top of a checkpoint
FIRST_VERSION = 1000  # of the synthetic checkpoints
SPARK_SETTINGS_AT = 0.84  # where Spark's own checkpoints have protocol and metadata


@dataclass(frozen=True, slots=True)
class Tables:
    """A folder of generated tables; each method returns the path of one, made if need be."""

    folder: Path
    partitioned: bool = True
    jars: str | None = None

    def checkpointed(
        self,
        files: int,
        row_groups: RowGroups,
        *,
        stats: Literal["json", "struct", "both"] = "json",
        settings_at: float = 0.0,
        partitioned: bool | None = None,
        awkward: bool = False,
    ) -> str:
        """Return a table with a synthetic checkpoint, and `TAIL` commits on top of it.

        It is partitioned as all tables are, or as `partitioned` says.
        """
        if partitioned is not None and partitioned is not self.partitioned:
            other = replace(self, partitioned=partitioned)
            return other.checkpointed(
                files, row_groups, stats=stats, settings_at=settings_at, awkward=awkward
            )
        bounds = "-awkward" if awkward else ""
        place = f"-settings-at-{settings_at}" if settings_at else ""
        return self._generated(
            f"{files}-{row_groups}-{stats}{bounds}{place}{self._suffix}",
            *("--files", str(files), "--commits", str(TAIL), "--row-groups", row_groups),
            *("--stats", stats, "--settings-at", str(settings_at)),
            *(("--awkward",) if awkward else ()),
            *self._partitioning,
        )

    def commits_only(self, commits: int) -> str:
        """Return a table without a checkpoint."""
        return self._generated(
            f"{commits}-commits", "--shape", "commits", "--commits", str(commits)
        )

    def one_add_commits(self, commits: int) -> str:
        """Return a table without a checkpoint, each commit of which adds one file."""
        return self._generated(
            f"{commits}-one-add", "--shape", "one-add", "--commits", str(commits)
        )

    def large_commit(self, files: int) -> str:
        """Return a table of one commit."""
        return self._generated(
            f"{files}-large-commit", "--shape", "large-commit", "--files", str(files)
        )

    def half_widened(self, files: int) -> str:
        """Return a table with data files, half of which hold a widened column in its old type."""
        return self._generated(f"{files}-half-widened", "--shape", "data", "--files", str(files))

    def of_columns(self, columns: int, *, nested: bool = False, with_file: bool = False) -> str:
        """Return a table of so many widened columns, without data files or with one."""
        more = (*(["--nested"] if nested else []), *(["--with-file"] if with_file else []))
        name = "".join([f"{columns}-columns", *more])
        arguments = "--shape", "columns", "--columns", str(columns), *more
        return self._generated(name, *arguments)

    def spark_checkpointed(self, files: int) -> str:
        """Return a table whose checkpoint Spark wrote, with `TAIL` commits on top of it."""
        target = self.folder / f"{files}-spark{self._suffix}"
        if not target.exists():
            unfinished = self._generated(
                f"{target.name}-unfinished",
                *("--files", str(files), "--commits", str(2 * TAIL)),
                *self._partitioning,
            )
            jars = ("--jars", self.jars) if self.jars else ()
            run(script("spark_checkpoint", unfinished, "--at", str(FIRST_VERSION + TAIL), *jars))
            Path(unfinished).rename(target)
        return str(target)

    def checkpointed_twice(self, files: int) -> str:
        """Return a table with a checkpoint of its newest version, and an older one below it."""
        older = self.checkpointed(files, "many")
        target = self.folder / f"{files}-twice{self._suffix}"
        if not target.exists():
            unfinished = target.with_name(f"{target.name}-unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            shutil.copytree(older, unfinished, copy_function=os.link)
            run(deltactl("checkpoint", str(unfinished)))
            unfinished.rename(target)
        return str(target)

    @property
    def _suffix(self) -> str:
        return "-partitioned" if self.partitioned else ""

    @property
    def _partitioning(self) -> tuple[str, ...]:
        return ("--partitioned",) if self.partitioned else ()

    def _generated(self, name: str, *arguments: str) -> str:
        target = self.folder / name
        if not target.exists():
            # In a process of its own: Arrow's memory would count as that of all later children.
            run(script("generate_log", str(target), *arguments))
        return str(target)
