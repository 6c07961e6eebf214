"""A job that works with the JVM itself, which Spark Connect does not give."""

from collections.abc import Mapping
from typing import Any

from deltactl.errors import RefusedError

NEEDS_JVM = True


def run(spark: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    if "refuse" in params:
        raise RefusedError("ONLY_ON_SPARK", "refused", hint="do not", details={"why": 1})
    if "active" in params:
        # Delta looks for it in the thread that calls it, and so do functions of PySpark.
        active = type(spark).getActiveSession()
        return {"active": active is not None and active._jsparkSession.equals(spark._jsparkSession)}
    integer = spark._jvm.java.lang.Integer
    return {"number": integer.parseInt(params["text"])}
