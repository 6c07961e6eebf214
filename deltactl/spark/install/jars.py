"""Find the jars for Spark in their folder, and put them there."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

from deltactl.errors import SparkError, StorageError
from deltactl.spark.install.urls import MAVEN_CENTRAL
from deltactl.storage.local.regular_file import open_named
from deltactl.storage.user_cache import put

BLOCK = 1 << 16


class Jar(NamedTuple):
    """A file of a Maven repository; `path` is where it lies below the repository's URL.

    `store` is the option of `spark install` that takes it, too; Delta's own have none.
    """

    path: str
    size: int
    sha256: str
    store: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


Fetched = Callable[[int], None]


def jar_folder(cache: Path) -> Path:
    """Return the folder where `install` puts the jars."""
    return cache / "jars"


def find_jars(jars: Sequence[Jar], folder: Path, *, named: bool) -> list[Path]:
    """Return where the jars are in `folder`, once every byte of them is what it should be.

    The user may have named the folder. All bytes are read before each start of Spark, which takes
    seconds: the 9.6 MB of Delta take 8 ms, the largest connector 26 ms.

    Raises:
        SparkError: one of them is missing or damaged.
    """
    paths = [folder / jar.name for jar in jars]
    for path, jar in zip(paths, jars, strict=True):
        if not path.is_file():
            raise _missing(jar, folder, named=named)
        # A file of another size is not worth reading.
        if path.stat().st_size != jar.size or _digest_of(path) != jar.sha256:
            raise _damaged(jar, folder, named=named)
    return paths


class Installed(NamedTuple):
    """A jar that is in its folder; `fetched` if it was not before."""

    path: Path
    size: int
    sha256: str
    fetched: bool


def install(
    jars: Sequence[Jar], folder: Path, *, source: str, timeout: float, fetched: Fetched
) -> list[Installed]:
    """Put the jars into `folder`; those that exist, and whole, stay.

    `source` is the URL of a Maven repository, or a folder that holds the jars. `fetched` is told
    of the bytes as they come.

    Raises:
        StorageError: a jar could not be fetched, or written, or the source does not have it.
        SparkError: what the source has is not what was tested.
    """
    done = []
    for jar in jars:
        path = folder / jar.name
        whole = path.is_file() and _digest_of(path) == jar.sha256
        if not whole:
            data = _fetch(jar, source, timeout, fetched)
            _put(path, data)
        done.append(Installed(path, jar.size, jar.sha256, not whole))
    return done


def _fetch(jar: Jar, source: str, timeout: float, fetched: Fetched) -> bytes:
    """Return the bytes of the jar, from a URL or from a folder, once they are known to be right."""
    if "://" not in source:
        origin = str(Path(source) / jar.name)
        data = _from_folder(jar, Path(source))
    else:
        place = JarUrl.of(source, jar)
        origin = place.url
        data = b"".join(_download(place, jar, timeout, fetched))
    if _digest(data) != jar.sha256:
        raise SparkError(
            "JAR_CHANGED",
            f"{origin} is not the jar that was tested: its SHA-256 is {_digest(data)}",
            hint=f"it should be {jar.sha256}; nothing was kept of it",
            details={"source": origin, "sha256": _digest(data), "expected": jar.sha256},
        )
    return data


def _from_folder(jar: Jar, folder: Path) -> bytes:
    try:
        with open(folder / jar.name, "rb", opener=open_named) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StorageError(
            "JAR_NOT_FOUND",
            f"{folder} has no {jar.name}",
            hint=f"get it where there is a network, from {MAVEN_CENTRAL}/{jar.path}",
        ) from error


class JarUrl(NamedTuple):
    """A URL to read from, without the password, which `login` carries."""

    url: str
    login: str | None

    @classmethod
    def of(cls, source: str, jar: Jar) -> "JarUrl":
        parts = urlsplit(source)
        user, at, host = parts.netloc.rpartition("@")
        path = f"{parts.path.rstrip('/')}/{jar.path}"
        url = urlunsplit((parts.scheme, host, path, "", ""))
        login = base64.b64encode(unquote(user).encode()).decode() if at else None
        return cls(url, login)


def _download(place: JarUrl, jar: Jar, timeout: float, fetched: Fetched) -> Iterator[bytes]:
    # A web client takes longer to load than most commands to run, and they load this module.
    import http.client
    import urllib.error
    import urllib.request

    request = urllib.request.Request(place.url)
    if place.login:
        request.add_unredirected_header("Authorization", f"Basic {place.login}")
    left = jar.size + 1  # a file that is longer is wrong, and not read to its end
    try:
        with urllib.request.urlopen(request, timeout=timeout) as response:
            while left > 0 and (data := response.read(min(BLOCK, left))):
                left -= len(data)
                fetched(len(data))
                yield data
    except urllib.error.HTTPError as error:
        with error:
            raise _refused(place, error.code) from error
    # A ValueError is from a name that no host can have, or a path that HTTP has no letters for.
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = error.reason if isinstance(error, urllib.error.URLError) else error
        said = (cause.strerror if isinstance(cause, OSError) else None) or str(cause)
        raise StorageError(
            "DOWNLOAD_FAILED",
            f"{place.url}: {said or type(error).__name__}",
            hint="where there is no network, put the jars into a folder, and name it with --jars; "
            "a mirror of Maven Central is named with --mirror URL",
        ) from error


def _refused(place: JarUrl, status: int) -> StorageError:
    said = f"{place.url}: HTTP status {status}"
    if status == HTTPStatus.NOT_FOUND:
        return StorageError("JAR_NOT_FOUND", said, hint="is the URL that of a Maven repository?")
    login = "a mirror takes a login as https://USER:PASSWORD@HOST/..."
    hint = login if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) else None
    return StorageError("DOWNLOAD_FAILED", said, hint=hint, details={"status": status})


def _put(path: Path, data: bytes) -> None:
    try:
        put(path, data)
    except OSError as error:
        raise StorageError(
            "CACHE_NOT_WRITABLE",
            f"{path}: {error.strerror or error}",
            hint="set XDG_CACHE_HOME to a folder with room that you may write to",
        ) from error


def _digest_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _missing(jar: Jar, folder: Path, *, named: bool) -> SparkError:
    whose = "the" if jar.store else "Delta's"
    return SparkError(
        "JARS_MISSING",
        f"{whose} jar {jar.name} is not in {folder}",
        hint=_remedy(jar, named=named),
        details={"folder": str(folder), "jar": jar.name},
    )


def _damaged(jar: Jar, folder: Path, *, named: bool) -> SparkError:
    return SparkError(
        "JAR_DAMAGED",
        f"{folder / jar.name} is not whole, or not the jar that was tested",
        hint=_remedy(jar, named=named),
        details={"folder": str(folder), "jar": jar.name},
    )


def _remedy(jar: Jar, *, named: bool) -> str:
    if named:
        return f"get it from {MAVEN_CENTRAL}/{jar.path}"
    return f"deltactl spark install --{jar.store}" if jar.store else "deltactl spark install"
