"""When a commit makes a checkpoint due."""

from collections.abc import Iterator

from deltactl.errors import Notice
from deltactl.spec.actions.action import Metadata
from deltactl.spec.keys import CHECKPOINT_INTERVAL
from deltactl.spec.properties import registry


def checkpoint_due(version: int, metadata: Metadata, called: str) -> Iterator[Notice]:
    """Say that a checkpoint is due at the version, if it is."""
    interval = registry.effective(metadata.configuration, CHECKPOINT_INTERVAL)
    if isinstance(interval, int) and version % interval == 0:
        yield Notice(
            "CHECKPOINT_DUE",
            f"a checkpoint is due at version {version} ({CHECKPOINT_INTERVAL} = {interval}); to "
            f"write it: deltactl checkpoint {called}",
        )
