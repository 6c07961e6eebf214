"""What a job on Spark needs to reach the store of its table."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from deltactl.changes.jobs import Job
from deltactl.spark.settings.store_settings import to_conf
from deltactl.storage.options.hadoop import for_hadoop, spark_uri
from deltactl.storage.options.options import StoreOptions, resolve
from deltactl.storage.options.settings import NO_SETTINGS, StoreSettings
from deltactl.storage.urls import HDFS, StoreKind, kind_of, scheme_of

# Parameters of jobs that are URLs, or lists of them.
PLACES = ("table", "target", "base")
HADOOP = "spark.hadoop."
# Spark hides settings by their names in its pages and event logs, and does not know these names.
UNREDACTED = ("fs.azure.account.key.", "fs.s3a.encryption.key")
REDACTED = {
    "spark.redaction.regex": r"(?i)secret|password|token|(access|account|encryption)[.]?key"
}


class Reach(NamedTuple):
    """The kinds of stores that a job reaches, and Spark's settings for that; some are secret."""

    kinds: tuple[StoreKind, ...] = ()
    conf: Mapping[str, str] = {}

    def __repr__(self) -> str:
        return f"Reach({self.kinds})"


class Stores:
    """The settings of stores for one run, looked up when a job first needs them.

    `timeout` is how many seconds a store may take for an answer to an executor's Python.
    """

    def __init__(
        self,
        given: Mapping[str, str],
        environ: Mapping[str, str],
        timeout: float = NO_SETTINGS.timeout,
    ) -> None:
        self._given = given
        self._environ = environ
        self._timeout = timeout
        self._options: dict[str, StoreOptions] = {}

    def reach(self, job: Job) -> Reach:
        """Return what reaching the job's places takes, of Hadoop and of executors' Pythons.

        Raises:
            InvalidUsageError: a setting is not known, or not what it should be.
            StorageError: a profile of AWS gives no keys.
            SparkError: Hadoop has nothing that means the same as a setting.
        """
        conf: dict[str, str] = {}
        told: dict[str, str] = {}
        kinds: list[StoreKind] = []
        for uri in dict.fromkeys(_places(job.params)):
            if (kind := kind_of(uri)) is not None:
                options = self._options_of(uri)
                conf.update(for_hadoop(options, uri))
                told.update(options.for_another_machine())
                kinds += [kind] if kind not in kinds else []
            elif scheme_of(uri) in HDFS:
                told.update(self._hdfs_options())
        named = {f"{HADOOP}{key}": value for key, value in conf.items()}
        redacted = REDACTED if any(key.startswith(UNREDACTED) for key in conf) else {}
        # Whatever the job: a session on this machine also serves those that come after its first.
        own = to_conf(StoreSettings(told, self._timeout)) if kinds or told else {}
        return Reach(tuple(kinds), {**redacted, **named, **own})

    def renamed(self, job: Job) -> Job:
        """Return the job with its places named as Spark takes them."""
        params = {
            name: self._renamed(value) if name in PLACES else value
            for name, value in job.params.items()
        }
        return job._replace(params=params)

    def _renamed(self, value: Any) -> Any:
        if isinstance(value, str) and kind_of(value) is not None:
            return spark_uri(value, self._options_of(value))
        if isinstance(value, list):
            return [self._renamed(member) for member in value]
        return value

    def _hdfs_options(self) -> dict[str, str]:
        # What speaks HTTP takes modules that other tables do without.
        hdfs = import_module("deltactl.storage.hdfs.web_hdfs")
        found: dict[str, str] = hdfs.options_of(self._given, self._environ)
        return found

    def _options_of(self, uri: str) -> StoreOptions:
        scheme = scheme_of(uri) or "file"
        if scheme not in self._options:
            found = resolve(scheme, self._given, self._environ)
            if found.kind == "s3":
                # Reading the files of AWS takes modules that other tables do without.
                profiles = import_module("deltactl.storage.options.aws_profile")
                found = profiles.with_profile(found, self._environ)
            self._options[scheme] = found
        return self._options[scheme]


def _places(params: Mapping[str, Any]) -> Iterator[str]:
    for name in PLACES:
        value = params.get(name)
        yield from (v for v in (value if isinstance(value, list) else [value]) if v)
