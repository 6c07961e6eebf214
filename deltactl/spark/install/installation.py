"""All that has to be on this machine before Spark can start."""

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from deltactl.errors import StorageError
from deltactl.spark.install.jar_list import delta_jars
from deltactl.spark.install.jars import find_jars, jar_folder
from deltactl.spark.install.java import Java, find_java
from deltactl.spark.install.store_jars import find_store_jars
from deltactl.spark.install.versions import VersionPair, installed_pair, spark_home
from deltactl.storage.urls import StoreKind
from deltactl.storage.user_cache import cache_folder


class Installation(NamedTuple):
    """A tested pair, the folder of its Spark, a Java for it, and the jars.

    `folder` is where these lie, `named` whether the user named it.
    """

    pair: VersionPair
    home: Path
    java: Java
    jars: tuple[Path, ...]
    folder: Path
    named: bool = False

    def with_stores(self, kinds: Iterable[StoreKind]) -> "Installation":
        """Return it with the jars for these kinds of object stores.

        Raises:
            SparkError: one of them is missing.
        """
        found = find_store_jars(self.pair, kinds, self.folder, self.home, named=self.named)
        return self._replace(jars=(*self.jars, *found))

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables that make Spark use what was found.

        Which Python executors have is for the user to say: only the job `footers` needs one.
        """
        return {
            "JAVA_HOME": str(self.java.home),
            "SPARK_HOME": str(self.home),
            "PYSPARK_PYTHON": environ.get("PYSPARK_PYTHON", sys.executable),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            # Workers are started with -m, and would import what lies in the current folder.
            "PYTHONSAFEPATH": "1",
        }


def find_installation(environ: Mapping[str, str], jars: str | None) -> Installation:
    """Return what is installed; `jars` is the folder that the user named for them.

    Raises:
        SparkError: something is missing, or is not what was tested.
    """
    cache = cache_folder(environ)
    pair = installed_pair()
    home = spark_home(environ, pair)
    java = find_java_in(environ, cache)
    folder = Path(jars) if jars else jar_folder(cache)
    found = tuple(find_jars(delta_jars(pair), folder, named=bool(jars)))
    return Installation(pair, home, java, found, folder, bool(jars))


def find_java_in(environ: Mapping[str, str], cache: Path) -> Java:
    """Return the Java for Spark, as `find_java` does.

    Raises:
        SparkError: Java is missing, or Spark does not run on it.
        StorageError: the cache cannot be written.
    """
    try:
        return find_java(environ, cache)
    except OSError as error:
        raise StorageError(
            "CACHE_NOT_WRITABLE",
            f"{error.filename or cache}: {error.strerror or error}",
            hint="set XDG_CACHE_HOME to a folder with room that you may write to",
        ) from error
