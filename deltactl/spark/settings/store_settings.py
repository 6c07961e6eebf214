"""Settings of stores on their way to the executors: one property of Spark's, with secrets in it.

Spark hides the values of settings whose names have `secret` in them, in its pages and event logs.
"""

import json
from typing import Any

from deltactl.storage.options.settings import NO_SETTINGS, StoreSettings

PROPERTY = "spark.deltactl.secret.stores"


def to_conf(settings: StoreSettings) -> dict[str, str]:
    """Return the property of Spark that tells a job the options, and the seconds."""
    told = {"options": dict(settings.options), "timeout": settings.timeout}
    return {PROPERTY: json.dumps(told)}


def of_session(spark: Any) -> StoreSettings:
    """Return the settings that the session was started with."""
    told = spark.conf.get(PROPERTY, None) or spark.sparkContext.getConf().get(PROPERTY)
    return StoreSettings(**json.loads(told)) if told else NO_SETTINGS
