"""Which Spark goes with which Delta: only pairs that were tested, told without starting either."""

import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from deltactl.errors import SparkError


class VersionPair(NamedTuple):
    """A version of PySpark and one of Delta."""

    spark: str
    delta: str

    def __str__(self) -> str:
        return f"pyspark {self.spark} with delta-spark {self.delta}"


TESTED = (VersionPair("4.2.0", "4.4.0"),)
INSTALL = "pip install 'deltactl[spark]'"
# The file of a Spark that tells its version in every kind of installation.
_CORE = re.compile(r"spark-core_[0-9.]+-([0-9].*)\.jar")


def installed_pair() -> VersionPair:
    """Return the pair that is installed, which is one that was tested.

    Raises:
        SparkError: one of the two is missing, or they are another pair.
    """
    found = {name: _version(name) for name in ("pyspark", "delta-spark")}
    if missing := [name for name, there in found.items() if there is None]:
        verb = "is" if len(missing) == 1 else "are"
        raise SparkError(
            "SPARK_NOT_INSTALLED",
            f"{' and '.join(missing)} {verb} not installed",
            hint=INSTALL,
            details={"missing": missing},
        )
    pair = VersionPair(found["pyspark"] or "", found["delta-spark"] or "")
    if pair not in TESTED:
        raise SparkError(
            "SPARK_VERSIONS_UNTESTED",
            f"{pair} was not tested; tested: {' or '.join(map(str, TESTED))}",
            hint=f"pip install pyspark=={TESTED[0].spark} delta-spark=={TESTED[0].delta}",
            details={"pyspark": pair.spark, "deltaSpark": pair.delta},
        )
    return pair


def spark_home(environ: Mapping[str, str], pair: VersionPair) -> Path:
    """Return the folder of the Spark that will run: `SPARK_HOME` beats the installed PySpark.

    Raises:
        SparkError: `SPARK_HOME` is not the Spark that the installed PySpark talks to.
    """
    if named := environ.get("SPARK_HOME"):
        _check_home(Path(named), pair)
        return Path(named)
    spec = find_spec("pyspark")
    if spec is None or spec.origin is None:
        raise SparkError("SPARK_NOT_INSTALLED", "pyspark cannot be imported", hint=INSTALL)
    return Path(spec.origin).parent


def _check_home(home: Path, pair: VersionPair) -> None:
    found = _version_in(home)
    if found == pair.spark:
        return
    said = f"is Spark {found}, and pyspark is {pair.spark}" if found else "holds no Spark"
    raise SparkError(
        "SPARK_HOME_DIFFERS",
        f"SPARK_HOME={home} {said}",
        hint="unset SPARK_HOME: pyspark brings a Spark of its own",
        details={"sparkHome": str(home), "version": found, "pyspark": pair.spark},
    )


def _version_in(home: Path) -> str | None:
    """Return the version of the Spark in `home`, None if there is nothing."""
    for jar in sorted(home.glob("jars/spark-core_*.jar")):
        if match := _CORE.fullmatch(jar.name):
            return match[1]
    return None


def _version(package: str) -> str | None:
    # Takes as long to load as all of Spark's side of most commands, which never ask.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None
