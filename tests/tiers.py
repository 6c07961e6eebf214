"""The tiers of the tests: what `python -m pytest` runs of them, and what only `-m TIER` does."""

from collections.abc import Sequence

import pytest

# What takes minutes, a JVM, or servers. `python -m pytest PATH` runs all tests of PATH.
SLOW = "faults or races or fuzz or sweep or huge or jvm or stores or soak"
QUICK = f"quick or not ({SLOW})"
# One test of each slow kind is quick, for every part of the product to be in the quick run.
ONE_OF_EACH = frozenset(
    {
        "tests/faults/test_changes_fail.py::test_an_error_of_the_system_at_any_step[widen-ENOSPC]",
        "tests/faults/test_changes_fail.py::test_ctrl_c_at_any_step[widen-after]",
        "tests/faults/test_changes_killed.py::test_a_command_that_was_killed[widen]",
        "tests/faults/test_checkpoint_killed.py::test_a_checkpoint_that_was_killed[classic]",
        "tests/faults/test_repair_killed.py::test_a_repair_that_was_killed[commit]",
        "tests/interop/test_widened_tables.py"
        "::test_every_kind_of_widening_on_a_legacy_table_with_data",
        "tests/races/test_sixteen_writers.py::test_widening_adding_setting_and_appending",
        "tests/stores/test_tables_in_stores.py::test_it_is_changed_as_it_is_here[moto]",
    }
)


def mark_one_of_each(items: Sequence[pytest.Item]) -> None:
    """Mark these tests as quick."""
    for item in items:
        if item.nodeid in ONE_OF_EACH:
            item.add_marker("quick")


def check_one_of_each(items: Sequence[pytest.Item]) -> None:
    """Check that each of them is among all tests.

    Raises:
        UsageError: one was renamed, or is gone.
    """
    if missing := sorted(ONE_OF_EACH - {item.nodeid for item in items}):
        raise pytest.UsageError(f"tests/tiers.py names tests that are not there: {missing}")
