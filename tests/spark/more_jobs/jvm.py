"""A job that works with the JVM itself, which Spark Connect does not give."""

from collections.abc import Mapping
from typing import Any

from deltactl.errors import RefusedError

NEEDS_JVM = True


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    if "refuse" in params:
        raise RefusedError("ONLY_ON_SPARK", "refused", hint="do not", details={"why": 1})
    integer = spark._jvm.java.lang.Integer
    return {"number": integer.parseInt(params["text"])}
