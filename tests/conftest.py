"""Fixtures for every kind of test; those of one kind stand beside it."""

import gc
import signal
from pathlib import Path

import hypothesis
import pytest
import shared_tables
import tiers
from needs import do_without

# A busy machine is no failure of a law.
hypothesis.settings.register_profile("deltactl", deadline=None)
hypothesis.settings.load_profile("deltactl")


STORES = Path(__file__).parent / "stores"


def pytest_configure(config: pytest.Config) -> None:
    """Choose the quick tests unless others are named; take Ctrl-C.

    All that tests start takes it, too, also in the background of a shell.
    """
    if not config.option.markexpr and _is_whole(config):
        config.option.markexpr = tiers.QUICK
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_whole(config: pytest.Config) -> bool:
    return config.args_source is pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of stores, and those of all tiers that are quick, before any are chosen."""
    for item in items:
        if STORES in item.path.parents:
            item.add_marker("stores")
    tiers.mark_one_of_each(items)
    if _is_whole(config):
        tiers.check_one_of_each(items)


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
