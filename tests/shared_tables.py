"""The real tables that stand beside the repository: where they are, and what they are called."""

import os
import tarfile
from functools import cache
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
ARCHIVE = "dev.tar.gz"


def folder() -> Path | None:
    """`$DELTACTL_SHARED/tables`, else `shared/tables` beside the repository; None where absent."""
    shared = os.environ.get("DELTACTL_SHARED")
    tables = (Path(shared) if shared else REPOSITORY.parent / "shared") / "tables"
    return tables if (tables / ARCHIVE).is_file() else None


@cache
def names() -> list[str]:
    """The name of each table in the archive, in order; none where it is absent."""
    tables = folder()
    if tables is None:
        return []
    with tarfile.open(tables / ARCHIVE) as archive:
        files = (member.name.split("/") for member in archive)
        return sorted(parts[1] for parts in files if parts[2:] == ["expected.json"])


def unpack(target: Path) -> Path:
    """Unpack the archive below `target`, the files' times kept, and return the tables' folder."""
    tables = folder()
    assert tables is not None
    with tarfile.open(tables / ARCHIVE) as archive:
        archive.extractall(target, filter="data")
    return target / "dev"
