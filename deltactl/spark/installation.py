"""All that has to be on this machine before Spark can start."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from deltactl.errors import StorageError
from deltactl.spark.cache import cache_folder
from deltactl.spark.jars import JARS, find_jars, jar_folder
from deltactl.spark.java import Java, find_java
from deltactl.spark.versions import Pair, installed_pair, spark_home


class Installation(NamedTuple):
    """A tested pair, the folder of its Spark, a Java for it, and Delta's jars."""

    pair: Pair
    home: Path
    java: Java
    jars: tuple[Path, ...]

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables that make Spark use what was found.

        Which Python executors have is for the user to say: only the job `footers` needs one.
        """
        return {
            "JAVA_HOME": str(self.java.home),
            "SPARK_HOME": str(self.home),
            "PYSPARK_PYTHON": environ.get("PYSPARK_PYTHON", sys.executable),
            "PYSPARK_DRIVER_PYTHON": sys.executable,
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
    return Installation(pair, home, java, tuple(find_jars(JARS[pair], folder, named=bool(jars))))


def find_java_in(environ: Mapping[str, str], cache: Path) -> Java:
    """Return the Java for Spark, as `find_java` does.

    Raises:
        SparkError: there is none, or it is not one that Spark runs on.
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
