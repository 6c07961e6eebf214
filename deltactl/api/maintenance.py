"""What verification, repair and checkpoints return: frozen values, as those of `values`."""

from dataclasses import dataclass

from deltactl.errors import Notice


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One fault that a verification found.

    Attributes:
        code: stable, in upper case; `deltactl explain CODE` knows it.
        severity: `error` or `warning`.
        subject: the file, the place in it, or the column.
        expected: what should be.
        found: what is.
        since_version: the first version with the fault, None if it is not known.
        repairable: whether the log itself has what a repair needs.
    """

    code: str
    severity: str
    subject: str
    expected: str
    found: str
    since_version: int | None
    repairable: bool


@dataclass(frozen=True, kw_only=True)
class Verification:
    """What a verification found.

    Attributes:
        version: the version that was verified.
        findings: the faults; at most twenty of one code and check.
        warnings: what else to know.
    """

    version: int
    findings: tuple[Finding, ...]
    warnings: tuple[Notice, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


@dataclass(frozen=True, kw_only=True)
class RepairedFile:
    """A file of the log that a repair moves or writes.

    Attributes:
        path: its path in the table.
        action: `move-aside`, `put-if-absent` or `replace`.
        target: where it is moved to, None if it is written.
    """

    path: str
    action: str
    target: str | None


@dataclass(frozen=True, kw_only=True)
class Repair:
    """What a repair did, or would do.

    Attributes:
        done: whether anything was written.
        files: the files that are moved aside or written.
        checkpoints: the versions whose checkpoints are written again.
        commits: the commits that are made, by what they correct.
        verification: what is wrong afterwards; after a dry run, what is wrong now.
    """

    done: bool
    files: tuple[RepairedFile, ...]
    checkpoints: tuple[int, ...]
    commits: tuple[str, ...]
    verification: Verification


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """What became of a checkpoint.

    Attributes:
        version: the version of the checkpoint.
        kind: `classic`, `multipart` or `v2`; None after a dry run without one that exists.
        wrote: whether files were written.
        files: the files that were written, or would be.
    """

    version: int
    kind: str | None
    wrote: bool
    files: tuple[str, ...]
