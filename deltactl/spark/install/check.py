"""Check each Spark dependency by itself."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from deltactl.changes.jobs import Job, Watch
from deltactl.errors import DeltactlError
from deltactl.spark.install.installation import find_java_in
from deltactl.spark.install.jar_list import delta_jars
from deltactl.spark.install.jars import find_jars, jar_folder
from deltactl.spark.install.store_jars import has_connector, installed_kinds, store_jars
from deltactl.spark.install.urls import CONNECT, is_local, place
from deltactl.spark.install.versions import TESTED, installed_pair, spark_home
from deltactl.spark.runner import SparkConfig, check_connect_packages, job_runner
from deltactl.spark.settings.master import check_reachable
from deltactl.storage.options.option_rows import NAMES
from deltactl.storage.urls import StoreKind
from deltactl.storage.user_cache import cache_folder

VALUE = 42
# Seconds for a job of one row, unless the user sets a limit: enough for a busy cluster.
LIMIT = 180.0

Probe = Callable[[], str]


class DependencyCheck(NamedTuple):
    """What was found of one thing, or what is wrong with it; neither if it was not tried."""

    name: str
    found: str | None = None
    error: DeltactlError | None = None


def checks(
    spark_config: SparkConfig, environ: Mapping[str, str], watch: Watch
) -> Iterator[DependencyCheck]:
    """Check all Spark dependencies, and send one row through a job if nothing is amiss."""
    sound = True
    for name, look in _looks(spark_config, environ):
        check = _checked(name, look)
        sound = sound and check.error is None
        yield check
    name = "round trip"
    yield (
        _checked(name, lambda: _round_trip(spark_config, watch)) if sound else DependencyCheck(name)
    )


def _looks(spark_config: SparkConfig, environ: Mapping[str, str]) -> Iterator[tuple[str, Probe]]:
    cache = cache_folder(environ)
    yield "versions", lambda: str(installed_pair())
    if spark_config.master.startswith(CONNECT):
        yield "Spark Connect", lambda: _connect_packages()
    else:
        yield "Spark", lambda: str(spark_home(environ, installed_pair()))
        yield "Java", lambda: _java(environ, cache)
        yield "jars", lambda: _jars(spark_config.jars, cache)
        yield from _stores(spark_config, environ, cache)
    if not is_local(spark_config.master):
        yield "master", lambda: _master(spark_config.master, environ)


def _checked(name: str, look: Probe) -> DependencyCheck:
    try:
        return DependencyCheck(name, found=look())
    except DeltactlError as error:
        return DependencyCheck(name, error=error)


def _connect_packages() -> str:
    check_connect_packages()
    return "its Python packages are installed"


def _java(environ: Mapping[str, str], cache: Path) -> str:
    java = find_java_in(environ, cache)
    return f"{java.version} of {java.origin}: {java.home}"


def _jars(named: str | None, cache: Path) -> str:
    folder = Path(named) if named else jar_folder(cache)
    # The jars of the tested pair are what should be there, whatever else is amiss.
    paths = find_jars(delta_jars(TESTED[0]), folder, named=bool(named))
    return f"{' and '.join(path.name for path in paths)} in {folder}"


def _stores(
    spark_config: SparkConfig, environ: Mapping[str, str], cache: Path
) -> Iterator[tuple[str, Probe]]:
    """Yield the jars for object stores: those asked for, and those started with."""
    folder = Path(spark_config.jars) if spark_config.jars else jar_folder(cache)
    pair = TESTED[0]
    for kind in dict.fromkeys((*spark_config.stores, *installed_kinds(pair, folder))):
        yield f"jars for {NAMES[kind]}", partial(_store, kind, spark_config.jars, folder, environ)


def _store(kind: StoreKind, named: str | None, folder: Path, environ: Mapping[str, str]) -> str:
    home = spark_home(environ, installed_pair())
    if has_connector(kind, home):
        return f"Spark has its own in {home / 'jars'}"
    paths = find_jars(store_jars(TESTED[0], [kind]), folder, named=bool(named))
    return f"{paths[0].name} and {len(paths) - 1} more in {folder}"


def _master(master: str, environ: Mapping[str, str]) -> str:
    check_reachable(master, environ)
    return "YARN is configured" if master == "yarn" else "takes connections"


def _round_trip(spark_config: SparkConfig, watch: Watch) -> str:
    job = Job("round_trip", {"value": VALUE}, why="one row, there and back")
    with job_runner(spark_config._replace(limit=spark_config.limit or LIMIT), watch) as runner:
        result = runner.run(job)
    assert result["rows"] == [[VALUE, 1]], result
    return f"Spark {result['spark']}: {place(spark_config.master)}"
