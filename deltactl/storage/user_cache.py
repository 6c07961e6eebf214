"""The folder of the user where deltactl keeps what can be had again."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_folder(environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    """Return the cache of this program, by the conventions of the platform; it may not exist."""
    home = Path(environ.get("HOME") or os.path.expanduser("~"))
    base = environ.get("XDG_CACHE_HOME", "")
    # The XDG specification has relative paths ignored.
    if os.path.isabs(base):
        return Path(base, "deltactl")
    return home.joinpath(
        *(("Library", "Caches") if platform == "darwin" else (".cache",)), "deltactl"
    )


def put(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Write the file whole or not at all, and replace one that exists.

    Raises:
        OSError: the folder cannot be made, or the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
