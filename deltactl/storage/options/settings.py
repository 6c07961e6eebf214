"""What the user says of stores, for those that are not a folder of this machine."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

OPTION_VARIABLE = "DELTACTL_STORAGE_OPTION_"
"""What the variables begin with that set an option of a store; the option's key follows."""

# Called with a URL again and again while its store has not answered, and with None once it has.
Watch = Callable[[str | None], None]
_NONE: Mapping[str, str] = MappingProxyType({})


class StoreSettings(NamedTuple):
    """Options of stores by name, and the seconds that one of them may take for an answer.

    `spark_conf` is what Spark would be started with: it may name a way of committing that is not
    ours. `watch` is told of the waits of the main thread.
    """

    options: Mapping[str, str] = _NONE
    timeout: float = 60.0
    spark_conf: Mapping[str, str] = _NONE
    watch: Watch | None = None

    def __repr__(self) -> str:
        # Values may be secret.
        return f"StoreSettings({sorted(self.options)}, {self.timeout})"


NO_SETTINGS = StoreSettings()
