"""Options of spark-submit, and what says the same here."""

import re
from collections.abc import Mapping

_CONF = "--spark-conf"
_SAME: Mapping[str, str] = {
    "--archives": "spark.archives",
    "--driver-class-path": "spark.driver.extraClassPath",
    "--driver-cores": "spark.driver.cores",
    "--driver-java-options": "spark.driver.extraJavaOptions",
    "--driver-library-path": "spark.driver.extraLibraryPath",
    "--driver-memory": "spark.driver.memory",
    "--exclude-packages": "spark.jars.excludes",
    "--executor-cores": "spark.executor.cores",
    "--executor-memory": "spark.executor.memory",
    "--files": "spark.files",
    "--keytab": "spark.kerberos.keytab",
    "--name": "spark.app.name",
    "--num-executors": "spark.executor.instances",
    "--packages": "spark.jars.packages",
    "--principal": "spark.kerberos.principal",
    "--queue": "spark.yarn.queue",
    "--repositories": "spark.jars.repositories",
    "--total-executor-cores": "spark.cores.max",
}
_OTHERS: Mapping[str, str] = {
    "--conf": f"{_CONF} KEY=VALUE",
    "--deploy-mode": "leave it out: the driver is always on this machine, which it tells its "
    "result; run deltactl on a machine of the cluster if the driver is to be there",
    "--properties-file": f"{_CONF} KEY=VALUE, a table [spark-conf] in deltactl.toml, or the "
    "variable SPARK_CONF_DIR for a folder with spark-defaults.conf",
    "--proxy-user": "set the variable HADOOP_PROXY_USER",
    "--py-files": "leave it out: jobs import nothing but deltactl",
}
_OPTION = re.compile(r"--[a-z-]+")


def instead_of(message: str) -> str | None:
    """Return what to type instead of the first option of spark-submit that `message` names."""
    for option in _OPTION.findall(message):
        if option in _SAME:
            return f"{_CONF} {_SAME[option]}=VALUE"
        if option in _OTHERS:
            return _OTHERS[option]
    return None
