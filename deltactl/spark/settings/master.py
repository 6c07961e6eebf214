"""Whether anything answers where Spark is to run."""

import socket
from collections.abc import Mapping

from deltactl.errors import SparkError
from deltactl.spark.install.urls import shown

_DEFAULT_PORTS = {"spark": 7077, "sc": 15002, "k8s": 443}
_HIGHEST_PORT = 65535
PATIENCE = 5.0  # seconds for a master to take a connection


def check_reachable(master: str, environ: Mapping[str, str], patience: float = PATIENCE) -> None:
    """Look whether something answers at `master`: Spark itself would try for a minute.

    Raises:
        SparkError: nothing does, or where YARN is was not said.
    """
    if master == "yarn":
        if not (environ.get("HADOOP_CONF_DIR") or environ.get("YARN_CONF_DIR")):
            raise SparkError(
                "YARN_NOT_CONFIGURED",
                "--master yarn finds YARN by HADOOP_CONF_DIR or YARN_CONF_DIR; neither is set",
                hint="set HADOOP_CONF_DIR to the folder of the cluster's configuration",
            )
        return
    reasons = []
    for host, port in _addresses(master):
        try:
            # What Python raises for such a port differs between its versions.
            if port > _HIGHEST_PORT:
                raise OverflowError
            socket.create_connection((host, port), patience).close()
            return
        except OSError as error:
            reasons.append(f"{host}:{port}: {error.strerror or error}")
        except (UnicodeError, OverflowError):
            reasons.append(f"{host}:{port}: that cannot be the name of a host and a port")
    if reasons:
        raise SparkError(
            "MASTER_UNREACHABLE",
            f"nothing answers at {shown(master)} ({'; '.join(reasons)})",
            hint="start it, or correct --master; without it Spark runs on this machine",
            details={"master": shown(master)},
        )


def _addresses(master: str) -> list[tuple[str, int]]:
    """Return the hosts and ports behind a URL: a standalone cluster may have several masters."""
    scheme, _, rest = master.partition("://")
    if scheme not in _DEFAULT_PORTS:
        return []
    rest = rest.removeprefix("https://").removeprefix("http://").partition("/")[0]
    found = []
    for address in rest.split(","):
        host, colon, port = address.rpartition(":")
        if not colon or not port.isdecimal():
            host, port = address, str(_DEFAULT_PORTS[scheme])
        found.append((host.strip("[]"), int(port)))
    return found
