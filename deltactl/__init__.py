"""deltactl: administer Delta Lake tables, from the command line and from Python.

import deltactl

table = deltactl.open("./events")
table.widen({"amount": "long"}, message="amounts grow")
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deltactl.api.delta_table import DeltaTable, open
    from deltactl.api.reading.tables import find_tables
    from deltactl.api.saved.plans import load_plan
    from deltactl.api.values import Plan, Result, SavedPlan
    from deltactl.api.verbs.verbs import Spark
    from deltactl.api.work import Bar, Progress
    from deltactl.errors import (
        BrokenLogError,
        ConflictError,
        DeltactlError,
        InterruptedRunError,
        NotFoundError,
        Notice,
        OutcomeUnknownError,
        RefusedError,
        SparkError,
        StorageError,
        UnfinishedError,
        UsageError,
    )

__version__ = "0.1.0"

__all__ = [
    "Bar",
    "BrokenLogError",
    "ConflictError",
    "DeltaTable",
    "DeltactlError",
    "InterruptedRunError",
    "NotFoundError",
    "Notice",
    "OutcomeUnknownError",
    "Plan",
    "Progress",
    "RefusedError",
    "Result",
    "SavedPlan",
    "Spark",
    "SparkError",
    "StorageError",
    "UnfinishedError",
    "UsageError",
    "__version__",
    "find_tables",
    "load_plan",
    "open",
]

_ELSEWHERE = {
    "DeltaTable": "api.delta_table",
    "open": "api.delta_table",
    "find_tables": "api.reading.tables",
    "Plan": "api.values",
    "Result": "api.values",
    "SavedPlan": "api.values",
    "load_plan": "api.saved.plans",
    "Spark": "api.verbs.verbs",
    "Bar": "api.work",
    "Progress": "api.work",
}


def __getattr__(name: str) -> Any:
    """Load what is public when it is first used: the command line starts without it."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_ELSEWHERE.get(name, 'errors')}")
    found = globals()[name] = getattr(module, name)
    return found


def __dir__() -> list[str]:
    """Return what is public."""
    return sorted({*globals(), *__all__})
