"""Fixtures for every kind of test; those of one kind stand beside it."""

import gc
import signal
from pathlib import Path

import hypothesis
import pytest
import shared_tables
from needs import do_without

# A busy machine is no failure of a law.
hypothesis.settings.register_profile("deltactl", deadline=None)
hypothesis.settings.load_profile("deltactl")


def pytest_configure() -> None:
    """Take Ctrl-C, and have all that tests start take it, also in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Look for cycles as seldom as the program does, and not among thousands of tests."""
    gc.freeze()
    gc.set_threshold(1_000_000, 50, 50)


@pytest.fixture(scope="session")
def shared_folder() -> Path:
    """The folder of the shared tables, as it is delivered."""
    tables = shared_tables.folder()
    if tables is None:
        do_without("the shared tables are absent: set DELTACTL_SHARED to the folder that has them")
    return tables


@pytest.fixture(scope="session", name="shared_tables")
def unpacked_tables(shared_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shared tables, unpacked once: `NAME/delta` and `NAME/expected.json`."""
    return shared_tables.unpack(tmp_path_factory.mktemp("shared"))
