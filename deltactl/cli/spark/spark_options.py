"""The options of commands that can work on Spark; each is a setting, so files can have them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from deltactl.cli.command_options import SparkOption
from deltactl.cli.config.settings import ENGINES, SETTINGS, parse_pair
from deltactl.cli.global_options import noting, typed
from deltactl.spark.install.urls import parse_remote
from deltactl.storage.options.option_rows import NAMES

F = TypeVar("F", bound=Callable[..., Any])


def _setting(
    setting: str, *names: str, said: str, rival: str | None = None, **attributes: Any
) -> Callable[[Any], Any]:
    """Return the option that sets `setting`; its help ends with the variable that does so, too."""
    known = SETTINGS.get(setting)
    variable = f"  [{known.env}]" if known else ""
    return click.option(
        *(names or (f"--{setting}",)),
        cls=SparkOption,
        expose_value=False,
        callback=noting(setting, rival=rival),
        help=f"{said}{variable}",
        **attributes,
    )


ENGINE = _setting(
    "engine",
    type=click.Choice(ENGINES),
    said="Work in this process (local), on Spark, or on the quicker one (auto).",
)
MASTER = _setting(
    "master",
    metavar="URL",
    type=typed(SETTINGS["master"].parse),
    said="Run Spark at URL: local[*], spark://HOST:PORT, yarn, k8s://...",
    rival="--remote",
)
# A Connect server is one more place for Spark to run, and the same setting says so.
REMOTE = _setting(
    "master",
    "--remote",
    "remote",
    metavar="URL",
    type=typed(parse_remote),
    said="Use this Spark Connect server: sc://HOST:PORT.",
    rival="--master",
)
JARS = _setting(
    "jars",
    metavar="DIR",
    type=click.Path(),
    said="Folder with Delta's jars, if they are not installed.",
)
CONF = _setting(
    "spark-conf",
    metavar="KEY=VALUE",
    multiple=True,
    type=typed(parse_pair),
    said="Set a Spark property; can be repeated.",
)
TIMEOUT = _setting(
    "timeout-job",
    metavar="TIME",
    type=typed(SETTINGS["timeout-job"].parse),
    said="Stop a Spark job after TIME: 90s, 30m, 2h.",
)
LOG = _setting(
    "spark-log",
    metavar="FILE",
    type=click.Path(),
    said="Append Spark's log to FILE.",
)
MIRROR = _setting(
    "mirror",
    metavar="URL",
    type=typed(SETTINGS["mirror"].parse),
    said="Download from this mirror of Maven Central.",
)

# For `with_options`: these are parameters of the command's function.
STORES: dict[str, Callable[[Any], Any]] = {
    kind: click.option(f"--{kind}", is_flag=True, help=f"Include the jars for tables in {name}.")
    for kind, name in NAMES.items()
}

# For `with_options`; none of them is a parameter of the command's function.
PLACE: dict[str, Callable[[Any], Any]] = {
    "master": MASTER,
    "remote": REMOTE,
    "jars": JARS,
    "spark_conf": CONF,
    "timeout_job": TIMEOUT,
    "spark_log": LOG,
}
SPARK: dict[str, Callable[[Any], Any]] = {"engine": ENGINE, **PLACE}


def on_spark(function: F) -> F:
    """Give a command that can work on Spark alone the options that say where that is."""
    for option in reversed(PLACE.values()):
        option(function)
    return function


def on_any_engine(function: F) -> F:
    """Give a command that works here or on Spark the options that say which, and where."""
    for option in reversed(SPARK.values()):
        option(function)
    return function
