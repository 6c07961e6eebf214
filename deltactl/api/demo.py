"""The demo table, to try things on."""

from deltactl.operations.demo.writer import write_demo_table
from deltactl.report import TableRef
from deltactl.storage.options.settings import StoreSettings


def make_demo_table(uri: str, settings: StoreSettings) -> TableRef:
    """Make the table where nothing is, at a path or the URL of a store.

    Raises:
        RefusedError: something is there, or nothing may be committed with these settings.
        DeltactlError: it cannot be written.
    """
    return write_demo_table(uri, settings)
