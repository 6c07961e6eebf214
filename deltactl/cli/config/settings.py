"""What can be set, by which name, and what its text means."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from deltactl.spark.install.urls import (
    LOCAL,
    MAVEN_CENTRAL,
    parse_master,
    parse_mirror,
    shown,
    without_login,
)

KEY = re.compile(r"[A-Za-z0-9_.-]+")
OUTPUTS = ("text", "json", "ndjson")
DIFF_OUTPUTS = ("patch", "markdown")  # of commands that compare
COLORS = ("auto", "always", "never")
ENGINES = ("auto", "local", "spark")
TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off"})
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
SECRET = re.compile("secret|key|token|password|credential|signature|sas|proxy_?url", re.IGNORECASE)
HIDDEN = "****"
SECRET_IN_QUERY = re.compile(
    "([?&](?:sig|[^=&#]*(?:secret|key|token|password|credential|signature)[^=&#]*)=)[^&#]*",
    re.IGNORECASE,
)
# These hold the word "key" or "credential", and say where a secret is, not what it is.
NOT_SECRET = re.compile("key_?id$|_(path|file|provider)$", re.IGNORECASE)


def parse_output(text: str) -> str:
    """Return the output format, or raise ValueError."""
    known = (*OUTPUTS, *DIFF_OUTPUTS)
    if text not in known:
        raise ValueError(f"{text!r} is not one of {', '.join(known)}")
    return text


def parse_switch(text: str) -> bool:
    """Return what a yes-or-no word means, or raise ValueError."""
    word = text.lower()
    if word not in TRUE | FALSE:
        raise ValueError(f"{text!r} is neither true nor false")
    return word in TRUE


def parse_color(text: str) -> str:
    """Return when to print colours, or raise ValueError."""
    if text not in COLORS:
        raise ValueError(f"{text!r} is not one of {', '.join(COLORS)}")
    return text


def parse_timeout(text: str) -> float:
    """Return the seconds in `90`, `1.5`, `30s`, `2m` or `1h`, or raise ValueError."""
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([smh]?)", text.strip())
    seconds = float(match[1]) * UNITS[match[2]] if match else 0.0
    if not seconds:
        raise ValueError(f"{text!r} is not a time such as 30s, 2m or 1h")
    return seconds


def parse_engine(text: str) -> str:
    """Return where to work, or raise ValueError."""
    if text not in ENGINES:
        raise ValueError(f"{text!r} is not one of {', '.join(ENGINES)}")
    return text


def parse_pair(text: str) -> tuple[str, str]:
    """Return the key and the value of `KEY=VALUE`, or raise ValueError."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise _no_pair(text)
    return key, value


def parse_option(text: str) -> tuple[str, str]:
    """Return the key and the value of an option of a store, or raise ValueError."""
    key, value = parse_pair(text)
    # A secret in Base64 ends with =, and would be part of the key after another sign than that.
    if not KEY.fullmatch(key.strip()):
        raise _no_pair(text)
    return key, value


def _no_pair(text: str) -> ValueError:
    """Return the error for what is not a pair: its value may be secret, and is not repeated."""
    found = KEY.match(text)
    shown = found[0] if found else ""
    more = "" if shown == text else "..."
    return ValueError(f"{shown + more!r} is not KEY=VALUE")


def is_secret(key: str) -> bool:
    """Return whether an option of a store, or of Spark, holds what must not be shown."""
    return bool(SECRET.search(key)) and not NOT_SECRET.search(key)


class Setting(NamedTuple):
    """A setting with one value; `name` is its flag and its key in the files.

    `shown` leaves out of the value what must not be shown. One that is not `harmless` names a
    host or a program: a project file can set it only if the user trusts that file.
    """

    name: str
    parse: Callable[[str], Any]
    default: Any
    harmless: bool
    shown: Callable[[Any], Any] = lambda value: value

    @property
    def env(self) -> str:
        """The environment variable that sets it."""
        return "DELTACTL_" + self.name.upper().replace("-", "_")


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("profile", str, None, harmless=True),
        Setting("output", parse_output, "text", harmless=True),
        Setting("quiet", parse_switch, False, harmless=True),
        Setting("verbose", parse_switch, False, harmless=True),
        Setting("color", parse_color, "auto", harmless=True),
        Setting("no-color", parse_switch, False, harmless=True),  # color = "never" in old files
        Setting("no-progress", parse_switch, False, harmless=True),
        Setting("no-pager", parse_switch, False, harmless=True),
        Setting("timeout", parse_timeout, 60.0, harmless=True),
        Setting("engine", parse_engine, "auto", harmless=True),
        Setting("master", parse_master, LOCAL, harmless=False, shown=shown),
        Setting("jars", str, None, harmless=False),
        Setting("timeout-job", parse_timeout, None, harmless=True),
        Setting("spark-log", str, None, harmless=False),
        Setting("mirror", parse_mirror, MAVEN_CENTRAL, harmless=False, shown=without_login),
    )
}


# What a run prints, and how: the profile of a table has no say in it.
PRINTING = ("output", "quiet", "verbose", "color", "no-color", "no-progress", "no-pager")


class Alias(NamedTuple):
    """What a name in `[tables]` stands for; `where` is the line of a file that says so.

    `distrusted` is the path of that file if the user has to trust it before the name can be used.
    """

    uri: str
    profile: str | None = None
    where: str = ""
    distrusted: str = ""

    @property
    def shown(self) -> str:
        """The URI without what is secret in it: a login, and tokens behind a question mark."""
        if "://" not in self.uri:
            return self.uri
        return SECRET_IN_QUERY.sub(rf"\1{HIDDEN}", without_login(self.uri))


class Settings(NamedTuple):
    """What holds for this run, or for one table of it.

    `origins` says where each value came from, under the setting's name, or under
    `storage-options.KEY`, `spark-conf.KEY` and `tables.NAME`.
    """

    profile: str | None
    output: str
    quiet: bool
    verbose: bool
    color: str
    no_color: bool
    no_progress: bool
    no_pager: bool
    timeout: float
    engine: str
    master: str
    jars: str | None
    timeout_job: float | None
    spark_log: str | None
    mirror: str
    storage_options: Mapping[str, str]
    spark_conf: Mapping[str, str]
    tables: Mapping[str, Alias]
    origins: Mapping[str, str]
